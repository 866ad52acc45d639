#!/bin/sh
# Prints the balance for the key in MOMO_APIKEY. The key is not an argument of curl, because process
# lists show arguments.
printf 'url = "%s/momo/balance?apikey=%s"\n' "$MOMO_BASE_URL" "$MOMO_APIKEY" |
  curl --silent --show-error --fail --config -

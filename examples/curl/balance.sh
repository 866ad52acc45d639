#!/bin/sh
# Prints the balance of the account of the key in MOMO_APIKEY. The key does not stand among the
# arguments of curl, since process lists show those.
printf 'url = "%s/momo/balance?apikey=%s"\n' "$MOMO_BASE_URL" "$MOMO_APIKEY" |
  curl --silent --show-error --fail --config -

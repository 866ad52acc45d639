#!/bin/sh
set -eu

control() { # METHOD PATH [BODY]: calls the control API for the test's account
  printf 'header = "apikey: %s"\n' "$MOMO_APIKEY" |
    curl --silent --show-error --fail --config - --request "$1" "$MOMO_MOCK_CONTROL_URL$2" \
      --header 'content-type: application/json' ${3:+--data "$3"}
}

expect() { # WHAT WANTED GOT
  if [ "$2" = "$3" ]; then echo "ok - $1"; else echo "FAILED - $1: $3" && exit 1; fi
}

fails_with() { # TEXT: succeeds if the script fails and prints TEXT
  if printed=$(sh balance.sh 2>&1); then return 1; fi
  case $printed in *"$1"*) ;; *) return 1 ;; esac
}

export MOMO_APIKEY="test_shell_$$"
curl --silent --show-error --fail "$MOMO_MOCK_CONTROL_URL/accounts" \
  --header 'content-type: application/json' --data "{\"apiKey\":\"$MOMO_APIKEY\"}" >/dev/null
trap 'control DELETE /accounts' EXIT

control PUT /balance '{"balance":500}'
expect 'the balance is returned' '{"balance":500}' "$(sh balance.sh)"
control POST /verify '{"path":"/momo/balance","times":1}' >/dev/null

control PUT /responses '{"status":503}' >/dev/null
expect 'the service is down' yes "$(fails_with 503 && echo yes)"

control PUT /responses '{"fault":"reset"}' >/dev/null
expect 'the connection breaks' yes "$(fails_with reset && echo yes)"

expect 'the key is wrong' yes "$(MOMO_APIKEY=wrong && fails_with 401 && echo yes)"

#!/bin/sh
set -eu
out=$(mktemp -d)
trap 'rm -rf "$out"' EXIT

# Java trusts only its trust store: here, a copy of the default one plus the mock's certificate.
home=$(java -XshowSettings:properties -version 2>&1 | sed -n 's/^ *java.home = //p')
cp "$home/lib/security/cacerts" "$out/trusted"
chmod u+w "$out/trusted"
keytool -importcert -noprompt -alias momo-mock -file "$MOMO_MOCK_CA" \
  -keystore "$out/trusted" -storepass changeit

javac -d "$out" Momo.java MomoTest.java
java -cp "$out" -Djavax.net.ssl.trustStore="$out/trusted" \
  -Djavax.net.ssl.trustStorePassword=changeit MomoTest

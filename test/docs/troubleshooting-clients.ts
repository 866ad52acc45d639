const CONTROL = 'http://localhost:8480';
const JSON_TYPE = "-H 'content-type: application/json'";
const put = (path: string, body: string) =>
  `curl -s -X PUT ${CONTROL}/${path} ${JSON_TYPE} -d '${body}'`;
const fault = (name: string) => put('responses', `{"fault":"${name}"}`);
const NODE = 'NODE_EXTRA_CA_CERTS=certs/momo-mock.pem node';
const PYTHON = 'SSL_CERT_FILE=certs/momo-mock.pem python3';
const CURL = 'curl --cacert certs/momo-mock.pem';
const OTHER_HOST = "'https://127.0.0.2:8443/momo/balance?apikey=momo_test_key'";
const CONTROL_PORT = "'https://localhost:8480/momo/balance?apikey=momo_test_key'";
const NOBODY = "'https://localhost:8444/momo/balance?apikey=momo_test_key'";

/**
 * What makes a client print a text of docs/troubleshooting.md, where that is another client than the
 * one of the page's example, or the same one with another call.
 */
export const ALSO: Readonly<Record<string, string>> = {
  "Hostname/IP does not match certificate's altnames": `${NODE} get.mjs ${OTHER_HOST}`,
  ERR_TLS_CERT_ALTNAME_INVALID: `${NODE} get.mjs ${OTHER_HOST}`,
  'x509: certificate is valid for': `SSL_CERT_FILE=certs/momo-mock.pem go run get.go ${OTHER_HOST}`,
  'IP address mismatch': `${PYTHON} get.py ${OTHER_HOST}`,
  'Hostname mismatch': `${put('tls', '{"mode":"wrong-host"}')}; ${PYTHON} get.py "$URL"`,
  CERT_HAS_EXPIRED: `${put('tls', '{"mode":"expired"}')}; ${NODE} get.mjs "$URL"`,
  EPROTO: `node -e 'require("https").get(process.argv[1])' ${CONTROL_PORT}`,
  'server gave HTTP response to HTTPS client': `go run get.go ${CONTROL_PORT}`,
  'plaintext connection?': `java Get.java ${CONTROL_PORT}`,
  'Connection refused': `python3 get.py ${NOBODY}`,
  'Ignoring extra certs from': 'NODE_EXTRA_CA_CERTS=momo-mock.pem node get.mjs "$URL"',
  'certificate verify failed (self-signed certificate)': 'ruby get.rb "$URL"',
  'x509: certificate signed by unknown authority': 'go run get.go "$URL"',
  'socket hang up': `${fault('close')}; ${NODE} -e 'require("https").get(process.argv[1])' "$URL"`,
  'other side closed': `${fault('close')}; ${NODE} get.mjs "$URL"`,
  UND_ERR_SOCKET: `${fault('close')}; ${NODE} get.mjs "$URL"`,
  'Empty reply from server': `${fault('close')}; ${CURL} "$URL"`,
  ECONNRESET: `${fault('reset')}; ${NODE} get.mjs "$URL"`,
  'Connection reset by peer': `${fault('reset')}; ${CURL} "$URL"`,
  'Remote end closed connection without response': `${fault('close')}; ${PYTHON} get.py "$URL"`,
  'transfer closed with': `${fault('truncate')}; ${CURL} "$URL"`,
  terminated: `${fault('truncate')}; ${NODE} -e 'fetch(process.argv[1]).then((r) => r.text())' "$URL"`,
  IncompleteRead: `${fault('truncate')}; ${PYTHON} -c 'import sys, urllib.request as u; u.urlopen(sys.argv[1]).read()' "$URL"`,
  'Operation timed out': `${fault('hang')}; ${CURL} --max-time 5 "$URL"`,
  // The time that undici waits is 300 s otherwise.
  UND_ERR_HEADERS_TIMEOUT: `${fault('hang')}; ${NODE} -e '(async () => {
    await fetch("data:,");
    // From Node 26 on, the first is a wrapper of the second.
    const [old, now] = [1, 2].map((n) => globalThis[Symbol.for("undici.globalDispatcher." + n)]);
    const { constructor: Agent } = now ?? old;
    await fetch(process.argv[1], { dispatcher: new Agent({ headersTimeout: 1 }) });
  })()' "$URL"`,
};

/** What a version of OpenSSL prints that is not the one of most machines: 1.1, 1.1 and from 3.2 on. */
export const OTHER_VERSIONS: readonly string[] = [
  'self signed certificate',
  'certificate verify failed (self signed certificate)',
  'packet length too long',
];

/** The programs of the examples, by their files: each prints the status of the URL that it is given. */
export const PROGRAMS: Readonly<Record<string, string>> = {
  'get.mjs': `console.log((await fetch(process.argv[2])).status);
`,
  'get.py': `import sys, urllib.request
print(urllib.request.urlopen(sys.argv[1]).status)
`,
  'get.rb': `require 'net/http'
puts Net::HTTP.get_response(URI(ARGV[0])).code
`,
  'get.php': `<?php
echo file_get_contents($argv[1]);
`,
  'get.go': `package main

import (
	"fmt"
	"net/http"
	"os"
)

func main() {
	response, err := http.Get(os.Args[1])
	if err != nil {
		fmt.Println(err)
		os.Exit(1)
	}
	fmt.Println(response.StatusCode)
}
`,
  'Get.java': `import java.net.URI;
import java.net.http.*;

class Get {
  public static void main(String[] args) throws Exception {
    var request = HttpRequest.newBuilder(URI.create(args[0])).build();
    var handler = HttpResponse.BodyHandlers.ofString();
    System.out.println(HttpClient.newHttpClient().send(request, handler).statusCode());
  }
}
`,
};

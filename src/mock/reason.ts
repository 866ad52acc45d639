/**
 * Why a request was refused, with one line that tells a person what to do. The answer itself stays
 * as bare as the service's; this goes to the log. The texts never hold anything from the request.
 */
export const HINTS = {
  'key-missing': 'The query has no apikey. Add ?apikey=<key> to the URL.',
  'key-empty':
    'The query has apikey= with nothing behind it. Is the variable that holds it set? It has to become ?apikey=<key>.',
  'key-unknown':
    'No account has this key. Start with MOMO_MOCK_API_KEYS=<key>, or open one by POST /accounts or createAccount({ apikey }). In a URL, a + in the key is %2B.',
  'key-repeated': 'The query has more than one apikey. Send it once: ?apikey=<key>.',
  'key-in-header': 'The key came in a header. Send it in the query: ?apikey=<key>.',
  'key-misspelt': 'The key came under another name. Send it in the query as ?apikey=<key>.',
  'plain-http':
    'The request came over plain HTTP. Write https:// in the base URL. The control API, on a separate port, is plain HTTP.',
  'tls-handshake':
    'The TLS handshake was broken off. Give the client the certificate to trust: curl --cacert certs/momo-mock.pem, NODE_EXTRA_CA_CERTS=certs/momo-mock.pem for Node, SSL_CERT_FILE=certs/momo-mock.pem for Python, Go and OpenSSL; or what GET /certificate of the control API answers. For another host name: momo-mock cert --host NAME, and a restart.',
  'bad-url':
    'The URL is not valid: a broken percent escape, a NUL, or no path. A % in it is written %25.',
  'bad-request': 'The bytes sent are not a valid request of HTTP/1.1. curl -v shows what one is.',
  'unknown-path':
    'No fixture file answers at this path. Add one: momo-mock init, then fixtures/momo/NAME.get.json for GET /momo/NAME. GET /health of the control API lists what there is.',
  'wrong-method':
    'A fixture file answers at this path, but not to this method. Add one beside it: NAME.post.json for POST.',
} as const;

/** The closed list of reasons for which a request is refused. */
export type Reason = keyof typeof HINTS;

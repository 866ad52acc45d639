/**
 * Why a request was refused, with one line that tells a person what to do. The answer itself stays
 * as bare as the service's; this goes to the log. The texts never hold anything from the request.
 */
export const HINTS = {
  'key-missing': 'The query has no apikey. Add ?apikey=<key> to the URL.',
  'key-empty': 'The query has apikey= with nothing behind it. Is the variable that holds it set?',
  'key-unknown': 'No account has this key. Look at MOMO_MOCK_API_KEYS, and at the encoding of +.',
  'key-repeated': 'The query has more than one apikey. Send it once.',
  'key-in-header': 'The key came in a header. The service takes it as the query parameter apikey.',
  'key-misspelt': 'The key came under another name. The query parameter is called apikey.',
  'plain-http': 'The request came over plain HTTP. Use https:// in the base URL.',
  'tls-handshake':
    'The TLS handshake was broken off. Give the client the certificate to trust: momo-mock.pem, or what GET /certificate of the control API answers.',
  'bad-url': 'The URL is not valid: a broken percent escape, a NUL, or no path.',
  'bad-request': 'The bytes sent are not a valid HTTP request.',
  'unknown-path': 'No fixture file answers at this path.',
  'wrong-method': 'A fixture file answers at this path, but not to this method.',
} as const;

/** The closed list of reasons for which a request is refused. */
export type Reason = keyof typeof HINTS;

/** @param defaultKey the only key, if none is configured */
function unknownKey(defaultKey: string | undefined): string {
  const fix =
    defaultKey === undefined ? 'Start' : `None is configured, so send ${defaultKey}, start`;
  return `No account has this key. ${fix} momo-mock with MOMO_MOCK_API_KEYS=<key>, or create an account with POST /accounts or createAccount({ apiKey }).`;
}

export function queryKeyHints(name: string, defaultKey?: string) {
  return {
    'key-missing': `The query has no ${name}. Add ?${name}=<key> to the URL.`,
    'key-empty': `The ${name} in the query is empty. Check that the variable with the key is set. Send ?${name}=<key>.`,
    'key-unknown': `${unknownKey(defaultKey)} In a URL, write a + in the key as %2B.`,
    'key-repeated': `The query has more than one ${name}. Send it once: ?${name}=<key>.`,
    'key-in-header': `The key is in a header. Send it in the query: ?${name}=<key>.`,
    'key-misspelt': `The query has the key under a wrong name. Send it as ?${name}=<key>.`,
  };
}

export type KeyHints = Readonly<ReturnType<typeof queryKeyHints>>;

/** @param places headers, or all places of a list, with `<key>` where the key belongs */
export function placeHints(places: string, defaultKey?: string): KeyHints {
  return {
    'key-missing': `The request has no key. Send ${places}.`,
    'key-empty': `The key is empty. Check that the variable with the key is set. Send ${places}.`,
    'key-unknown': unknownKey(defaultKey),
    'key-repeated': `The request has more than one key or token. Send one of them once: ${places}.`,
    'key-in-header': `The key is in another header, or in another form. Send ${places}.`,
    'key-misspelt': `The key in the query does not count under this name. Send ${places}.`,
  };
}

/**
 * The reasons for refusing a request, each with a one-line hint for the log and the journal, which
 * never quotes the request. `KeyRule` replaces those about the key if a setting moves the key.
 */
export const HINTS = {
  ...queryKeyHints('apikey'),
  'token-unknown':
    'The request has no token that was issued for its account, or a reset revoked it. Get a token from the operation that issues it, and send Authorization: Bearer <token>.',
  'token-expired':
    "The token has expired by the account's clock, which advance moves too. Get a new one from the operation that issues tokens.",
  'plain-http':
    'The client used plain HTTP. Write https:// in the base URL. Only the control API, on a separate port, uses plain HTTP.',
  'tls-handshake':
    'The TLS handshake failed. Make the client trust the certificate: curl --cacert certs/momo-mock.pem, NODE_EXTRA_CA_CERTS=certs/momo-mock.pem for Node, SSL_CERT_FILE=certs/momo-mock.pem for Python, Go and OpenSSL. GET /certificate of the control API returns it, too. For another host name, restart momo-mock with --tls-hosts NAME (MOMO_MOCK_TLS_HOSTS).',
  'bad-url':
    'The URL is invalid: it has a broken percent escape, a NUL, or no path. Write a % as %25.',
  'bad-request':
    'The client did not send a valid HTTP/1.1 request. Compare it with the output of curl -v.',
  'unknown-path':
    'No fixture file has this path. Run momo-mock init, and add fixtures/momo/NAME.get.json for GET /momo/NAME. GET /health of the control API lists the operations.',
  'wrong-method': 'The path has only other methods. Correct the method of the client.',
  'request-rejected':
    'The request violates the request schema of the operation, exceeds a limit, or has a body that cannot be decoded. Correct the named part.',
  'rate-limited':
    'The account has made more requests than its rate limit allows. Wait, move its clock with advance, or set another limit: MOMO_MOCK_RATE_LIMIT, PUT /rate-limit or setRateLimit().',
  'handler-failed':
    'The handler of the operation failed. The log contains the error. Correct the handler at the named place.',
} as const;

/** A reason of the mock is a word of a closed list. A handler's may have a key in it. */
export function redactedReason(
  reason: string,
  redactor: { readonly redact: (text: string) => string },
): string {
  const isClosed = Object.hasOwn(HINTS, reason) || Object.hasOwn(WEBHOOK_HINTS, reason);
  return isClosed ? reason : redactor.redact(reason);
}

const OWN_LIST =
  'A client refuses it if it was started without the variables that momo-mock sets for its command, or does not use them: it has a path in verify= or a bundle of its own, or is Session.send() of requests. Give it the file in SSL_CERT_FILE. For another host name, use --tls-hosts NAME.';
const CLOSED =
  'The client closed the connection during the TLS handshake, and did not say why. If it no longer needed the connection, as Go in parallel tests, nothing is wrong. Node, Bun and Java also do so if they refuse the certificate.';

/**
 * In place of the hint of `tls-handshake`, if it does not fit.
 *
 * @param cause Node's error code, in which an alert says that the client refuses the certificate
 * @param isStarted whether momo-mock started the client, with variables to trust the certificate
 */
export function handshakeHint(cause: string, isStarted: boolean): string | undefined {
  const isClosed = cause === 'ECONNRESET' || cause === 'EPIPE';
  if (isClosed) {
    return `${CLOSED} ${isStarted ? OWN_LIST : 'Then make the client trust it: NODE_EXTRA_CA_CERTS=certs/momo-mock.pem for Node and Bun, a trust store for Java.'}`;
  }
  if (!isStarted || !cause.includes('_ALERT_')) return undefined;
  return `The client refused the certificate. ${OWN_LIST}`;
}

/** In place of the hint of `tls-handshake`, for a client that only the wrong certificate may have driven away. */
export function leftHint(tlsMode: string): string {
  return `The client finished the TLS handshake and left without a request. It may have refused the certificate, which is ${tlsMode} on purpose. It may also have only connected.`;
}

/** Why a request was refused: a reason of the mock, or one that a handler gave its response. */
export type RequestReason = keyof typeof HINTS | (string & {});

/** These say why a webhook attempt has no status, as {@link HINTS} do for requests. */
export const WEBHOOK_HINTS = {
  'bad-url':
    'The URL does not begin with http:// or https://, is invalid, or is over 8 KiB or 1000 fields. Correct it, or the value that a handler takes it from.',
  'host-not-allowed':
    'Webhooks only go to this machine, and not to the ports of momo-mock. Correct the port, or add another host by its name to MOMO_MOCK_WEBHOOK_HOSTS, or to webhookHosts of startMomoMock.',
  'connection-failed':
    'The connection failed or was closed before the end of the response. Check that the application is running, and that it listens on the host and port of the URL.',
  'headers-too-large':
    'The headers of the response are longer than 16 KiB. Send fewer or shorter ones, such as cookies.',
  'bad-response':
    'The response is not valid HTTP/1.1: for example, it has both content-length and transfer-encoding, or two lengths, or another program listens on the port. Compare it with the output of curl -v.',
  'tls-failed':
    'The TLS handshake failed. Trust the certificate of the application: NODE_EXTRA_CA_CERTS=ca.pem for the momo-mock process. Write http:// in the URL if the application uses no TLS.',
  timeout:
    'The application did not send a complete response in time. Respond sooner, or increase the timeout of the webhook.',
  lost: 'It was not sent, because a test scripted {"lose": true}.',
  'not-forged':
    'It was not sent, because it has nothing to forge. Add sign to the webhook. To forge the signature, put {signature} or {secret} in a header. To forge the timestamp, put {timestamp} in a header or in the payload. To forge the body, send and sign one.',
  'not-signed':
    'It was not sent, because signing it failed. Correct its sign: perhaps this Node does not have the hash function.',
  cancelled: 'The mock was reset or stopped during the attempt.',
} as const;

/** How to fix what an application responds to a webhook that it should accept, by status. */
export const REFUSED_WEBHOOK_HINTS: Readonly<Record<number, string>> = {
  400: 'The application finds the webhook invalid. Its log says why: it may not allow the host name of the URL (ALLOWED_HOSTS in Django), or expect another body or content type.',
  401: 'The application asks for credentials, or refuses the signature. Let the path of the webhook through without a login, or send the headers that the application expects.',
  403: 'The application forbids the webhook, most often by its protection against CSRF. Exempt the path from it: csrf_exempt in Django, ignoringRequestMatchers in Spring. The signature may also be wrong.',
  404: 'The application has no such path. Compare the path of the URL with its routes: a prefix may be missing, or a slash at the end.',
  405: 'The application has the path, but not for this method. Let its route accept the method of the webhook, which is POST by default.',
};

export const EARLY_TIMEOUT =
  'The response waited for it: an application that handles one request at a time cannot respond to a webhook while it waits for that response.';

/** A reason why an attempt has no status. This list is complete. */
export type WebhookReason = keyof typeof WEBHOOK_HINTS;

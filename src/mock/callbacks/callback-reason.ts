/**
 * The reasons for which an attempt of a callback has no status, each with a one-line hint for the
 * journal and the live page. The hints never quote the callback.
 */
export const CALLBACK_HINTS = {
  'bad-url':
    'The URL does not begin with http:// or https://, or is invalid. Check what the handler takes it from.',
  'host-not-allowed':
    'Callbacks only go to this machine. Add the host to MOMO_MOCK_CALLBACK_HOSTS, or to callbackHosts of startMomoMock.',
  'connection-failed':
    'The connection failed or was closed before the end of the response. Check that the application runs, and that it listens on the host and port of the URL.',
  'tls-failed':
    'The TLS handshake failed. Trust the certificate of the application: NODE_EXTRA_CA_CERTS=ca.pem for the process of momo-mock. Write http:// in the URL if the application uses no TLS.',
  timeout:
    'The application sent no complete response in time. Respond earlier, or raise timeout in the handler.',
  lost: 'It was not sent, because a test scripted {"lose": true}.',
  cancelled: 'The mock was reset or stopped during the attempt.',
} as const;

/** A reason for which an attempt has no status. There are no others. */
export type CallbackReason = keyof typeof CALLBACK_HINTS;

import { readFileSync } from 'node:fs';
import { connect as connectPlain } from 'node:net';
import { connect as connectTls, createSecureContext } from 'node:tls';

/**
 * Makes what opens connections to a server: TLS without resumption of sessions, or plain where
 * there is no certificate.
 *
 * @param ca the certificate's file; `undefined` for plain HTTP
 * @param verify whether the certificate is verified, which takes a client longer than all the rest
 * @param through a connection that is there already, to be used in place of a new one
 */
export function connector({ address, port, ca, verify = true }, through) {
  if (ca === undefined) return (ready) => tuned(plain({ address, port, through }, ready));
  const secureContext = createSecureContext(verify ? { ca: readFileSync(ca) } : {});
  const to = through === undefined ? { host: address, port } : { socket: through };
  const target = { ...to, servername: 'localhost', secureContext, rejectUnauthorized: verify };
  return (ready) => tuned(connectTls(target, ready));
}

function plain({ address, port, through }, ready) {
  if (through === undefined) return connectPlain({ host: address, port }, ready);
  setImmediate(ready);
  return through;
}

function tuned(socket) {
  return socket.setNoDelay(true);
}

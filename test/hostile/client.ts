import { connect as connectPlain } from 'node:net';
import { connect, type SecureContext } from 'node:tls';
import { talk } from '../support/raw-connection.ts';
import type { Input } from './inputs.ts';

/** Where the listeners are. */
export interface Ports {
  readonly service: number;
  readonly control: number;
  /** Trusts the mock's certificate. */
  readonly secureContext: SecureContext;
}

/** Does what an input says, and gives what came back once the connection is closed. */
export async function attack(ports: Ports, { stage, chunks, leave, alpn, sni }: Input) {
  const port = stage === 'control' ? ports.control : ports.service;
  const raw = connectPlain({ port, host: '127.0.0.1', allowHalfOpen: true });
  raw.on('error', () => {});
  if (stage === 'control' || stage === 'before-tls') return await talk(raw, raw, chunks, leave);
  const tls = connect({
    socket: raw,
    secureContext: ports.secureContext,
    host: 'localhost',
    ALPNProtocols: [...alpn],
    servername: sni,
    // Names that are odd on purpose are on no certificate.
    checkServerIdentity: () => undefined,
  });
  const refused = new Promise<boolean>((done) => {
    for (const event of ['error', 'close']) tls.on(event, () => done(true));
    tls.once('secureConnect', () => done(false));
  });
  if (await refused) return '';
  if (stage === 'inside-tls') return await talk(tls, raw, chunks, leave);
  // What is written below TLS is no TLS any more.
  tls.resume();
  return await talk(raw, raw, chunks, leave === 'fin' ? 'destroy' : leave);
}

import { connect as connectPlain, type Socket } from 'node:net';
import { connect, type SecureContext } from 'node:tls';
import type { Input } from './inputs.ts';

/** Where the listeners are. */
export interface Ports {
  readonly service: number;
  readonly control: number;
  /** Trusts the mock's certificate. */
  readonly secureContext: SecureContext;
}

/** A failure bound, in ms: no test waits for it to pass. */
const HANG = 30_000;

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

/** Sends bytes and a FIN over a connection, and gives all that comes back. */
export function talk(
  socket: Socket,
  raw: Socket,
  chunks: readonly string[],
  leave: Input['leave'] = 'fin',
): Promise<string> {
  return new Promise((done, fail) => {
    const received: Buffer[] = [];
    const text = () => Buffer.concat(received).toString('latin1');
    const timer = setTimeout(() => {
      raw.destroy();
      fail(new Error(`The connection hangs. Sent: ${JSON.stringify(chunks)}; got: ${text()}`));
    }, HANG);
    const end = () => {
      clearTimeout(timer);
      done(text());
    };
    if (raw.destroyed) return end();
    raw.once('close', end);
    socket.on('error', () => {});
    socket.on('data', (chunk: Buffer) => received.push(chunk));
    // What cannot be written any more is over, too.
    socket.once('end', () => socket.end());
    const next = (at: number): void => {
      const chunk = chunks[at];
      if (chunk !== undefined) socket.write(Buffer.from(chunk, 'latin1'), () => next(at + 1));
      else if (leave === 'fin') socket.end();
      else if (leave === 'reset') raw.resetAndDestroy();
      else if (leave === 'destroy') raw.destroy();
    };
    next(0);
  });
}

/** Sends bytes to the service, half-closes immediately, and gives all that comes back. */
export async function talkTo(
  { url, ca }: { readonly url: string; readonly ca: string },
  ...chunks: readonly string[]
): Promise<string> {
  const port = Number(new URL(url).port);
  const raw = connectPlain({ port, host: '127.0.0.1', allowHalfOpen: true });
  return await talk(connect({ socket: raw, ca, servername: 'localhost' }), raw, chunks);
}

/** The same to the control API. */
export async function talkToControl(
  { controlUrl }: { readonly controlUrl: string | null },
  ...chunks: readonly string[]
): Promise<string> {
  const port = Number(new URL(`${controlUrl}`).port);
  const raw = connectPlain({ port, host: '127.0.0.1', allowHalfOpen: true });
  return await talk(raw, raw, chunks);
}

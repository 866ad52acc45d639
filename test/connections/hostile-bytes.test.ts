import { connect as connectPlain } from 'node:net';
import { connect, createSecureContext, type SecureContext } from 'node:tls';
import fc from 'fast-check';
import { expect, it, onTestFinished } from 'vitest';
import { isLong, SEED, show } from '../endurance/scale.ts';
import { AS_JSON, control, send } from '../support/client.ts';
import { startServer } from '../support/mock.ts';
import { talk } from '../support/raw-connection.ts';
import { FOREIGN_KEY, GOOD, HOSTILE_KEY, type Input, input, WRONG_KEY } from './hostile-inputs.ts';

const COUNT = isLong ? 100_000 : 400;
const AT_ONCE = 200;

/** Good clients, each with a balance that nobody else may see. */
const CLIENTS = [FOREIGN_KEY, 'canary_of_bob', 'canary_of_carol'];
const SECRETS = [...CLIENTS, WRONG_KEY];
const markerOf = (key: string) => `marker-${key.slice('canary_of_'.length)}-marker`;
const balanceOf = (key: string) => JSON.stringify({ message: markerOf(key), balance: [] });

const STACK = /\n {4}at |node:internal|\.ts:\d+|\/src\/|\/dist\//;
/** The first bytes of the records that TLS itself sends: an alert, or its side of the handshake. */
const TLS = ['\x15\x03', '\x16\x03'];

/** What is wrong with what came back. */
function faultsOf(sent: Input, response: string): string[] {
  const leaked = [...SECRETS, ...CLIENTS.map(markerOf)].filter((secret) =>
    response.includes(secret),
  );
  const isTls = TLS.some((start) => response.startsWith(start));
  return [
    ...(isTls || /^($|HTTP\/1\.1 \d{3} )/.test(response) ? [] : ['no HTTP']),
    ...(/HTTP\/1\.1 5\d\d /.test(response) ? ['a 5xx'] : []),
    ...(STACK.test(response) ? ['a stack'] : []),
    ...leaked.map((secret) => `it holds ${secret}`),
    ...orderFaults(sent, response),
  ];
}

/** Where good requests before or behind a bad one did not get what is theirs. */
function orderFaults({ chunks, leave, stage, alpn }: Input, response: string): string[] {
  // Who offers no protocol that is spoken never gets to ask.
  const isSpoken = alpn.length === 0 || alpn.some((name) => name.startsWith('http/'));
  if ((stage !== 'control' && !isSpoken) || leave === 'destroy' || leave === 'reset') return [];
  const isFirstGood = Object.values(GOOD).some((good) => chunks.join('').startsWith(good));
  if (isFirstGood && !response.startsWith('HTTP/1.1 200 ')) return ['no response to the first'];
  if (leave === 'fin') return [];
  const [, second = '', third = '', ...more] = response.split(/(?=HTTP\/1\.1 \d{3} )/);
  if (third === '' && /\r\nconnection: close\r\n/i.test(second)) return [];
  const [, length] = /\r\ncontent-length: (\d+)\r\n/i.exec(third) ?? [];
  const isWhole = third.length - third.indexOf('\r\n\r\n') - 4 === Number(length);
  const isRight = third.startsWith('HTTP/1.1 200 ') && isWhole && more.length === 0;
  return isRight ? [] : ['no right response to the last'];
}

/** Where the listeners are. */
interface Ports {
  readonly service: number;
  readonly control: number;
  /** Trusts the mock's certificate. */
  readonly secureContext: SecureContext;
}

/** Does what an input says, and gives what came back once the connection is closed. */
async function attack(ports: Ports, { stage, chunks, leave, alpn, sni }: Input) {
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

/** With runs of one letter left out. */
const shortened = (text: string) =>
  text.replace(/(.)\1{99,}/g, (run, letter) => `${letter}{${run.length}}`);

/** Waits until no connection is open in this process, on either side. */
async function allClosed(): Promise<void> {
  const end = performance.now() + 30_000;
  const open = () =>
    process.getActiveResourcesInfo().filter((kind) => /^TCPSocket|^TLS/.test(kind));
  while (open().length > 0) {
    if (performance.now() > end) throw new Error(`${open().length} connections are left open`);
    await new Promise((done) => setImmediate(done));
  }
}

/** A mock in this process, and what lets hostile clients loose on it, with good ones between. */
async function openArena() {
  const bad: string[] = [];
  const API_KEYS = [...CLIENTS, HOSTILE_KEY].join();
  const mock = await startServer({}, { API_KEYS, CLIENT_TIMEOUT: '10000' });
  for (const event of ['uncaughtException', 'unhandledRejection', 'warning']) {
    const blame = (error?: Error) => void bad.push(`${event}: ${error?.stack ?? error}`);
    process.on(event, blame);
    onTestFinished(() => void process.off(event, blame));
  }
  const prototype = Object.getOwnPropertyNames(Object.prototype).join();
  const ports = {
    service: mock.port,
    control: Number(new URL(mock.controlUrl ?? '').port),
    secureContext: createSecureContext({ ca: mock.ca }),
  };
  const tell = (line: string, options = {}) => control(mock, line, { agent: false, ...options });
  const assail = async (sent: Input) => {
    const response = await attack(ports, sent);
    const faults = faultsOf(sent, response);
    bad.push(...faults.map((fault) => `${fault} after ${JSON.stringify(sent)}: ${response}`));
  };
  const serve = async (key: string) => {
    const { status, text } = await send(mock, `/momo/balance?apikey=${key}`);
    if (status !== 200 || text !== balanceOf(key)) bad.push(`${key} got ${status} ${text}`);
  };
  return async (inputs: readonly Input[]) => {
    await tell('POST /reset');
    for (const apiKey of CLIENTS) {
      const headers = { apikey: apiKey, ...AS_JSON };
      await tell('PUT /balance', { headers, body: balanceOf(apiKey) });
    }
    mock.records.length = 0;
    const good = inputs.flatMap((_, at) => (at % 10 === 0 ? CLIENTS[at % CLIENTS.length] : []));
    await Promise.all([...inputs.map(assail), ...good.map((key = '') => serve(key))]);
    // And when they are gone, one after the other.
    for (const key of CLIENTS) await serve(key);
    await allClosed();
    const journal = (await tell('GET /requests?limit=100000')).text;
    const log = JSON.stringify(mock.records);
    for (const secret of SECRETS) {
      if (journal.includes(secret)) bad.push(`the journal holds ${secret}: ${journal}`);
      if (log.includes(secret)) bad.push(`the log holds ${secret}: ${log}`);
    }
    if (log.includes('a bug in momo-mock')) bad.push(`the log tells of a bug: ${log}`);
    if (Object.getOwnPropertyNames(Object.prototype).join() !== prototype) {
      bad.push('Object.prototype is polluted');
    }
    expect(bad.map((one) => shortened(one).slice(0, 5000))).toEqual([]);
  };
}

it('hostile bytes neither break the mock nor reveal anything', {
  timeout: 7_200_000,
}, async () => {
  const round = await openArena();
  const tried: Record<string, number> = {};
  // The seed of a failing round gives that round as the first.
  for (let seed = SEED; seed < SEED + COUNT / AT_ONCE; seed++) {
    const inputs = fc.sample(input, { seed, numRuns: AT_ONCE });
    for (const { stage } of inputs) tried[stage] = (tried[stage] ?? 0) + 1;
    await round(inputs).catch((error: Error) => {
      throw new Error(`With TORTURE_SEED=${seed}: ${error.message}`, { cause: error });
    });
    if ((seed - SEED) % 10 === 9) show(`hostile: ${JSON.stringify(tried)}, next seed ${seed + 1}`);
  }
  expect(Object.keys(tried).sort()).toEqual(['before-tls', 'behind-tls', 'control', 'inside-tls']);
  show(`hostile: ${COUNT} inputs, seed ${SEED}: ${JSON.stringify(tried)}`);
});

import { createSecureContext } from 'node:tls';
import { loadConfig } from '../../src/config/load.ts';
import { createLogger } from '../../src/logger.ts';
import { startMockServer } from '../../src/server.ts';
import { configuredCertificate } from '../../src/tls/configured-certificate.ts';
import { ask } from '../support/running-mock.ts';
import { attack } from './client.ts';
import { FOREIGN_KEY, HOSTILE_KEY, type Input, GOOD as OWN, WRONG_KEY } from './inputs.ts';

/** Good clients, each with a balance that nobody else may see. */
const GOOD = [FOREIGN_KEY, 'canary_of_bob', 'canary_of_carol'];
const KEYS = [...GOOD, WRONG_KEY];
const markerOf = (key: string) => `marker-${key.slice('canary_of_'.length)}-marker`;
const STACK = /\n {4}at |node:internal|\.ts:\d+|\/src\/|\/dist\//;
/** How records begin with which TLS itself answers: an alert, or its side of the handshake. */
const TLS = ['\x15\x03', '\x16\x03'];
const PROTOTYPE = Object.getOwnPropertyNames(Object.prototype).join();

/** A mock under attack. */
export interface Arena {
  /** Lets hostile clients loose, with good ones between them; throws where the oracle says no. */
  round(inputs: readonly Input[]): Promise<void>;
  close(): Promise<void>;
}

/** Starts a mock in this process, for hostile and for good clients. */
export async function openArena(certsDir: string): Promise<Arena> {
  let logged = '';
  const bad: string[] = [];
  const blame = (what: string) => (error: unknown) =>
    void bad.push(`${what}: ${(error as Error | undefined)?.stack ?? error}`);
  const watched = ['uncaughtException', 'unhandledRejection', 'warning'].map(
    (event) => [event, blame(event)] as const,
  );
  for (const [event, listener] of watched) process.on(event, listener);

  const settings = {
    PORT: '0',
    CONTROL_PORT: '0',
    API_KEYS: [...GOOD, HOSTILE_KEY].join(),
    CLIENT_TIMEOUT: '10000',
  };
  const named = Object.entries({ ...settings, CERTS_DIR: certsDir });
  const config = await loadConfig({
    flags: {},
    env: Object.fromEntries(named.map(([name, value]) => [`MOMO_MOCK_${name}`, value])),
    dotenv: {},
    readKeysFile: async () => '',
  });
  const stream = {
    write: (line: string): void => {
      logged += line;
    },
  };
  const logger = await createLogger({ level: 'trace', stream });
  const mock = await startMockServer({
    config,
    logger,
    certificate: configuredCertificate(config),
    watch: false,
  });
  const { controller, controlUrl } = mock;
  const ports = {
    service: mock.port,
    control: Number(new URL(controlUrl ?? '').port),
    secureContext: createSecureContext({ ca: mock.certificate.cert }),
  };
  const tidy = (): void => {
    controller.reset(undefined);
    logged = '';
    for (const key of GOOD) controller.setBalance(key, balanceOf(key));
  };

  const serveGood = async (key: string): Promise<void> => {
    const { status, body } = await ask(mock, `/momo/balance?apikey=${key}`);
    const wanted = balanceOf(key).toString();
    if (status !== 200 || body !== wanted) bad.push(`${markerOf(key)} got ${status} ${body}`);
  };
  const assail = async (input: Input): Promise<void> => {
    const reply = await attack(ports, input);
    bad.push(
      ...[...faultsOf(reply), ...orderFaults(input, reply)].map(
        (fault) => `${fault} after ${JSON.stringify(input)}: ${reply}`,
      ),
    );
  };
  const round = async (inputs: readonly Input[]): Promise<void> => {
    tidy();
    bad.length = 0;
    const good = inputs.filter((_, at) => at % 10 === 0).map((_, at) => GOOD[at % GOOD.length]);
    await Promise.all([...inputs.map(assail), ...good.map((key = FOREIGN_KEY) => serveGood(key))]);
    // And when they are gone, one after the other.
    for (const key of GOOD) await serveGood(key);
    await allClosed();
    const journal = JSON.stringify(await controller.requests(undefined, { limit: 100_000 }));
    for (const key of KEYS) {
      if (journal.includes(key)) bad.push(`the journal holds ${key}: ${around(journal, key)}`);
      if (logged.includes(key)) bad.push(`the log holds ${key}: ${around(logged, key)}`);
    }
    if (/a bug in momo-mock/.test(logged)) bad.push(`the log tells of a bug: ${logged}`);
    if (Object.getOwnPropertyNames(Object.prototype).join() !== PROTOTYPE) {
      bad.push('Object.prototype is polluted');
    }
    if (bad.length > 0) throw new Error(bad.slice(0, 3).map(shortened).join('\n'));
  };
  return {
    round,
    close: async () => {
      await mock.close();
      for (const [event, listener] of watched) process.off(event, listener);
    },
  };
}

/** What an answer must not be. */
function faultsOf(reply: string): string[] {
  return [
    ...(/^($|HTTP\/1\.1 \d{3} )/.test(reply) || TLS.some((start) => reply.startsWith(start))
      ? []
      : ['no HTTP']),
    ...(/HTTP\/1\.1 5\d\d /.test(reply) ? ['a 5xx'] : []),
    ...(STACK.test(reply) ? ['a stack'] : []),
    ...KEYS.filter((key) => reply.includes(key)).map((key) => `the key ${key}`),
    ...GOOD.map(markerOf)
      .filter((marker) => reply.includes(marker))
      .map((marker) => `what is ${marker}'s`),
  ];
}

/** Where good requests before or behind a bad one did not get what is theirs. */
function orderFaults({ chunks, leave, stage, alpn }: Input, reply: string): string[] {
  const isFirstGood = Object.values(OWN).some((good) => chunks.join('').startsWith(good));
  // Who offers no protocol that is spoken never gets to ask.
  const isSpoken = alpn.length === 0 || alpn.some((name) => name.startsWith('http/'));
  if (stage !== 'control' && !isSpoken) return [];
  const gave = leave === 'fin' || leave === 'wait';
  if (isFirstGood && gave && !reply.startsWith('HTTP/1.1 200 ')) return ['no answer to the first'];
  if (leave !== 'wait') return [];
  const [, second = '', third, ...more] = reply.split(/(?=HTTP\/1\.1 \d{3} )/);
  if (third === undefined && /\r\nconnection: close\r\n/i.test(second)) return [];
  const isRight = third?.startsWith('HTTP/1.1 200 ') && isWhole(third) && more.length === 0;
  return isRight ? [] : ['no right answer to the last'];
}

/** Whether an answer's body is as long as it says. */
function isWhole(answer: string): boolean {
  const [, length] = /\r\ncontent-length: (\d+)\r\n/i.exec(answer) ?? [];
  return answer.length - answer.indexOf('\r\n\r\n') - 4 === Number(length);
}

function balanceOf(key: string): Buffer {
  const balance = [{ amount: 1, currency: 'XOF' }];
  return Buffer.from(JSON.stringify({ success: true, message: markerOf(key), balance }));
}

/** With runs of one letter left out. */
function shortened(text: string): string {
  return text.replace(/(.)\1{99,}/g, (run, letter) => `${letter}{${run.length}}`);
}

function around(text: string, key: string): string {
  const at = text.indexOf(key);
  return text.slice(Math.max(0, at - 300), at + 100);
}

/** Resolves when no connection is open in this process, on either side. */
async function allClosed(): Promise<void> {
  const end = performance.now() + 30_000;
  const open = () =>
    process.getActiveResourcesInfo().filter((kind) => /^TCPSocket|^TLS/.test(kind));
  while (open().length > 0) {
    if (performance.now() > end) throw new Error(`${open().length} connections are left open`);
    await new Promise((done) => setImmediate(done));
  }
}

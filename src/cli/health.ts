import { X509Certificate } from 'node:crypto';
import { once } from 'node:events';
import { readFile } from 'node:fs/promises';
import { type IncomingMessage, request } from 'node:http';
import { join } from 'node:path';
import { json } from 'node:stream/consumers';
import { connect } from 'node:tls';
import { MomoMockError } from '../errors.ts';
import { listenableHost, reachableHost, urlHost } from '../net/host.ts';
import type { Config } from '../settings/config.ts';
import type { Command, CommandLine } from './command-line.ts';
import { configure } from './configure.ts';

export const HEALTH_TIMEOUT_MS = 10_000;

const OTHER_PROGRAM = 'another program responds there';

export const health: Command = {
  usage: 'momo-mock health [flags]',
  about:
    'Exits with 0 if a mock with the same settings is ready on this machine, otherwise with 1.',
  examples: ['momo-mock health', 'momo-mock health --control-port 8480'],
  run: checkHealth,
};

/** If the control API is off, only shakes hands with the service: a test may count requests. */
async function checkHealth({ flags }: CommandLine): Promise<number> {
  const { config } = await configure(flags, { withKeys: false });
  const isOff = config.CONTROL_PORT === 'off';
  const setting = isOff ? 'MOMO_MOCK_PORT' : 'MOMO_MOCK_CONTROL_PORT';
  const port = isOff ? config.PORT : config.CONTROL_PORT;
  const host = isOff ? await listenableHost(config.HOST) : config.CONTROL_HOST;
  if (port === 0) {
    const text = `Failed to reach momo-mock: its port is unknown, because ${setting} is 0. Set ${setting} to a port.`;
    throw new MomoMockError('MOMO_MOCK_USAGE', text);
  }
  const limit = new AbortController();
  const { signal } = limit;
  const timer = setTimeout(() => limit.abort(), HEALTH_TIMEOUT_MS);
  try {
    if (isOff) await shakeHands(config, host, signal);
    else await askControl(`http://${urlHost(host)}:${port}/health`, config, signal);
    process.stdout.write('ready\n');
    return 0;
  } catch (cause) {
    if (cause instanceof MomoMockError) throw cause;
    const { message, code = message } = cause as NodeJS.ErrnoException;
    // A code of Node's HTTP parser.
    const problem = code.startsWith('HPE_') ? OTHER_PROGRAM : code;
    const why = signal.aborted ? 'it does not respond' : problem;
    const place = `${host} port ${port}`;
    const text = isOff
      ? `Failed to reach the service of momo-mock on ${place}: ${why}. Start it, or check ${setting}. MOMO_MOCK_CONTROL_PORT is off, so the control API was not asked.`
      : `Failed to reach momo-mock on ${place}: ${why}. Start it, or check ${setting}.`;
    throw new MomoMockError('MOMO_MOCK_NOT_READY', text, { cause });
  } finally {
    clearTimeout(timer);
  }
}

async function askControl(
  url: string,
  { CONTROL_TOKEN: token }: Config,
  signal: AbortSignal,
): Promise<void> {
  const headers = token === undefined ? {} : { authorization: `Bearer ${token}` };
  // Not fetch, which asks the proxy of NODE_USE_ENV_PROXY, and refuses ports such as 6000.
  const sent = request(url, { headers, signal, agent: false }).end();
  // Once there is a response, it reports the errors too.
  sent.on('error', () => {});
  const [response] = (await once(sent, 'response')) as [IncomingMessage];
  const { statusCode: status } = response;
  const body = await json(response).catch(() => undefined);
  if (status === 401) {
    const [reason, fix] =
      token === undefined
        ? ['it needs a token', "Set MOMO_MOCK_CONTROL_TOKEN to the mock's token"]
        : ['it refused the token', 'Correct MOMO_MOCK_CONTROL_TOKEN'];
    const text = `Failed to query momo-mock at ${new URL(url).host}: ${reason} (401). ${fix}.`;
    throw new MomoMockError('MOMO_MOCK_NOT_READY', text);
  }
  const isReady = status === 200 && (body as { ready?: unknown } | undefined)?.ready === true;
  if (!isReady) throw new Error(`it responded with ${status}`);
}

/** Succeeds if the service uses the certificate on disk, or any certificate if none is on disk. */
async function shakeHands(config: Config, host: string, signal: AbortSignal): Promise<void> {
  const file = config.TLS_CERT_FILE ?? join(config.CERTS_DIR, 'momo-mock.pem');
  const expected = await readFile(file).then(
    (pem) => new X509Certificate(pem).fingerprint256,
    () => undefined,
  );
  // The fingerprint is compared below, and no data is sent.
  const options = { port: config.PORT, rejectUnauthorized: false, signal };
  const socket = connect({ ...options, host: reachableHost(host) });
  await once(socket, 'secureConnect');
  const { fingerprint256 } = socket.getPeerCertificate();
  // Nothing matters after the handshake.
  socket.on('error', () => {}).end();
  if (expected !== undefined && fingerprint256 !== expected) throw new Error(OTHER_PROGRAM);
}

import { execFile, spawn } from 'node:child_process';
import { writeFileSync } from 'node:fs';
import { get } from 'node:https';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { expect, it, onTestFinished } from 'vitest';
import { blockOf, readDocument, rowsBelow } from '../docs/documents.ts';
import { openNodeProject } from '../docs/node-project.ts';
import { ask, control, send } from '../support/client.ts';
import { temporaryFolder } from '../support/fixture-folder.ts';
import { freePort } from '../support/free-port.ts';
import { describeUnless, missing } from '../support/machine.ts';
import { startMock, type TestMock } from '../support/mock.ts';
import {
  connectMomoMock,
  type MomoKeyIn,
  type MomoMock,
  type MomoStartOptions,
  type ScriptedResponse,
} from '../support/momo-mock.ts';

const run = promisify(execFile);
const PAGE = readDocument('docs/containers-and-ci.md');
const CONFIGURATION = readDocument('examples/ci/nginx.conf');
const NUMBERS = Array.from({ length: 64 }, (_, at) => `${at}`);
const keyOf = (number: string) => `test_${number}`;
const API_KEYS = NUMBERS.map(keyOf);

/** Four mocks behind nginx. */
interface Fleet {
  readonly mocks: readonly TestMock[];
  /** The addresses of nginx. */
  readonly url: string;
  readonly controlUrl: string;
  readonly ca: string;
  /** What nginx has logged. */
  readonly log: () => string;
}

/** Starts four mocks with the same options, and nginx with the example in front of them. */
async function startFleet(
  options: MomoStartOptions = {},
  configuration = CONFIGURATION,
): Promise<Fleet> {
  const folder = temporaryFolder();
  const certsDir = join(folder, 'certs');
  const mocks: TestMock[] = [];
  while (mocks.length < 4) {
    const own = { control: true, certsDir, tlsHosts: ['momo-mock'] };
    mocks.push(await startMock({}, { ...own, ...options }));
  }
  const [port, controlPort] = [await freePort(), await freePort()];
  const { log, ended } = startNginx(
    folder,
    configuration
      .replaceAll(/mock-(\d):(8443|8480)/g, (_, number, kind) => {
        const { url, controlUrl } = mocks[number - 1] as TestMock;
        return `127.0.0.1:${new URL(kind === '8443' ? url : `${controlUrl}`).port}`;
      })
      .replaceAll('/momo/certs', certsDir)
      .replace('listen 8443', `listen ${port}`)
      .replace('listen 8480', `listen ${controlPort}`),
  );
  const fleet = {
    mocks,
    url: `https://localhost:${port}`,
    controlUrl: `http://localhost:${controlPort}`,
    ca: `${mocks[0]?.ca}`,
    log,
  };
  const isListening = async () => (await control(fleet, 'GET /health').catch(() => {}))?.status;
  await Promise.race([
    expect.poll(isListening).toBe(200),
    ended.then(() => Promise.reject(new Error(log()))),
  ]);
  return fleet;
}

/** Starts nginx, without what its package configures, and tells what it logs and when it ends. */
function startNginx(folder: string, configuration: string) {
  const file = join(folder, 'nginx.conf');
  const kinds = ['client_body', 'proxy', 'fastcgi', 'uwsgi', 'scgi'];
  const own = kinds.map((kind) => `${kind}_temp_path ${kind};`).join(' ');
  writeFileSync(file, configuration.replace('http {', `http { ${own}`));
  const args = ['-p', folder, '-c', file, '-e', 'stderr'];
  const nginx = spawn('nginx', [...args, '-g', 'daemon off; pid nginx.pid; user root;'], {
    stdio: ['ignore', 'ignore', 'pipe'],
  });
  const ended = new Promise<void>((done) => nginx.once('close', () => done()));
  onTestFinished(async () => {
    nginx.kill('SIGTERM');
    await ended;
  });
  let log = '';
  nginx.stderr.setEncoding('utf8').on('data', (text) => (log += text));
  return { log: () => log, ended };
}

/** Connects to the mocks through nginx. */
async function connect({ controlUrl, url }: Fleet): Promise<MomoMock> {
  const mock = await connectMomoMock(controlUrl, { url, apiKey: 'momo_test_key' });
  onTestFinished(() => mock.close());
  return mock;
}

/** The numbers that requests sent as a header, by the mock that received them. */
async function receivedBy({ mocks }: Fleet): Promise<string[][]> {
  return await Promise.all(
    mocks.map(async (mock) => {
      const received = await mock.requests();
      return received.map(({ headers }) => `${headers.x_number}`);
    }),
  );
}

/** Expects that each number was received by one mock, and that each mock received some. */
async function expectOneMockEach(fleet: Fleet, times: number): Promise<void> {
  const received = await receivedBy(fleet);
  const numbers = received.map((all) => [...new Set(all)]);
  expect(numbers.filter((own) => own.length === 0)).toEqual([]);
  expect(numbers.flat().sort()).toEqual(NUMBERS.toSorted());
  expect(received.flat()).toHaveLength(times * NUMBERS.length);
}

describeUnless(missing('nginx'), 'four mocks behind nginx', () => {
  it('keep each account on the mock of its key, with its scripts, journal and verification', async () => {
    const fleet = await startFleet();
    const mock = await connect(fleet);
    expect(mock.ca).toBe(fleet.ca);
    const accounts = await Promise.all(
      NUMBERS.map(async (number) => {
        // The first key in the body is the account's.
        const state = { note: JSON.stringify({ apikey: 'other' }) };
        const account = await mock.createAccount({ apiKey: keyOf(number), state });
        await account.respondWith({ status: 503 });
        const headers = { x_number: number };
        const statuses = [];
        for (let n = 0; n < 3; n++) {
          statuses.push((await ask(account, undefined, { headers })).status);
        }
        expect(statuses).toEqual([503, 200, 200]);
        await account.verify({ path: '/momo/balance', times: 3 });
        await expect(account.verify({ path: '/momo/balance', times: 2 })).rejects.toMatchObject({
          code: 'MOMO_MOCK_NOT_VERIFIED',
        });
        await account.verifyUsed();
        await account.state.update('uses', (uses = 0) => uses + 1);
        expect(await account.state.get('uses')).toBe(1);
        return account;
      }),
    );
    await expectOneMockEach(fleet, 3);
    for (const account of accounts) {
      await account.remove();
      expect((await ask(account)).status).toBe(401);
    }
  });

  it('find the key of a new account in its body, whatever else it contains', async () => {
    const fleet = await startFleet();
    const mock = await connect(fleet);
    // Longer than a buffer of nginx by default.
    const balance = { apikey: 'other', text: 'a'.repeat(500_000) };
    for (const number of NUMBERS.slice(0, 8)) {
      const account = await mock.createAccount({ apiKey: keyOf(number), balance });
      expect((await ask(account)).json).toEqual(balance);
    }
  });

  it('serve a client of the library as the docs show', async () => {
    const fleet = await startFleet();
    const project = openNodeProject();
    const shown = blockOf(PAGE, 'js fleet')
      .replace('http://nginx:8480', fleet.controlUrl)
      .replace('https://nginx:8443', fleet.url);
    const print = 'console.log(JSON.stringify(account)); await mock.close();';
    project.write('fleet.js', `${shown}${print}`);
    const { stdout } = await run(process.execPath, ['fleet.js'], { cwd: project.folder });
    const { url, ca, apiKey } = JSON.parse(stdout);
    expect(url).toBe(fleet.url);
    expect((await ask({ url, ca, apiKey })).status).toBe(200);
  });

  it.each(
    rowsBelow(PAGE, 'Scale and CI fleets').map((cells) =>
      cells.map((cell) => /`([^`]+)`/.exec(cell)?.[1] ?? ''),
    ),
  )('are chosen by a key in %s if nginx hashes %s', async (keyIn = '', hash = '') => {
    const map = hash === '$bearer_key' ? blockOf(PAGE, 'nginx bearer') : '';
    const fleet = await startFleet(
      { apiKeys: API_KEYS, keyIn: keyIn as MomoKeyIn },
      CONFIGURATION.replace('hash $arg_apikey;', () => `hash ${hash};`).replace(
        'http {',
        () => `http {\n${map}`,
      ),
    );
    const carried: Record<string, (key: string) => [target: string, headers: object]> = {
      'query:apikey': (key) => [`?apikey=${key}`, {}],
      'header:x-api-key': (key) => ['', { 'x-api-key': key }],
      basic: (key) => ['', { authorization: `Basic ${btoa(`${key}:secret`)}` }],
      bearer: (key) => ['', { authorization: `Bearer ${key}` }],
    };
    for (const number of NUMBERS) {
      const apiKey = keyOf(number);
      await control(fleet, 'PUT /responses', {
        headers: { apikey: apiKey },
        body: [{ status: 500 }],
      });
      const [query = '', carries] = carried[keyIn]?.(apiKey) ?? [];
      const headers = { x_number: number, ...carries };
      const target = `/momo/balance${query}`;
      const statuses = [];
      for (let n = 0; n < 2; n++) statuses.push((await send(fleet, target, { headers })).status);
      expect(statuses).toEqual([500, 200]);
    }
    await expectOneMockEach(fleet, 2);
  });

  it('are reached at their own addresses by calls for all accounts, of which nginx sends each to one', async () => {
    const fleet = await startFleet();
    const scripted = () =>
      Promise.all(
        fleet.mocks.map(async (mock) => {
          const { json } = await control(mock, 'GET /responses');
          return (json as { responses: unknown[] }).responses.length;
        }),
      );
    const body = [{ status: 500 }];
    await control(fleet, 'PUT /responses', { body });
    expect((await scripted()).sort()).toEqual([0, 0, 0, 1]);
    for (const mock of fleet.mocks) await control(mock, 'PUT /responses', { body });
    expect(await scripted()).toEqual([1, 1, 1, 1]);
  });

  it.each<[fault: ScriptedResponse, seen: unknown]>([
    [{ fault: 'reset' }, 'read ECONNRESET'],
    [{ fault: 'close' }, 'read ECONNRESET'],
    [{ fault: 'truncate' }, 'aborted'],
    [{ fault: 'malformed' }, [200, undefined]],
    [{ fault: { type: 'dribble', duration: 100 } }, [200, { ok: true }]],
    [{ status: 502, delay: 100 }, [502, { ok: true }]],
  ])('let a client see %j as %j, once, and the key stays on its mock', async (fault, seen) => {
    // One process notices it if the mock counts as failed.
    const configuration = CONFIGURATION.replace('worker_processes auto', 'worker_processes 1');
    const fleet = await startFleet({ apiKeys: API_KEYS }, configuration);
    const target = { ...fleet, apiKey: keyOf('0') };
    const headers = { apikey: target.apiKey };
    await control(fleet, 'PUT /responses', { headers, body: [{ body: { ok: true }, ...fault }] });
    const first = await ask(target).then(
      ({ status, json }) => [status, json],
      ({ message }) => message,
    );
    expect(first).toEqual(seen);
    expect(fleet.log()).not.toContain(target.apiKey);
    expect((await ask(target)).status).toBe(200);
    const received = await receivedBy(fleet);
    expect(received.map((all) => all.length).sort()).toEqual([0, 0, 0, 2]);
  });

  it('notice that a client has left during a hang', async () => {
    const fleet = await startFleet({ apiKeys: API_KEYS });
    const apiKey = keyOf('0');
    await control(fleet, 'PUT /responses', {
      headers: { apikey: apiKey },
      body: [{ fault: 'hang' }],
    });
    const { url, ca } = fleet;
    const request = get(`${url}/momo/balance?apikey=${apiKey}`, { ca, agent: false });
    request.on('error', () => {});
    const query = { headers: { apikey: apiKey } };
    await control(fleet, 'GET /requests?waitFor=1', query);
    request.destroy();
    const { json } = await control(fleet, 'GET /requests?waitFor=1&ended=true', query);
    expect(json).toMatchObject({ requests: [{ aborted: true, fault: 'hang' }] });
  });

  it('show clients no certificate of a TLS mode', async () => {
    const fleet = await startFleet({ apiKeys: API_KEYS });
    const target = { ...fleet, apiKey: keyOf('0') };
    expect((await ask(target)).status).toBe(200);
    for (const mock of fleet.mocks) await mock.setTls('untrusted');
    await expect(ask(target)).rejects.toThrow('read ECONNRESET');
    expect(fleet.log()).not.toContain(target.apiKey);
    for (const mock of fleet.mocks) await mock.setTls('normal');
    expect((await ask(target)).status).toBe(200);
  });
});

import { execFile } from 'node:child_process';
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { promisify } from 'node:util';
import { describe, expect, it } from 'vitest';
import { ROOT } from '../docs/documents.ts';
import { cleanEnv } from '../package/installed.ts';
import { installFromNpm, NO_REGISTRY } from '../package/kept-packages.ts';
import { runCommand } from '../support/command.ts';
import { temporaryFolder } from '../support/fixture-folder.ts';
import { forSuite } from '../support/mock.ts';
import { sendJson, startRealServer } from '../support/real-service.ts';

const run = promisify(execFile);
const HOST = 'apis.chipdeals.me';

const DEPENDENCIES = {
  '@chipdeals/momo-api': '1.4.1',
  axios: '^1.18.0',
  'axios-0.27': 'npm:axios@0.27.2',
  got: '^15.0.0',
  needle: '^3.3.1',
  superagent: '^10.2.3',
  undici: '^7.16.0',
};

/** Each reads the balance of the API, at the URL that is built in. */
const CLIENTS = `
import { get } from 'node:https';
import { json } from 'node:stream/consumers';
import momo from '@chipdeals/momo-api';
import axios from 'axios';
import axios027 from 'axios-0.27';
import got from 'got';
import needle from 'needle';
import superagent from 'superagent';
import { request } from 'undici';

const url = 'https://${HOST}:' + (process.env.REAL_PORT ?? 443) + '/momo/balance?apikey=momo_test_key';
export const clients = {
  'the named import of node:https': () =>
    new Promise((resolve, reject) => get(url, (one) => resolve(json(one))).on('error', reject)),
  fetch: async () => (await fetch(url)).json(),
  axios: async () => (await axios.get(url)).data,
  'axios 0.27': async () => (await axios027.get(url)).data,
  got: () =>
    got(url, { retry: { limit: 0 }, https: { rejectUnauthorized: !process.env.REAL_PORT } }).json(),
  needle: async () => (await needle('get', url)).body,
  superagent: async () => (await superagent.get(url)).body,
  undici: async () => (await request(url)).body.json(),
  '@chipdeals/momo-api': async () => {
    momo.setApiKey('momo_test_key');
    return { balance: await momo.balance() };
  },
};
export async function readAll() {
  const read = Object.entries(clients).map(async ([name, client]) => {
    try {
      return [name, (await client()).balance];
    } catch (error) {
      return [name, String(error)];
    }
  });
  console.log(JSON.stringify(Object.fromEntries(await Promise.all(read))));
}
`;

const BALANCES = [{ countryCode: 'BJ', operator: 'MTN', currency: 'XOF', amount: '500' }];
const BODY = { success: true, balance: BALANCES, balances: BALANCES };
const NAMES = [
  'the named import of node:https',
  'fetch',
  'axios',
  'axios 0.27',
  'got',
  'needle',
  'superagent',
  'undici',
  '@chipdeals/momo-api',
];
const ALL = Object.fromEntries(NAMES.map((name) => [name, BALANCES]));

describe('each client library with a built-in base URL', () => {
  const project = forSuite(async (over) => {
    const folder = temporaryFolder(over);
    const isInstalled = await installFromNpm(folder, DEPENDENCIES);
    writeFileSync(join(folder, 'clients.js'), CLIENTS);
    return { folder, isInstalled };
  });

  it('reaches the mock with redirect(), unmodified', async (context) => {
    const { folder, isInstalled } = project();
    context.skip(!isInstalled, NO_REGISTRY);
    const library = JSON.stringify(pathToFileURL(join(ROOT, 'dist/index.js')).href);
    writeFileSync(
      join(folder, 'main.js'),
      `import { startMomoMock } from ${library};
       import { readAll } from './clients.js';
       const mock = await startMomoMock({ redirect: '${HOST}' });
       await mock.setBalance(${JSON.stringify(BODY)});
       await readAll();
       await mock.close();`,
    );
    const { stdout } = await run(process.execPath, ['main.js'], { cwd: folder, env: cleanEnv() });
    expect(JSON.parse(stdout)).toEqual(ALL);
  });

  it('does not reuse a connection that it opened before redirect()', async (context) => {
    const { folder, isInstalled } = project();
    context.skip(!isInstalled, NO_REGISTRY);
    const real = await startRealServer((_request, response) =>
      sendJson(response, { balance: 'real' }),
    );
    const library = JSON.stringify(pathToFileURL(join(ROOT, 'dist/index.js')).href);
    writeFileSync(
      join(folder, 'main.js'),
      `import dns from 'node:dns';
       import { clients, readAll } from './clients.js';
       const { lookup } = dns;
       dns.lookup = (name, ...rest) => lookup(name === '${HOST}' ? '127.0.0.1' : name, ...rest);
       delete clients['@chipdeals/momo-api']; // its port is fixed
       await readAll();
       const { startMomoMock } = await import(${library});
       const mock = await startMomoMock({ redirect: '${HOST}' });
       await mock.setBalance(${JSON.stringify(BODY)});
       await readAll();
       await mock.close();`,
    );
    const env = {
      ...cleanEnv(),
      REAL_PORT: new URL(real.url).port,
      NODE_TLS_REJECT_UNAUTHORIZED: '0',
    };
    const { stdout } = await run(process.execPath, ['main.js'], { cwd: folder, env });
    const [before, after] = stdout
      .trim()
      .split('\n')
      .map((line) => JSON.parse(line));
    const { '@chipdeals/momo-api': _fixed, ...all } = ALL;
    expect(after).toEqual(all);
    expect(before).toEqual(Object.fromEntries(Object.keys(all).map((name) => [name, 'real'])));
    expect(real.requests).toHaveLength(Object.keys(all).length);
  });

  it('reaches the mock with run --redirect, unmodified', async (context) => {
    const { folder, isInstalled } = project();
    context.skip(!isInstalled, NO_REGISTRY);
    writeFileSync(
      join(folder, 'main.js'),
      `import { readAll } from './clients.js';
       const { MOMO_MOCK_CONTROL_URL: control } = process.env;
       const headers = { 'content-type': 'application/json' };
       const body = '${JSON.stringify(BODY)}';
       await fetch(control + '/balance', { method: 'PUT', headers, body });
       await readAll();`,
    );
    const words = ['run', '--redirect', HOST, '--', process.execPath, join(folder, 'main.js')];
    const { stdout, stderr } = await runCommand(words);
    expect(JSON.parse(stdout)).toEqual(ALL);
    expect(stderr).toBe(`momo-mock: ${NAMES.length} requests: ${NAMES.length} × 200\n`);
  });
});

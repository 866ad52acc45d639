import { readdir, readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { describe, expect, it, onTestFinished } from 'vitest';
import { AS_JSON, control, followEvents, send } from '../support/client.ts';
import { type CommandOptions, FREE_PORTS, runCommand, spawnCommand } from '../support/command.ts';
import { temporaryFolder, writeFiles } from '../support/fixture-folder.ts';
import { startServer } from '../support/mock.ts';
import { type MomoMock, startMomoMock } from '../support/momo-mock.ts';
import { sendOverTls, sendPlain } from '../support/raw-connection.ts';
import {
  CONFIGURED,
  CREATED,
  found,
  ODD_SNAPSHOT,
  requests,
  SIGNED,
  SIGNING,
  WAITING,
  WRONG,
} from './canary.ts';

const KEYS = { MOMO_MOCK_API_KEYS: CONFIGURED };

/** Paths of the control API that have parameters, with values for them. */
const PATHS: Readonly<Record<string, string>> = {
  '/webhooks/{id}/send': '/webhooks/1/send',
  '/operations/{name}': '/operations/GET%20%2Fmomo%2Fbalance',
  '/requests/{id}': '/requests/1',
  '/prompts/{id}': '/prompts/1',
  '/responses/{id}': '/responses/1',
  '/webhooks/script/{id}': '/webhooks/script/1',
  '/state/{name}': '/state/a',
};

/** All routes that the control API describes, so that no new one is forgotten here. */
const ROUTES = await (async () => {
  await using mock = await startMomoMock({ control: true });
  const { json } = await control(mock, 'GET /openapi.json');
  const { paths } = json as { paths: Record<string, object> };
  return Object.entries(paths).flatMap(([path, item]) => {
    if (path.includes('{') && !(path in PATHS)) throw new Error(`PATHS has no row for ${path}`);
    return Object.keys(item).map((method) => `${method.toUpperCase()} ${PATHS[path] ?? path}`);
  });
})();

/** The response of the control API where there is no route. */
const NOT_ROUTES = ['GET /no-such-path', 'PATCH /balance'];

/** They repeat what was expected, so they are only asked with configured keys. */
const VERIFICATIONS = ROUTES.filter((route) => /^POST \/(verify|finish)/.test(route));
const CONSTANT = ROUTES.filter((route) => !VERIFICATIONS.includes(route));

/** Expects that a surface was reached, that it shows no key, and that a key on it would be seen. */
function expectNoKey(
  text: string,
  reached: RegExp,
  times = 1,
  keys = [CONFIGURED, WRONG, SIGNING],
): void {
  // Not the text itself, which may be long.
  const count = text.match(new RegExp(reached, `${reached.flags.replace('g', '')}g`))?.length ?? 0;
  expect(count).toBeGreaterThanOrEqual(times);
  expect(found(text, keys)).toEqual([]);
  const half = text.length / 2;
  for (const key of keys) {
    for (const shape of [key, encodeURIComponent(key), btoa(`?apikey=${key}&a`)]) {
      expect(found(text.slice(0, half) + shape + text.slice(half), keys)).not.toEqual([]);
    }
  }
}

/** What the control API is asked of after the requests, with a key wherever there is room. */
const ASKED: [line: string, body?: (key: string) => unknown][] = [
  ...ROUTES.filter((route) => route.startsWith('GET ')).map((route): [string] => [route]),
  ['GET /requests?status=401'],
  ['GET /requests/2'],
  ['POST /verify', () => ({ status: 418 })],
  ['POST /verify', (key) => ({ query: { apikey: key } })],
  ['POST /verify', (key) => ({ body: { password: [key] } })],
  ['POST /verify/webhooks', (key) => ({ url: `http:u:${key}@localhost/` })],
  ['POST /finish?timeout=1', () => ({ status: 418 })],
  ['POST /finish?timeout=1', (key) => ({ query: { apikey: key } })],
  ['POST /finish?timeout=1', (key) => ({ body: { password: [key] } })],
  ['POST /accounts', (key) => ({ apiKey: key, nonsense: key })],
  ['POST /responses', (key) => `{"broken ${key}`],
  ['PUT /tls', (key) => ({ mode: key })],
  // A value that a test sets is shown, apart from configured keys.
  ['PUT /state/a', () => ({ [CONFIGURED]: CONFIGURED })],
  ['PATCH /state', () => ({ set: { b: [CONFIGURED] } })],
  ['GET /state/a'],
  ['GET /state'],
  ['PUT /state/a', (key) => JSON.stringify(`[redacted] ${key}`)],
  ['PATCH /state', (key) => ({ set: { a: { [key]: '[redacted]' } } })],
  ['PUT /webhooks/script', () => [{ forge: 'body' }, { forge: 'timestamp' }]],
  ['POST /webhooks', () => SIGNED],
  ['POST /webhooks', () => ({ ...SIGNED, url: '' })],
  ['POST /webhooks', () => ({ ...SIGNED, sign: { ...SIGNED.sign, payload: `{${SIGNING}}` } })],
  ['POST /webhooks', () => ({ ...SIGNED, sign: { secret: SIGNING, header: SIGNING } })],
  ['POST /webhooks', () => WAITING],
  ['POST /webhooks/1/send', () => ({})],
  ['POST /webhooks/1/send', (key) => ({ headers: { 'x-a': key }, body: { password: key } })],
  ['POST /webhooks/1/send', (key) => ({ [key]: key })],
  ['POST /responses', () => ({ status: 500, headers: { a: SIGNING }, webhook: [SIGNED] })],
  ['GET /responses'],
  ['POST /verify/used'],
  ['POST /verify/webhooks', () => ({ url: SIGNED.url })],
  ['POST /responses', () => ({ status: 500, webhook: [WAITING] })],
  ['PUT /balance', () => ({ balance: [CONFIGURED, encodeURIComponent(CONFIGURED)] })],
  ['GET /webhooks'],
  ['PUT /snapshot', ODD_SNAPSHOT],
  ['GET /snapshot'],
  ['PUT /nothing', (key) => JSON.stringify(key)],
];

/** All that a built command shows while it is asked in every way with each key, until it ends. */
async function hunt() {
  const cwd = temporaryFolder();
  const flags = [...FREE_PORTS, '--log-level', 'trace', '--snapshot-file', 'snapshot.json'];
  const { child, ready, ended } = await spawnCommand(flags, {
    cwd,
    env: { MOMO_MOCK_API_KEYS: `${CONFIGURED},other=empty` },
  });
  const { port, controlUrl, certificate } = await ready;
  const cert = await readFile(certificate ?? '', 'utf8');
  const controlPort = Number(new URL(`${controlUrl}`).port);
  using followed = await followEvents({ controlUrl });
  const service: string[] = [];
  const plain: string[] = [];
  const raw: string[] = [];
  for (const request of [CONFIGURED, WRONG].flatMap(requests)) {
    // Some clients are cut off: what they got until then counts too.
    service.push(
      await sendOverTls({ port, certificate: { cert } } as never, request).catch(String),
    );
    plain.push(await sendPlain({ port }, request).catch(String));
    raw.push(await sendPlain({ port: controlPort }, request).catch(String));
  }
  const responses: string[] = [];
  const snapshots: string[] = [];
  await control({ controlUrl }, 'POST /accounts', { headers: AS_JSON, body: { apiKey: CREATED } });
  for (const key of [CONFIGURED, WRONG]) {
    for (const [line, body] of ASKED) {
      for (const own of [{}, { apikey: key }, { authorization: `Bearer ${key}` }]) {
        const headers = { ...own, ...(body && AS_JSON) };
        const response = await control({ controlUrl }, line, { headers, body: body?.(key) });
        const told = line === 'GET /snapshot' ? snapshots : responses;
        told.push(JSON.stringify(response.headers) + response.text);
      }
    }
  }
  for (const own of [{}, { apikey: CONFIGURED }]) {
    const { text } = await control({ controlUrl }, 'GET /snapshot', { headers: own });
    const headers = { ...own, ...AS_JSON };
    const response = await control({ controlUrl }, 'PUT /snapshot', { headers, body: text });
    responses.push(`restored ${response.status} ${response.text}`);
    const { text: after } = await control({ controlUrl }, 'GET /snapshot', { headers: own });
    snapshots.push(text, after);
  }
  const page = await control({ controlUrl }, 'GET /', { headers: { accept: 'text/html' } });
  const journal = await control({ controlUrl }, 'GET /requests');
  const newest = (journal.json as { requests: { id: number }[] }).requests.at(-1);
  const events = await followed.until(`data: {"id":${newest?.id},`);
  const title = await readFile(`/proc/${child.pid}/cmdline`, 'utf8').catch(() => 'no /proc: node');
  child.kill('SIGTERM');
  const { stdout, stderr, code } = await ended;
  const files = await readdir(cwd, { recursive: true, withFileTypes: true });
  const kept = files.filter((entry) => entry.isFile() && entry.name !== 'snapshot.json');
  const read = kept.map(({ parentPath, name }) => readFile(join(parentPath, name), 'latin1'));
  return {
    service: service.join('\n'),
    plain: plain.join('\n'),
    raw: raw.join('\n'),
    responses: responses.join('\n'),
    snapshots: snapshots.join('\n'),
    snapshotFile: await readFile(join(cwd, 'snapshot.json'), 'utf8'),
    events,
    page: page.text,
    journal: journal.text,
    title,
    log: stdout,
    end: `${code} ${stderr}`,
    files: [...kept.map(({ name }) => name), ...(await Promise.all(read))].join('\n'),
  };
}

type Hunted = Awaited<ReturnType<typeof hunt>>;

describe('a command that gets a valid and an invalid key in every place', () => {
  let hunted: Promise<Hunted> | undefined;

  /** Where a key could come out, and what is only there if the requests came to that place. */
  const SURFACES: [surface: keyof Hunted, reached: RegExp, times?: number][] = [
    ['service', /^HTTP\/1\.1 200/gm, 4],
    ['service', /^HTTP\/1\.1 401/gm, 11],
    ['plain', /^HTTP\/1\.1 400/gm],
    ['raw', /^HTTP\/1\.1 40/gm],
    ['responses', /"code":"MOMO_MOCK_NOT_VERIFIED"/g],
    ['responses', /\{"\[redacted\]":"\[redacted\]"\}/g],
    ['responses', /^momo_mock_requests_total/gm],
    ['events', /^event: request$/gm, 101],
    ['responses', /"verif-hash":"\[redacted\]"/g, 6],
    ['responses', /"reason":"not-forged"/g],
    ['responses', /"sign":\{"secret":"\[redacted\]"/g],
    ['responses', /^restored 200 \{"leftOut":\[\]\}$/gm, 2],
    ['snapshots', /"key":"canary\+made/g],
    ['snapshots', /"sign\W+secret\W+canary\+sign/g],
    ['snapshots', /\[key [\da-f]{16} /g, 101],
    ['snapshotFile', /"key":"canary\+made/g],
    ['snapshotFile', /"sign\W+secret\W+canary\+sign/g],
    ['snapshotFile', /"webhooks":\[\{"id":.*\[key [\da-f]{16} /g],
    ['page', /<!doctype html>/gi],
    ['journal', /"id":/g, 101],
    ['journal', /"reason":"key-unknown"/g],
    ['title', /node/g],
    ['log', /\n/g, 51],
    ['log', /key-unknown/g],
    ['end', /^0 $/g],
    ['files', /BEGIN PRIVATE KEY/g],
  ];

  it.each(SURFACES)('shows neither: %s', async (surface, reached, times = 1) => {
    hunted ??= hunt();
    // The secrets of webhooks and the keys that tests created are in snapshots: they need them.
    const keys = surface.startsWith('snapshot') ? [CONFIGURED, WRONG] : undefined;
    expectNoKey((await hunted)[surface], reached, times, keys);
  });

  it('has a row in this test for each of its surfaces', async () => {
    hunted ??= hunt();
    expect(new Set(SURFACES.map(([name]) => name))).toEqual(new Set(Object.keys(await hunted)));
  });
});

/** Requests that carry a key where a setting says, and the key in other parts as well. */
const PLACED: readonly [place: string, head: (key: string) => string][] = [
  ['query:user', (key) => `GET /momo/balance?user=${encodeURIComponent(key)} HTTP/1.1`],
  ['header:X-User', (key) => `GET /momo/balance HTTP/1.1\r\nX-User: ${key}`],
  ['header:X-User', (key) => `GET /momo/balance?x-user=${encodeURIComponent(key)} HTTP/1.1`],
  ['bearer', (key) => `GET /momo/balance HTTP/1.1\r\nAuthorization: Bearer ${key}`],
  ['basic', (key) => `GET /momo/balance HTTP/1.1\r\nAuthorization: Basic ${btoa(`${key}:pass`)}`],
  ['none', (key) => `GET /momo/balance?apikey=${encodeURIComponent(key)} HTTP/1.1`],
];

it.each(PLACED)('a command whose key is in %s shows no key', async (place, head) => {
  const cwd = temporaryFolder();
  const flags = [...FREE_PORTS, '--log-level', 'trace', '--key-in', place];
  const { ready, output } = await spawnCommand(flags, { cwd, env: KEYS });
  const { port, controlUrl, certificate } = await ready;
  const cert = await readFile(certificate ?? '', 'utf8');
  const rest = (key: string) => `Referer: https://x/${key}\r\nHost: x\r\nConnection: close\r\n\r\n`;
  const responses: string[] = [];
  for (const key of [CONFIGURED, WRONG]) {
    for (const request of [`${head(key)}\r\n${rest(key)}`, ...requests(key)]) {
      responses.push(
        await sendOverTls({ port, certificate: { cert } } as never, request).catch(String),
      );
    }
  }
  const routes = ['GET /requests', 'GET /overview', 'GET /health', 'GET /accounts'];
  const told = await Promise.all(routes.map((route) => control({ controlUrl }, route)));
  expectNoKey(told.map(({ text }) => text).join('\n'), /"id":/g, requests('').length);
  expectNoKey(output(), /"status":(?:200|401|404)/g, requests('').length);
  expectNoKey(responses.join('\n'), /^HTTP\/1\.1 (?:200|401)/gm, 10);
});

/** Puts a token that it issues wherever a handler can, under names that are no secrets. */
const ISSUING = `export default async ({ body }, { issueToken, state, webhook, log, after }) => {
  const issued = await issueToken({ expiresIn: 60, claims: { note: 'claimed' } });
  await state.set('issued', { [issued]: issued, list: ['x' + issued + 'y'] });
  log.error('issued ' + issued);
  const url = 'http://127.0.0.1:1/' + issued + '?a=' + issued;
  webhook({ url, headers: { 'x-note': issued }, body: { note: issued }, retry: [3_600_000] });
  after(1, () => { throw new RangeError(issued); });
  return { headers: { 'x-note': issued }, body: { issued, note: 'x' + issued + 'y' } };
};`;

it('a command that issues a token shows it only in the response and in snapshots', async () => {
  const cwd = temporaryFolder();
  const needing = `export const token = 'bearer';\nexport default ({ body }) => ({ body: { note: body } });`;
  writeFiles(cwd, {
    'fixtures/issue.post.js': ISSUING,
    'fixtures/use.post.js': needing,
    'fixtures/errors/401.js': 'export default (request) => ({ body: { request } });',
  });
  const flags = [...FREE_PORTS, '--log-level', 'trace', '--key-in', 'basic,bearer'];
  const { ready, output } = await spawnCommand(flags, { cwd, env: { MOMO_MOCK_API_KEYS: 'shop' } });
  const { url, controlUrl, certificate } = await ready;
  const mock = { url, controlUrl, ca: await readFile(certificate ?? '', 'utf8') };
  using followed = await followEvents({ controlUrl });
  const login = { authorization: `Basic ${btoa('shop:pass')}` };
  const { json } = await send(mock, '/issue', { method: 'POST', headers: login });
  const { issued: token } = json as { issued: string };
  const refused: string[] = [];
  const use = async (parts: Record<string, string>, body: unknown = `a ${token}`) => {
    const headers = { authorization: `Bearer ${token}`, 'x-a': `a${token}b`, ...parts };
    const { status, text } = await send(mock, `/use?a=${token}`, { method: 'POST', headers, body });
    if (status !== 200) refused.push(text);
    return status;
  };
  expect(await use({})).toBe(200);
  expect(await use({}, 'x'.repeat(65_536 - 20) + token)).toBe(200);
  expect(await use({ authorization: login.authorization })).toBe(401);
  await send(mock, `/unknown/${token}`, { headers: { authorization: `Bearer ${token}` } });
  const ask = async (line: string, headers: Record<string, string> = {}, body?: unknown) =>
    (await control(mock, line, { headers, body })).text;
  const told = [
    ...(await Promise.all(
      ROUTES.filter((route) => route.startsWith('GET ')).map((route) =>
        ask(route, { apikey: 'shop' }),
      ),
    )),
    ...(await Promise.all(
      ROUTES.filter((route) =>
        /^GET \/(requests|webhooks|state|overview|accounts)/.test(route),
      ).map((route) => ask(route)),
    )),
    await ask('POST /finish?timeout=1', { apikey: 'shop' }, { body: token }),
    await ask('POST /verify', {}, { path: `/${token}` }),
    await ask('POST /verify', {}, { status: 418 }),
    await ask('PUT /state/a', {}, { note: token }),
    await ask('GET /state'),
    await ask('POST /responses', {}, { status: 500, body: token }),
    await ask('GET /responses'),
    await ask('GET /state', { apikey: token }),
    await ask('POST /clock', {}, { advance: 60_000 }),
  ];
  expect(await use({})).toBe(401);
  await ask('POST /reset', { apikey: 'shop' });
  expect(await use({})).toBe(401);
  told.push(await ask('GET /requests'), await ask('GET /requests/1'));
  const events = await followed.until('"reason":"token-expired"');
  const snapshot = told.find((text) => text.includes('"keyHash"')) ?? '';
  expect(snapshot).toContain(token);
  const others = told.filter((text) => text !== snapshot).join('\n');
  expectNoKey(others, /MOMO_MOCK_ACCOUNT_UNKNOWN/, 1, [token]);
  expectNoKey(others, /"\[redacted\]":"\[redacted\]"/, 1, [token]);
  expectNoKey(others, /x\[redacted\]y/, 1, [token]);
  expectNoKey(events, /"reason":"token-expired"/, 1, [token]);
  expectNoKey(refused.join('\n'), /"reason":"token-/, 3, [token]);
  await expect.poll(output).toContain('RangeError');
  expectNoKey(output(), /issued \[redacted\]/, 1, [token]);
});

const ASK = `const { MOMO_MOCK_URL: url, MOMO_MOCK_APIKEY: key } = process.env;
  for (const apikey of [key, 'canary+wrong/' + '1f2e3d4c='])
    await fetch(url + '/momo/balance?apikey=' + encodeURIComponent(apikey));`;
const RUN = ['run', '--log-level', 'trace'];
const NODE = [process.execPath, '--input-type=module', '-e'];

it.each<{ name: string; args: string[]; options: CommandOptions; code: number; says: RegExp }>([
  {
    name: 'a repeated key',
    args: FREE_PORTS,
    options: { env: { MOMO_MOCK_API_KEYS: `${CONFIGURED},${CONFIGURED}` } },
    code: 2,
    says: /Failed to read/,
  },
  {
    name: 'a key with a variant',
    args: FREE_PORTS,
    options: { env: { MOMO_MOCK_API_KEYS: 'canary+right/=0a9b8c7d' } },
    code: 2,
    says: /variant/,
  },
  {
    name: 'keys from standard input',
    args: [...FREE_PORTS, '--api-keys-file', '-'],
    options: { stdin: `${CONFIGURED}\n${CONFIGURED} x` },
    code: 2,
    says: /Failed to read/,
  },
  {
    name: 'unknown flags',
    args: [`--apikey=${CONFIGURED}`, `--api-keys=${encodeURIComponent(CONFIGURED)}`],
    options: {},
    code: 2,
    says: /--api/,
  },
  {
    name: 'a key as an argument of a flag',
    args: ['--api-keys', CONFIGURED],
    options: {},
    code: 2,
    says: /--api-keys/,
  },
  { name: 'a key as a command', args: [CONFIGURED], options: {}, code: 2, says: /command/ },
  {
    name: 'health',
    args: ['health', '--port', '1', '--control-port', '1'],
    options: { env: KEYS },
    code: 1,
    says: /Failed/,
  },
  { name: 'cert', args: ['cert'], options: { env: KEYS }, code: 0, says: /SHA-256/ },
  { name: 'help', args: ['--help'], options: { env: KEYS }, code: 0, says: /--port/ },
  {
    name: 'run',
    args: [...RUN, '--', ...NODE, ASK],
    options: { env: KEYS },
    code: 0,
    says: /2 requests: 1 × 200, 1 × 401 key-unknown/,
  },
  {
    name: 'run without a command',
    args: [...RUN, '--', CONFIGURED, WRONG],
    options: { env: KEYS },
    code: 127,
    says: /Failed/,
  },
  {
    name: 'run with a wrong placeholder',
    args: [...RUN, '--set', `X={${WRONG}}{x}`, '--', 'true'],
    options: { env: KEYS },
    code: 2,
    says: /--set/,
  },
  {
    name: 'run with half of --set',
    args: [...RUN, '--set', CONFIGURED, '--', 'true'],
    options: { env: KEYS },
    code: 2,
    says: /--set/,
  },
  {
    name: 'run without its proxy',
    args: [...RUN, '--set', `X={proxy}${CONFIGURED}`, '--control-port', 'off', '--', 'true'],
    options: { env: KEYS },
    code: 2,
    says: /--set X/,
  },
  {
    name: 'run with a stray word',
    args: [...RUN, CONFIGURED, '--', 'true'],
    options: { env: KEYS },
    code: 2,
    says: /--/,
  },
  {
    name: 'run with a proxy and no names',
    args: [...RUN, '--proxy', '--', 'true'],
    options: { env: KEYS },
    code: 2,
    says: /--proxy/,
  },
  {
    name: 'run that expects requests',
    args: [...RUN, '--expect-requests', '--', 'true'],
    options: { env: KEYS },
    code: 1,
    says: /request/,
  },
])('a command shows no key: $name', async ({ args, options, code, says }) => {
  const ended = await runCommand(args, options);
  expect(ended.code).toBe(code);
  expectNoKey(ended.stdout + ended.stderr, says);
});

describe('a mock of fixtures with a key in them', () => {
  const GUARD = {
    propertyNames: { maxLength: 3 },
    enum: [CONFIGURED],
    additionalProperties: false,
  };
  const SCHEMA = 'fixtures/momo/balance.get.schema.json';
  const BALANCE = {
    'fixtures/momo/balance.get.json': { [CONFIGURED]: { [CONFIGURED]: CONFIGURED } },
  };
  const GUARDED = /balance\.get\.json:1:\d+: .*must NOT have additional properties/s;

  it.each<[what: string, schema: object, says: RegExp]>([
    ['the file', GUARD, GUARDED],
    ['the schema', { $ref: `#/${CONFIGURED}` }, /it is not a usable JSON Schema/],
  ])('shows no key at a startup that rejects %s', async (_what, schema, says) => {
    const cwd = temporaryFolder();
    writeFiles(cwd, { ...BALANCE, [SCHEMA]: schema });
    expectNoKey((await runCommand(FREE_PORTS, { cwd, env: KEYS })).stderr, says);
  });

  it('shows no key at a reload that rejects the file', async () => {
    const cwd = temporaryFolder();
    writeFiles(cwd, BALANCE);
    const { ready, output } = await spawnCommand(FREE_PORTS, { cwd, env: KEYS });
    await ready;
    writeFiles(cwd, { [SCHEMA]: GUARD });
    await expect.poll(output).toContain('still served');
    expectNoKey(output(), GUARDED);
  });
});

describe('a mock in the test process', () => {
  async function asked(): Promise<MomoMock> {
    const mock = await startMomoMock({ apiKeys: [CONFIGURED] });
    const at = { port: Number(new URL(mock.url).port), certificate: { cert: mock.ca } };
    for (const request of [CONFIGURED, WRONG].flatMap(requests)) {
      await sendOverTls(at as never, request).catch(String);
    }
    return mock;
  }

  it('shows no key in its requests', async () => {
    await using mock = await asked();
    const told = [await mock.requests(), await mock.requests({ status: 401 })];
    expectNoKey(JSON.stringify(told), /"reason":"key-unknown"/);
  });

  it.each<[what: string, fail: (mock: MomoMock) => Promise<unknown>]>([
    ['an existing key', (mock) => mock.createAccount({ apiKey: CONFIGURED })],
    ['an impossible key', (mock) => mock.createAccount({ apiKey: `${WRONG} x` })],
    ['a variant', (mock) => mock.createAccount({ variant: WRONG })],
    ['an operation', (mock) => mock.respondWith({ operation: WRONG as never })],
    ['an unknown field', (mock) => mock.respondWith({ [WRONG]: 1 } as never)],
    ['a TLS mode', (mock) => mock.setTls(WRONG as never)],
    ['a missing request', (mock) => mock.verify({ status: 418 })],
    ['an expected key', (mock) => mock.verify({ path: `/${CONFIGURED}`, body: CONFIGURED })],
    ['an expected invalid key', (mock) => mock.verify({ query: { apikey: WRONG }, times: 0 })],
    ['another expected key', (mock) => mock.verify({ query: { apikey: `${WRONG}2` } })],
    ['a repeated key', () => startMomoMock({ apiKeys: [CONFIGURED, CONFIGURED, `${WRONG} x`] })],
    [
      'the variant of a key',
      () => startMomoMock({ apiKeys: [`${CONFIGURED.slice(0, -1)}=nothing`] }),
    ],
  ])('shows no key in its errors: %s', async (_what, fail) => {
    await using mock = await asked();
    const error: Error = await fail(mock).then(
      () => expect.unreachable(),
      (reason) => reason,
    );
    const told = [error.message, error.stack, error.cause];
    expectNoKey(JSON.stringify(told), /MomoMockError/);
  });
});

/** A value that only the client knows. */
const VALUE = 'kanarienvogel';

/** Bodies that no route takes. */
const BODIES: unknown[] = [
  `{"${VALUE}`,
  `"${VALUE}"`,
  [VALUE],
  { apiKey: `${VALUE} ${VALUE}` },
  { variant: VALUE },
  { mode: VALUE },
  { operation: VALUE },
  { headers: { [`${VALUE} `]: '' } },
  { headers: { [VALUE]: 1 } },
  { headers: { a: `${VALUE}\n` } },
  { fault: VALUE },
  { fault: { type: VALUE } },
  { delay: VALUE },
  { times: VALUE },
  { status: VALUE },
  { body: { [VALUE]: 1 } },
  [{ lose: VALUE, delay: VALUE, repeat: VALUE }],
  { set: VALUE, delete: VALUE },
  { set: { [`${VALUE}`.repeat(50)]: 1 } },
  { set: { [VALUE]: 1 }, delete: [VALUE] },
  { set: {}, delete: [`${VALUE}`.repeat(50)] },
  ODD_SNAPSHOT(VALUE),
  { version: 1, timers: 0, all: ODD_SNAPSHOT(VALUE).account, accounts: [{ id: VALUE }] },
  {
    version: 1,
    timers: 0,
    all: { responses: [{ response: `{"operation":"${VALUE}"}`, used: 0 }], variant: VALUE },
    accounts: [
      { id: VALUE, key: VALUE, used: '2026-01-01', initial: { variant: VALUE }, saved: {} },
    ],
  },
];

it.each([...CONSTANT, ...NOT_ROUTES])(
  '%s of the control API repeats no value of a request',
  async (route) => {
    const files = { 'momo/balance.get.schema.json': { required: ['balance'] } };
    const mock = await startServer(files, { CONTROL_TOKEN: 'token' });
    const before = mock.records.length;
    const [method, path] = route.replace(/ \/$/, ' ').split(' ');
    const authorization = 'Bearer token';
    const asked = (headers: Record<string, string>, body?: unknown, line = route) =>
      control(mock, line, { headers: { authorization, ...headers }, body });
    const responses = await Promise.all([
      asked({ authorization: `Bearer ${VALUE}` }),
      asked({ apikey: VALUE }),
      asked({ account: VALUE }),
      asked({ host: `${VALUE}.example` }),
      asked({ origin: `http://${VALUE}` }),
      asked({ 'content-type': VALUE }, VALUE),
      asked({ [VALUE]: VALUE, cookie: VALUE }),
      asked({ 'if-match': `"${VALUE}"` }, { set: {} }),
      asked({}, undefined, `${method} ${path}?apikey=${VALUE}`),
      asked({}, undefined, `${method} ${path}?reason=${VALUE}&status=${VALUE}`),
      asked({}, undefined, `${method} ${path}/${VALUE}`),
      asked({}, undefined, `${method} ${path}/%zz${VALUE}`),
      ...BODIES.map((body) => asked(AS_JSON, body)),
    ]);
    for (const { status, headers, text } of responses) {
      expect(JSON.stringify(headers) + text).not.toContain(VALUE);
      expect(status).toBeLessThan(500);
    }
    expect(JSON.stringify(mock.records.slice(before))).not.toContain(VALUE);
  },
);

/** URLs of webhooks with a key in the place of the password, as `new URL` takes them or not. */
const ODD_URLS = [
  'http:u:alice-key@localhost/',
  'http:\\\\u:alice-key@localhost\\x',
  'ht\ttp:///u:ali\tce-key@localhost/',
  '//u:alice-key@localhost/',
  'u:alice-key@localhost',
  'http://u:alice-key@[bad]/?token=alice-key',
];

const HOLDING = {
  balance: [],
  'alice-key': 'an alice-key',
  'b"': ['Alice-Key', 'alice%2Dkey'],
};
const HEADERS = { 'x-alice-key': 'alice-key' };
const LIMIT = { limit: 1000, window: 1000 };
const URL_WITH_KEYS =
  'http://u:alice-key@localhost:1/alice-key?alice-key=alice%2Dkey&x=alice-key#alice-key';

/** A mock that has a configured key in all that it can hold. */
async function full() {
  const call =
    'export default ({ body }, { webhook }) => { for (const one of body) webhook(one); };';
  const mock = await startServer({ 'momo/call.post.js': call }, { API_KEYS: 'alice-key' });
  const followed = await followEvents(mock);
  onTestFinished(() => followed[Symbol.dispose]());
  for (const headers of [{}, { apikey: 'alice-key' }]) {
    await control(mock, 'PUT /balance', { headers, body: HOLDING });
    const scripted = [
      { body: HOLDING, headers: HEADERS },
      { body: 'alice-key', times: 'always' },
    ];
    await control(mock, 'PUT /responses', { headers, body: scripted });
  }
  const { text } = await send(mock, '/momo/balance?apikey=alice-key', { headers: HEADERS });
  expect(text).toBe(JSON.stringify(HOLDING));
  for (const name of ['a', 'of%20alice-key']) {
    await control(mock, `PUT /state/${name}`, { body: HOLDING });
  }
  const sets = [{ b: 'alice-key [redacted]' }, { 'alice-key': 1 }, { b: { 'alice-key': '' } }];
  for (const set of sets) await control(mock, 'PATCH /state', { body: { set } });
  const signed = { sign: { header: 'x-alice-key', secret: 'alice-key' } };
  const webhooks = [
    ...ODD_URLS.map((url) => ({ url })),
    { url: URL_WITH_KEYS, headers: HEADERS, body: HOLDING, ...signed },
  ];
  await send(mock, '/momo/call?apikey=alice-key', { method: 'POST', body: webhooks });
  await mock.all.webhooks.find({ waitFor: webhooks.length });
  const asked = { title: 'alice-key', text: 'an Alice-Key, alice%2Dkey', choices: ['approve'] };
  mock.mock.account('alice-key').prompts.ask(asked, () => {}, {});
  return Object.assign(mock, { followed });
}

it.each([...ROUTES, ...NOT_ROUTES])(
  '%s of the control API shows no configured key, wherever the mock or the request has it',
  async (route) => {
    const mock = await full();
    const unknown = [
      { 'alice-key': 1 },
      [{ 'my-ALICE-key': 1 }],
      { delay: { 'alice-key': 1, min: 1 } },
      { body: { 'alice-key': 1 } },
      { balance: { 'alice-key': 1 } },
      { choice: 'alice-key' },
      HOLDING,
      { status: 418, path: '/alice-key', query: { x: 'alice-key' }, body: 'an alice-key' },
      { exactly: [{ headers: { 'alice-key': 'x' } }] },
      { attempt: 7, url: 'http://localhost/alice-key?x=alice-key', body: 'an alice-key' },
      { url: 'http://localhost/?alice-key=1' },
      [{ 'alice-key': 1 }],
      { set: { 'alice-key': 'alice-key' }, delete: ['alice-key'] },
      { set: { a: '[redacted] alice-key' } },
      ...ODD_URLS.map((url) => ({ url, attempt: 7 })),
      ODD_SNAPSHOT('alice-key'),
    ];
    const bodies = [
      undefined,
      { balance: 1 },
      { status: 500 },
      { mode: 'expired' },
      LIMIT,
      ...unknown,
    ];
    for (const body of bodies) {
      const response = await control(mock, route, { headers: { apikey: 'alice-key' }, body });
      expect(JSON.stringify(response.headers) + response.text).not.toMatch(/alice(-|%2D)key/i);
    }
    const [method, path] = route.split(' ');
    for (const query of ['', '?alice-key=1']) {
      const { text } = await control(mock, `${method} ${path}${query}`);
      expect(text).not.toContain('alice-key');
    }
  },
);

it('the stream of events shows no configured key', async () => {
  const mock = await full();
  const { json } = await control(mock, 'GET /webhooks');
  const { webhooks } = json as { webhooks: { id: number }[] };
  const text = await mock.followed.until(`event: webhook\ndata: {"id":${webhooks.at(-1)?.id},`);
  expect(text).toContain('"operation":"POST /momo/call"');
  const told = new Set(text.match(/^event: webhook\ndata: \{"id":\d+/gm));
  expect(told.size).toBe(ODD_URLS.length + 1);
  expect(text).not.toMatch(/alice(-|%2D)key/i);
});

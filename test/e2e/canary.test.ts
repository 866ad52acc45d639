import { mkdir, readdir, readFile, rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import {
  type Ended,
  emptyFolder,
  FREE_PORTS,
  runCommand,
  spawnCommand,
} from '../support/command.ts';
import { startMomoMock } from '../support/momo-mock.ts';
import { sendOverTls, sendPlain } from '../support/raw-connection.ts';

const CONFIGURED = 'canary+right/0a9b8c7d=';
const WRONG = 'canary+wrong/1f2e3d4c=';

/** Every way in which a key could reach the service, right or wrong. */
function requests(key: string): string[] {
  const coded = encodeURIComponent(key);
  const head = 'Host: x\r\nConnection: close\r\n\r\n';
  const targets = [
    `/momo/balance?apikey=${coded}`,
    `/momo/balance/?x=1&apikey=${coded}`,
    `/MOMO/balance?apikey=${coded}`,
    `/momo/balance?apikey=${coded}&apikey=${coded}`,
    `/momo/balance?apikey=${key}`,
    `/momo/balance?apikey[]=${coded}`,
    `/momo/balance?apiKey=${coded}`,
    `/momo/balance?${coded}&apikey=${coded}`,
    `/momo/balance?apikey=${coded}%zz`,
    `/momo/balance?apikey=${coded}%00`,
    `/${coded}`,
    `/momo/${coded}/balance?apikey=${coded}`,
    `/momo/balance/${key}`,
    `/momo/%zz${coded}`,
    `/momo/balance?apikey=${coded}&x=${'a'.repeat(20_000)}`,
    `https://${coded}/momo/balance?apikey=${coded}`,
    coded,
    `/momo/balance?apikey=${coded}#${coded}`,
  ];
  return [
    ...targets.map((target) => `GET ${target} HTTP/1.1\r\n${head}`),
    ...['POST', 'HEAD', 'OPTIONS', 'TRACE', 'CONNECT'].map(
      (method) => `${method} /momo/balance?apikey=${coded} HTTP/1.1\r\n${head}`,
    ),
    `CONNECT ${coded}:443 HTTP/1.1\r\n${head}`,
    `CONNECT x.test:443 HTTP/1.1\r\nProxy-Authorization: Bearer ${key}\r\n${head}`,
    `GET /momo/balance HTTP/1.1\r\napikey: ${key}\r\nAuthorization: Bearer ${key}\r\n${head}`,
    `GET /momo/balance HTTP/1.1\r\nCookie: apikey=${key}\r\nReferer: https://x/?apikey=${coded}\r\n${head}`,
    `GET /momo/balance?apikey=${coded} HTTP/1.1\r\nOrigin: https://${key}\r\n${head}`,
    ...bodies(key).map(
      ([type, body]) =>
        `POST /momo/balance HTTP/1.1\r\nContent-Type: ${type}\r\nContent-Length: ${body.length}\r\n${head}${body}`,
    ),
    `GET /momo/balance?apikey=${coded} HTTP/1.1\r\nbroken ${key}\r\n${head}`,
    `${coded} /momo/balance HTTP/1.1\r\n${head}`,
    `GET /momo/balance?apikey=${coded}\r\n\r\n`,
    `GET /momo/balance?apikey=${coded} HTTP/1.1\r\n\r\n`,
  ];
}

/** A key under the name of a secret in a body of each kind, and in one that is cut for the journal. */
function bodies(key: string): [type: string, body: string][] {
  const field = (name: string) =>
    `--b\r\nContent-Disposition: form-data; name="${name}"\r\n\r\n${key}\r\n`;
  return [
    ['application/json', JSON.stringify({ apikey: key })],
    ['application/json', JSON.stringify({ user: [{ password: key }], note: `x ${key} y` })],
    ['application/x-www-form-urlencoded', `x=1&api_key=${encodeURIComponent(key)}`],
    ['multipart/form-data; boundary=b', `${field('token')}${field('x')}--b--\r\n`],
    ['application/xml', `<a secret="${key}"><session>${key}</session><b>${key}</b></a>`],
    ['application/json', JSON.stringify({ apikey: key, text: key.repeat(10_000) })],
  ];
}

/** A key in all the shapes in which it could be found. */
function shapes(key: string): string[] {
  const bytes = Buffer.from(key);
  // Base64 depends on what stands before: the core of each of the three alignments.
  const base64 = [0, 1, 2].map((shift) =>
    Buffer.concat([Buffer.alloc(shift), bytes])
      .toString('base64')
      .slice(4, -4),
  );
  const raw = [
    key,
    encodeURIComponent(key),
    encodeURIComponent(encodeURIComponent(key)),
    JSON.stringify(key).slice(1, -1),
  ];
  return [
    ...raw,
    key.slice(7, -1),
    bytes.toString('hex'),
    ...base64,
    ...base64.map((text) => text.replaceAll('+', '-').replaceAll('/', '_')),
  ];
}

function found(text: string): string[] {
  const lower = text.toLowerCase();
  return [CONFIGURED, WRONG].flatMap(shapes).filter((shape) => lower.includes(shape.toLowerCase()));
}

test('the search finds a key in each of its shapes', () => {
  for (const key of [CONFIGURED, WRONG]) {
    for (const text of [
      key,
      encodeURIComponent(key),
      `x${Buffer.from(`?apikey=${key}&a`).toString('base64')}`,
    ]) {
      expect(found(text)).not.toEqual([]);
    }
  }
});

test('no key, right or wrong, comes out anywhere', async () => {
  const cwd = await emptyFolder();
  const spawned = await spawnCommand([...FREE_PORTS, '--log-level', 'trace'], {
    cwd,
    env: { MOMO_MOCK_API_KEYS: `${CONFIGURED},other=empty` },
  });
  const { port, controlUrl, certificate: file } = await spawned.ready;
  const mock = { port, certificate: { cert: await readFile(file ?? '', 'utf8') } };
  const answers: string[] = [];
  for (const key of [CONFIGURED, WRONG]) {
    for (const request of requests(key)) {
      // Some clients are cut off: what they got until then counts too.
      answers.push(await sendOverTls(mock as never, request).catch(String));
      answers.push(await sendPlain({ port }, request).catch(String));
      answers.push(
        await sendPlain({ port: Number(new URL(controlUrl ?? '').port) }, request).catch(String),
      );
    }
  }
  expect(answers.filter((answer) => answer.startsWith('HTTP/1.1 200')).length).toBeGreaterThan(3);
  expect(answers.filter((answer) => answer.startsWith('HTTP/1.1 401')).length).toBeGreaterThan(10);
  for (const key of [CONFIGURED, WRONG]) {
    for (const [method, path, body] of CONTROL) {
      for (const headers of [{}, { apikey: key }, { authorization: `Bearer ${key}` }]) {
        answers.push(await askControl(`${controlUrl}${path}`, method, headers, body?.(key)));
      }
    }
  }
  const journal = await askControl(`${controlUrl}/requests`, 'GET', {});
  expect(JSON.parse(journal).requests.length).toBeGreaterThan(100);
  answers.push(journal);
  const title = await readFile(`/proc/${spawned.child.pid}/cmdline`, 'utf8').catch(() => '');
  spawned.child.kill('SIGTERM');
  const { stdout, stderr, code } = await spawned.ended;
  expect(code).toBe(0);
  expect(stdout.split('\n').length).toBeGreaterThan(50);
  const files = await readdir(cwd, { recursive: true, withFileTypes: true });
  const kept = await Promise.all(
    files
      .filter((entry) => entry.isFile())
      .map((entry) => readFile(join(entry.parentPath, entry.name), 'latin1')),
  );
  for (const text of [stdout, stderr, title, ...answers, ...kept]) expect(found(text)).toEqual([]);
});

test('no key comes out of a start that fails, or of another command', async () => {
  const keys = { MOMO_MOCK_API_KEYS: `${CONFIGURED},${CONFIGURED}` };
  const coded = encodeURIComponent(CONFIGURED);
  const ends: Promise<Ended>[] = [
    runCommand(FREE_PORTS, { env: keys }),
    runCommand(FREE_PORTS, { env: { MOMO_MOCK_API_KEYS: 'canary+right/=0a9b8c7d' } }),
    runCommand([...FREE_PORTS, '--api-keys-file', '-'], {
      stdin: `${CONFIGURED}\n${CONFIGURED} x`,
    }),
    runCommand([`--apikey=${CONFIGURED}`, `--api-keys=${coded}`]),
    runCommand(['--api-keys', CONFIGURED]),
    runCommand([CONFIGURED]),
    runCommand(['health', '--port', '1', '--control-port', '1'], {
      env: { MOMO_MOCK_API_KEYS: CONFIGURED },
    }),
    runCommand(['cert'], { env: { MOMO_MOCK_API_KEYS: CONFIGURED } }),
    runCommand(['--help'], { env: { MOMO_MOCK_API_KEYS: CONFIGURED } }),
  ];
  for (const { stdout, stderr } of await Promise.all(ends))
    expect(found(stdout + stderr)).toEqual([]);
});

test('no key in a fixture file comes out of a start or a reload that rejects the file', async () => {
  const cwd = await emptyFolder();
  const file = join(cwd, 'fixtures/momo/balance.get.json');
  const schema = {
    propertyNames: { maxLength: 3 },
    enum: [CONFIGURED],
    additionalProperties: false,
  };
  await mkdir(join(cwd, 'fixtures/momo'), { recursive: true });
  await writeFile(file, JSON.stringify({ [CONFIGURED]: { [CONFIGURED]: CONFIGURED } }));
  const schemaFile = join(cwd, 'fixtures/momo/balance.get.schema.json');
  await writeFile(schemaFile, JSON.stringify(schema));
  const options = { cwd, env: { MOMO_MOCK_API_KEYS: CONFIGURED } };
  const rejected = await runCommand(FREE_PORTS, options);
  await writeFile(schemaFile, JSON.stringify({ $ref: `#/${CONFIGURED}` }));
  const noSchema = await runCommand(FREE_PORTS, options);
  await rm(schemaFile);
  const running = await spawnCommand(FREE_PORTS, options);
  await running.ready;
  await writeFile(schemaFile, JSON.stringify(schema));
  await expect.poll(running.output).toContain('still served');
  for (const text of [rejected.stderr, running.output()]) {
    expect(text).toContain('must NOT have additional properties');
    expect(text).toMatch(/balance\.get\.json:1:\d+: /);
  }
  expect(noSchema.stderr).toContain('it is not a usable JSON Schema');
  for (const text of [rejected.stderr, noSchema.stderr, running.output()]) {
    expect(found(text)).toEqual([]);
  }
});

test('no key comes out of a run, whatever is wrong with it', async () => {
  const env = { MOMO_MOCK_API_KEYS: CONFIGURED };
  const run = (...args: string[]) => runCommand(['run', '--log-level', 'trace', ...args], { env });
  const ask = `const { MOMO_MOCK_URL: url, MOMO_MOCK_APIKEY: key } = process.env;
    for (const apikey of [key, 'canary+wrong/' + '1f2e3d4c='])
      await fetch(url + '/momo/balance?apikey=' + encodeURIComponent(apikey));`;
  const node = [process.execPath, '--input-type=module', '-e'];
  const ends = await Promise.all([
    run('--', ...node, ask),
    run('--', CONFIGURED, WRONG),
    run('--set', `X={${WRONG}}{x}`, '--', 'true'),
    run('--set', CONFIGURED, '--', 'true'),
    run('--set', `X={proxy}${CONFIGURED}`, '--control-port', 'off', '--', 'true'),
    run(CONFIGURED, '--', 'true'),
    run('--proxy', '--', 'true'),
    run('--expect-requests', '--', 'true'),
  ]);
  expect(ends.map(({ code }) => code)).toEqual([0, 127, 2, 2, 2, 2, 2, 1]);
  expect(ends[0]?.stderr).toContain('2 requests: 1 × 200, 1 × 401 key-unknown');
  for (const { stdout, stderr } of ends) expect(found(stdout + stderr)).toEqual([]);
});

test('no key comes out of a mock in the process of the test', async () => {
  const mock = await startMomoMock({ apiKeys: [CONFIGURED] });
  const { port } = new URL(mock.url);
  const at = { port: Number(port), certificate: { cert: mock.ca } };
  for (const key of [CONFIGURED, WRONG]) {
    for (const request of requests(key)) await sendOverTls(at as never, request).catch(String);
  }
  const told: unknown[] = [await mock.requests(), await mock.requests({ status: 401 })];
  const failures = [
    mock.createAccount({ apikey: CONFIGURED }),
    mock.createAccount({ apikey: `${WRONG} x` }),
    mock.createAccount({ variant: WRONG }),
    mock.respondWith({ operation: WRONG }),
    mock.respondWith({ [WRONG]: 1 } as never),
    mock.setTls(WRONG as never),
    mock.verify({ status: 418 }),
    mock.verify({ path: `/${CONFIGURED}`, body: CONFIGURED }),
    mock.verify({ query: { apikey: WRONG } }),
    startMomoMock({ apiKeys: [CONFIGURED, CONFIGURED, `${WRONG} x`] }),
    startMomoMock({ apiKeys: [`${CONFIGURED.slice(0, -1)}=nothing`] }),
  ];
  for (const failed of await Promise.allSettled(failures)) {
    expect(failed.status).toBe('rejected');
    const { reason } = failed as PromiseRejectedResult;
    told.push(reason.message, reason.stack, reason.cause);
  }
  await mock.close();
  expect(JSON.stringify(told[0]).length).toBeGreaterThan(1000);
  for (const text of told) expect(found(JSON.stringify(text) ?? '')).toEqual([]);
});

/** What the control API is asked, with a key wherever there is room for one. */
const CONTROL: [method: string, path: string, body?: (key: string) => string][] = [
  ['GET', '/health'],
  ['GET', '/certificate'],
  ['GET', '/openapi.json'],
  ['GET', '/requests'],
  ['GET', '/requests?status=401'],
  ['GET', '/requests/1'],
  ['GET', '/requests/2'],
  ['GET', '/responses'],
  ['GET', '/balance'],
  ['GET', '/tls'],
  ['POST', '/accounts', (key) => JSON.stringify({ apikey: key, nonsense: key })],
  ['POST', '/accounts', (key) => JSON.stringify({ variant: key })],
  ['POST', '/responses', (key) => JSON.stringify({ operation: key })],
  ['POST', '/responses', (key) => JSON.stringify({ [key]: 1 })],
  ['POST', '/responses', (key) => `{"broken ${key}`],
  ['POST', '/verify', () => '{"status":418}'],
  ['POST', '/verify', (key) => JSON.stringify({ query: { apikey: key } })],
  ['POST', '/verify', (key) => JSON.stringify({ body: { password: [key] } })],
  ['POST', '/verify', (key) => JSON.stringify({ [key]: 1 })],
  ['PUT', '/tls', (key) => JSON.stringify({ mode: key })],
  ['GET', '/state'],
  // A value that a test sets is shown, apart from configured keys.
  ['PUT', '/state/a', () => JSON.stringify({ [CONFIGURED]: CONFIGURED })],
  ['PATCH', '/state', () => JSON.stringify({ set: { b: [CONFIGURED] } })],
  ['GET', '/state/a'],
  ['PUT', '/state/a', (key) => JSON.stringify(`[redacted] ${key}`)],
  ['PATCH', '/state', (key) => JSON.stringify({ set: { a: { [key]: '[redacted]' } } })],
  ['PATCH', '/state', (key) => JSON.stringify({ set: { [key]: 1 }, delete: [key] })],
  ['PATCH', '/state', (key) => JSON.stringify({ [key]: 1 })],
  ['GET', '/callbacks'],
  ['POST', '/verify/callbacks', (key) => JSON.stringify({ url: `http:u:${key}@localhost/` })],
  ['PUT', '/nothing', (key) => JSON.stringify(key)],
];

async function askControl(
  url: string,
  method: string,
  headers: Record<string, string>,
  body?: string,
): Promise<string> {
  const type = body === undefined ? {} : { 'content-type': 'application/json' };
  const response = await fetch(url, {
    method,
    headers: { ...type, ...headers },
    ...(body !== undefined && { body }),
  });
  return await response.text();
}

import { execFileSync } from 'node:child_process';
import { existsSync, lstatSync, readFileSync, symlinkSync, writeFileSync } from 'node:fs';
import { readFile } from 'node:fs/promises';
import type { ServerResponse } from 'node:http';
import { join } from 'node:path';
import { stripVTControlCharacters } from 'node:util';
import { describe, expect, it } from 'vitest';
import { run } from '../support/command-in-process.ts';
import { type Files, temporaryFolder, writeFiles } from '../support/fixture-folder.ts';
import { startMock } from '../support/mock.ts';
import {
  alsoOverPlainHttp,
  KEY,
  runReal,
  sendJson,
  sendText,
  startReal,
  startRealServer,
} from '../support/real-service.ts';

const BALANCE = { success: true, message: '', balance: [{ amount: 2000, currency: 'XOF' }] };
const STATED = `401 without a key: same
401 with an unknown key: same
no plain HTTP: same
`;

/** A folder with these fixtures, as an argument. */
function over(files: Files): string[] {
  const folder = temporaryFolder();
  writeFiles(folder, files);
  return ['--fixtures-dir', folder];
}

/** Checks one operation, `GET /momo/x`, of a tree against a service with this response. */
async function checkX(files: Files, response: unknown, ...flags: string[]) {
  const real = await startReal({ '/momo/x': response });
  const args = [...over(files), '--operation', 'GET /momo/x', ...flags];
  const { code, stdout, stderr } = await runReal('check', real, ...args);
  const [result = '', ...findings] = stdout.trimEnd().split('\n');
  return { code, result, findings: findings.map((line) => line.trim()), stderr };
}

describe('momo-mock as the real service', () => {
  it('keeps the contract, and with its key has the shape of its fixtures', async () => {
    const mock = await startMock({ 'momo/status/[reference].get.json': { status: 'PENDING' } });
    const ca = join(temporaryFolder(), 'ca.pem');
    writeFileSync(ca, mock.ca);
    const trust = ['--real-url', mock.url, '--real-ca-file', ca];
    const flags = ['check', ...trust, '--fixtures-dir', mock.folder];
    expect(await run(flags)).toEqual({
      code: 0,
      stdout: `${STATED}GET /momo/balance: not checked: it needs MOMO_MOCK_REAL_KEY
GET /momo/status/:reference: not checked: it needs MOMO_MOCK_REAL_KEY
`,
      stderr: '',
    });
    const env = { MOMO_MOCK_REAL_KEY: mock.apiKey };
    expect(await run([...flags, '--param', 'reference=7f3a'], { env })).toEqual({
      code: 0,
      stdout: `${STATED}GET /momo/balance: same\nGET /momo/status/:reference: same\n`,
      stderr: '',
    });
    const sent = await mock.requests({ status: 200 });
    expect(sent.map(({ path }) => path)).toEqual(['/momo/balance', '/momo/status/7f3a']);
  });
});

describe('the contract', () => {
  it.each<[string, (response: ServerResponse) => void, string]>([
    [
      'a success without a key',
      (response) => sendJson(response, BALANCE),
      'breaking  status: expected 401, received 200',
    ],
    [
      'another code',
      (response) => sendJson(response, { code: 'FORBIDDEN' }, 401),
      'breaking  body: expected a member that is UNAUTHORIZED, received no member',
    ],
    [
      'a redirect',
      (response) => response.writeHead(302, { location: '/login' }).end(),
      'breaking  status: expected 401, received 302',
    ],
  ])('is broken by %s', async (_what, respond, finding) => {
    const real = await startRealServer((_request, response) => respond(response));
    const { code, stdout, stderr } = await run(['check', ...real.flags]);
    expect({ code, stderr }).toEqual({ code: 1, stderr: '' });
    for (const name of ['401 without a key', '401 with an unknown key']) {
      expect(stdout).toContain(`${name}: DRIFT\n  ${finding}\n`);
    }
    // Each once: no redirect is followed.
    expect(real.requests).toEqual([
      'GET /momo/balance',
      expect.stringMatching(/^GET \/momo\/balance\?apikey=mock-/),
    ]);
  });

  it.each([
    ['a demand for a key', 'HTTP/1.1 401 Unauthorized', 1],
    ['a success', 'HTTP/1.1 200 OK', 1],
    ['a redirect to HTTPS', 'HTTP/1.1 301 Moved', 0],
    ['an error', 'HTTP/1.1 400 Bad Request', 0],
  ])('over plain HTTP with %s ends with exit code %s', async (_what, line, code) => {
    const real = await alsoOverPlainHttp(
      await startReal({}),
      `${line}\r\ncontent-length: 0\r\n\r\n`,
    );
    const ended = await run(['check', ...real.flags]);
    const drift =
      'DRIFT\n  breaking  http: expected no service over plain HTTP, received a response\n';
    expect(ended).toMatchObject({ code, stderr: '' });
    expect(ended.stdout.includes(`no plain HTTP: ${drift}`)).toBe(code === 1);
  });
});

describe('in a comparison of a body with its fixture,', () => {
  const fixture = {
    id: '7d9f7f0e-7a52-4a3d-8a53-0f3f0d6f4b11',
    amount: 2000,
    text: '1000.00',
    day: '2026-01-31',
    note: 'paid',
    currency: 'XOF',
    parts: [{ fee: 1.5, to: null }],
    phones: { '22990000001': { name: 'a' } },
  };

  it.each<[string, (body: typeof fixture) => unknown, string]>([
    [
      'another type',
      (body) => ({ ...body, amount: '2000' }),
      'amount: expected integer, received string (decimal)',
    ],
    [
      'a fraction',
      (body) => ({ ...body, amount: 0.5 }),
      'amount: expected integer, received number',
    ],
    [
      'a text that is not a number',
      (body) => ({ ...body, text: 'much' }),
      'text: expected string (decimal), received string',
    ],
    ['null', (body) => ({ ...body, note: null }), 'note: expected string, received null'],
    [
      'a missing null',
      (body) => ({ ...body, parts: [{ fee: 1, to: 'x' }] }),
      'parts[].to: expected null, received string',
    ],
    ['another list', (body) => ({ ...body, parts: {} }), 'parts: expected array, received object'],
    [
      'another map',
      (body) => ({ ...body, phones: { '22990000002': { name: 5 } } }),
      'phones.*.name: expected string, received integer',
    ],
    ['another type of the whole body', () => [], 'body: expected object, received array'],
    [
      'another currency',
      (body) => ({ ...body, currency: 'cfa' }),
      'currency: expected string (currency code), received string',
    ],
  ])('%s is a breaking difference', async (_what, changed, finding) => {
    const checked = await checkX({ 'momo/x.get.json': fixture }, changed(fixture));
    const result = 'GET /momo/x: DRIFT';
    expect(checked).toEqual({ code: 1, result, findings: [`breaking  ${finding}`], stderr: '' });
  });

  it('each difference is reported once, however many elements have it', async () => {
    const parts = Array.from({ length: 50 }, () => ({ fee: 'x', to: null }));
    const { findings } = await checkX({ 'momo/x.get.json': fixture }, { ...fixture, parts });
    expect(findings).toEqual(['breaking  parts[].fee: expected number, received string']);
  });

  it.each<[string, unknown, string]>([
    ['a member', { a: 1, b: '2026-01-31' }, 'b: expected no member, received string (date)'],
    ['names that are data', { a: 1, '22990000001': 1 }, '*: expected no member, received integer'],
    [
      'names that are data beside others',
      { a: 1, '22990000001': 1, alice: 1 },
      '*: expected no member, received integer',
    ],
  ])(
    '%s is an additive difference, which fails only with --strict',
    async (_what, body, finding) => {
      const findings = [`additive  ${finding}`];
      const files = { 'momo/x.get.json': { a: 1 } };
      expect(await checkX(files, body)).toMatchObject({
        code: 0,
        result: 'GET /momo/x: same',
        findings,
      });
      const strict = await checkX(files, body, '--strict');
      expect(strict).toMatchObject({ code: 1, result: 'GET /momo/x: DRIFT', findings });
    },
  );

  it('an empty list is reported, because its elements are not compared', async () => {
    const { code, findings } = await checkX({ 'momo/x.get.json': [{ a: 1 }] }, []);
    expect(code).toBe(0);
    expect(findings).toEqual(['unchecked  []: expected elements, received an empty list']);
  });
});

describe('check', () => {
  it('prefers a schema over the file, with all its rules', async () => {
    const schema = {
      required: ['a', 'b'],
      properties: {
        a: { type: 'number', minimum: 5 },
        b: { anyOf: [{ type: 'string' }, { type: 'null' }] },
        c: { $ref: '#/definitions/c' },
        d: { enum: ['x'] },
      },
      additionalProperties: false,
      definitions: { c: { type: 'object', required: ['d'], properties: { d: {} } } },
    };
    const files = {
      'momo/x.get.json': { a: 5, b: null },
      'momo/x.get.schema.json': schema,
    };
    const { findings } = await checkX(files, { a: 4, b: 5, c: {}, d: 'z', e: 1 });
    expect(findings).toEqual([
      'breaking  a: expected a value that minimum in the schema allows, received integer',
      'breaking  b: expected a value that anyOf in the schema allows, received integer',
      'breaking  c.d: expected a member, received no member',
      'breaking  d: expected a value that enum in the schema allows, received string',
      'additive  e: expected no member, received integer',
    ]);
  });

  it.each<[string, object, string[]]>([
    ['an open object', { properties: { a: {} }, additionalProperties: true }, []],
    ['no names', { type: 'object' }, []],
    ['no allowed names', { additionalProperties: false }, ['a', 'x-b', 'c']],
    ['names by pattern', { properties: { a: {} }, patternProperties: { '^x-': {} } }, ['c']],
    [
      'only names by pattern',
      { patternProperties: { '^x-': {} }, additionalProperties: false },
      ['a', 'c'],
    ],
  ])('finds the new members for a schema with %s', async (_what, schema, names) => {
    const files = {
      'momo/x.get.js': 'export default () => ({});',
      'momo/x.get.schema.json': schema,
    };
    expect(await checkX(files, { a: 1, 'x-b': 1, c: 1 })).toMatchObject({
      code: 0,
      findings: names.map((name) => `additive  ${name}: expected no member, received integer`),
    });
  });

  it('compares the status, the content type and the header names of a whole response', async () => {
    const files = {
      'momo/x.get.http': 'HTTP/1.1 200 OK\ncontent-type: text/plain\nx-id: 1\nx-more: 2\n\nfine',
    };
    const good = { 'content-type': 'text/plain; charset=utf-8', 'x-id': '2', 'x-more': '3' };
    expect(await checkX(files, sendText('good', good))).toMatchObject({ code: 0, findings: [] });
    expect(
      (await checkX(files, sendText('<p>', { 'content-type': 'text/html', 'x-id': '' }))).findings,
    ).toEqual([
      'breaking  content-type: expected text/plain, received text/html',
      'breaking  header x-more: expected a value, received no header',
    ]);
    expect((await checkX(files, sendText('', good, 404))).findings).toEqual([
      'breaking  status: expected 200, received 404',
    ]);
  });

  it('compares the body of an error with its file, not with the schema', async () => {
    const files = {
      'momo/x.get.json': { a: 1 },
      'momo/x.get.schema.json': { type: 'object', required: ['a'] },
      'momo/x.get.gone.http': 'HTTP/1.1 404 Not Found\ncontent-type: application/json\n\n{"b":1}',
    };
    const response = sendText('{"b":2}', { 'content-type': 'application/json' }, 404);
    expect(await checkX(files, response, '--variant', 'gone')).toMatchObject({ code: 0 });
  });

  it('sends its name to the real service', async () => {
    const agents: unknown[] = [];
    const real = await startRealServer(({ headers }, response) => {
      agents.push(headers['user-agent']);
      sendJson(response, {});
    });
    await runReal('check', real, ...over({}), '--operation', 'GET /momo/balance');
    const { version } = JSON.parse(readFileSync('package.json', 'utf8'));
    expect(agents).toEqual([`momo-mock/${version}`]);
  });

  it('compares with the file that --variant selects', async () => {
    const files = { 'momo/x.get.json': { a: 1 }, 'momo/x.get.list.json': [1] };
    expect(await checkX(files, [2])).toMatchObject({ code: 1 });
    expect(await checkX(files, [2], '--variant', 'list')).toMatchObject({ code: 0, findings: [] });
  });

  it('compares a handler with its schema, and reports one without a schema', async () => {
    const files = { 'momo/x.get.js': 'export default () => ({ body: { a: 1 } });' };
    expect(await checkX(files, { a: 1 })).toEqual({
      code: 3,
      result: 'GET /momo/x: not checked: a handler responds, and there is no schema',
      findings: [],
      stderr: 'Failed to check: no operation was compared. The lines above say why.\n',
    });
    const schema = { properties: { a: { type: 'string' } } };
    expect(await checkX({ ...files, 'momo/x.get.schema.json': schema }, { a: 1 })).toMatchObject({
      code: 1,
      findings: ['breaking  a: expected string, received integer'],
    });
  });

  it('a scripted response is checked if it is the default, and not if it is a variant', async () => {
    const files = {
      'momo/x.get.response.json': { status: 201, body: { a: 1 } },
      'momo/x.get.slow.response.json': { delay: 1 },
    };
    expect(await checkX(files, { a: 1 })).toMatchObject({
      code: 1,
      findings: ['breaking  status: expected 201, received 200'],
    });
    const { 'momo/x.get.response.json': _, ...slow } = files;
    const ok = { ...slow, 'momo/x.get.response.json': { body: { a: 1 } } };
    expect(await checkX(ok, { a: 2 })).toMatchObject({ code: 0, findings: [] });
    expect(await checkX(ok, { a: 'x' })).toMatchObject({
      code: 1,
      findings: ['breaking  a: expected integer, received string'],
    });
    expect(await checkX(ok, { a: 2 }, '--variant', 'slow')).toMatchObject({
      result: 'GET /momo/x: not checked: its variant is a scripted response',
    });
  });

  it('builds the request from --param and --query', async () => {
    const real = await startReal({ '/momo/x/a%2Fb': { a: 1 } });
    const files = over({ 'momo/x/[id].get.json': { a: 1 } });
    const which = ['--operation', 'GET /momo/x/[id]', '--param', 'id=a/b', '--query', 'to=1&2'];
    expect(await runReal('check', real, ...files, ...which)).toMatchObject({ code: 0 });
    expect(real.requests).toEqual([`GET /momo/x/a%2Fb?to=1%262&apikey=${encodeURIComponent(KEY)}`]);
  });
});

describe('check ends with exit code 3 and one sentence for a service', () => {
  const later = 'Try again later.';

  it.each<[string, unknown, string]>([
    [
      'refuses the key',
      sendText('{}', {}, 401),
      'the real service refused the key (401). Correct MOMO_MOCK_REAL_KEY.',
    ],
    ['limits requests', sendText('', {}, 429), `the real service responded with 429. ${later}`],
    ['fails', sendText('', {}, 500), `the real service responded with 500. ${later}`],
    [
      'hangs up',
      (_request: unknown, response: ServerResponse) => response.destroy(),
      'the connection to the real service failed (ECONNRESET). Check --real-url and the network.',
    ],
    [
      'breaks off its response',
      (_request: unknown, response: ServerResponse) => {
        response.writeHead(200, { 'content-length': 10 }).write('{', () => response.destroy());
      },
      'the connection to the real service failed. Check --real-url and the network.',
    ],
    [
      'never ends its response',
      (_request: unknown, response: ServerResponse) => {
        const more = () => {
          while (!response.destroyed && response.write('x'.repeat(65_536)));
        };
        response.on('drain', more);
        more();
      },
      'the response is larger than 10 MiB. Request fewer items, such as with --query limit=10.',
    ],
  ])('that %s', async (_what, response, sentence) => {
    expect(await checkX({ 'momo/x.get.json': {} }, response)).toEqual({
      code: 3,
      result: 'GET /momo/x: could not be checked',
      findings: [],
      stderr: `Failed to check GET /momo/x: ${sentence}\n`,
    });
  });

  it.each<[string, unknown, string[]]>([
    [
      'HTML',
      sendText('<html>', { 'content-type': 'text/html' }),
      [
        'breaking  content-type: expected application/json, received text/html',
        'breaking  body: expected JSON, received a body that is not JSON',
      ],
    ],
    ['nothing', sendText(''), ['breaking  body: expected JSON, received no body']],
    [
      'too many levels',
      sendText('['.repeat(101) + ']'.repeat(101)),
      ['breaking  body: expected JSON, received a body that is not JSON'],
    ],
    [
      'a redirect',
      sendText('', { location: '/y' }, 302),
      ['breaking  status: expected 200, received 302'],
    ],
  ])('but with exit code 1 for %s', async (_what, response, findings) => {
    expect(await checkX({ 'momo/x.get.json': {} }, response)).toMatchObject({ code: 1, findings });
  });

  it('that limits requests, after one repeated request', async () => {
    let calls = 0;
    const respond = (request: never, response: ServerResponse) => {
      calls++;
      const isFirst = calls === 1;
      const moment = new Date(Date.now() - 1000).toUTCString();
      if (isFirst) sendText('', { 'retry-after': moment }, 503)(request, response);
      else sendJson(response, {});
    };
    expect(await checkX({ 'momo/x.get.json': {} }, respond)).toMatchObject({ code: 0, stderr: '' });
    expect(calls).toBe(2);
  });

  it('whose certificate nobody signed, whatever the environment says', async () => {
    const real = await startReal({});
    const env = { NODE_TLS_REJECT_UNAUTHORIZED: '0' };
    const { code, stdout, stderr } = await run(['check', '--real-url', real.url], { env });
    const sentence =
      'the certificate of the real service cannot be verified (DEPTH_ZERO_SELF_SIGNED_CERT). Check --real-url. If the real service uses a private CA, set MOMO_MOCK_REAL_CA_FILE.';
    expect(code).toBe(3);
    expect(stdout).toContain('401 without a key: could not be checked\n');
    expect(stderr).toContain(`Failed to check 401 without a key: ${sentence}\n`);
    expect(real.requests).toEqual([]);
  });

  it.each([
    ['expired', 'CERT_HAS_EXPIRED'],
    ['wrong-host', 'ERR_TLS_CERT_ALTNAME_INVALID'],
    ['untrusted', 'DEPTH_ZERO_SELF_SIGNED_CERT'],
  ] as const)('with a certificate that is %s', async (mode, code) => {
    const mock = await startMock();
    const ca = join(temporaryFolder(), 'ca.pem');
    writeFileSync(ca, mock.ca);
    await mock.setTls(mode);
    const ended = await run(['check', '--real-url', mock.url, '--real-ca-file', ca]);
    expect(ended.code).toBe(3);
    expect(ended.stderr).toContain(
      `the certificate of the real service cannot be verified (${code})`,
    );
    expect(await mock.requests({ path: '/momo/balance' })).toEqual([]);
  });

  it('but with exit code 1 for a difference, whatever else could not be checked', async () => {
    const real = await startReal({ '/momo/balance': {}, '/momo/x': sendText('', {}, 500) });
    expect(await runReal('check', real, ...over({ 'momo/x.get.json': {} }))).toMatchObject({
      code: 1,
    });
  });

  it('with fixtures that cannot be read', async () => {
    const real = await startReal({});
    const { code, stderr } = await runReal('check', real, ...over({ 'momo/x.get.json': '{' }));
    expect({ code, stderr }).toEqual({
      code: 3,
      stderr: expect.stringMatching(/^Failed to read .+x\.get\.json:1:/),
    });
  });
});

describe('check ends with exit code 3 if it could compare nothing with a key', () => {
  it('even if it could check the contract', async () => {
    const real = await startReal({});
    const files = over({
      'momo/balance.get.js': 'export default () => ({});',
      'momo/x/[id].get.json': {},
      'momo/y.post.json': {},
    });
    expect(await runReal('check', real, ...files)).toEqual({
      code: 3,
      stdout: `${STATED}GET /momo/balance: not checked: a handler responds, and there is no schema
GET /momo/x/:id: not checked: it needs --param id=…
POST /momo/y: not checked: only GET requests are sent
`,
      stderr: 'Failed to check: no operation was compared. The lines above say why.\n',
    });
  });
});

describe('the reports of check', () => {
  /** A service that has drifted, one operation that fails, and one that is skipped. */
  async function drifted() {
    const real = await startReal({
      '/momo/balance': { ...BALANCE, message: 5 },
      '/momo/x': sendText('', {}, 500),
    });
    return { real, files: over({ 'momo/x.get.json': {}, 'momo/<y>.post.json': {} }) };
  }
  const FAILED =
    'Failed to check GET /momo/x: the real service responded with 500. Try again later.';

  it('are JSON with --json', async () => {
    const { real, files } = await drifted();
    const { code, stdout } = await runReal('check', real, ...files, '--json');
    const skipped = 'only GET requests are sent';
    const finding = { kind: 'breaking', path: 'message', expected: 'string', received: 'integer' };
    expect({ code, ...JSON.parse(stdout) }).toEqual({
      code: 1,
      checks: [
        { name: '401 without a key', result: 'same', findings: [] },
        { name: '401 with an unknown key', result: 'same', findings: [] },
        { name: 'no plain HTTP', result: 'same', findings: [] },
        { name: 'GET /momo/balance', result: 'drift', findings: [finding] },
        { name: 'POST /momo/<y>', result: 'skipped', skipped },
        { name: 'GET /momo/x', result: 'failed', failed: FAILED },
      ],
    });
  });

  it('are JUnit with --report', async () => {
    const { real, files } = await drifted();
    const report = join(temporaryFolder(), 'reports/check.xml');
    const { code } = await runReal('check', real, ...files, '--report', report);
    expect(code).toBe(1);
    expect(readFileSync(report, 'utf8')).toBe(`<?xml version="1.0" encoding="UTF-8"?>
<testsuites>
  <testsuite name="momo-mock check" tests="6" failures="1" errors="1" skipped="1">
    <testcase classname="momo-mock check" name="401 without a key"></testcase>
    <testcase classname="momo-mock check" name="401 with an unknown key"></testcase>
    <testcase classname="momo-mock check" name="no plain HTTP"></testcase>
    <testcase classname="momo-mock check" name="GET /momo/balance"><failure message="The real service differs.">breaking  message: expected string, received integer</failure></testcase>
    <testcase classname="momo-mock check" name="POST /momo/&lt;y&gt;"><skipped message="only GET requests are sent"></skipped></testcase>
    <testcase classname="momo-mock check" name="GET /momo/x"><error message="${FAILED}"></error></testcase>
  </testsuite>
</testsuites>
`);
  });

  it('are written to an existing file of any kind with --report', async () => {
    const { real, files } = await drifted();
    const folder = temporaryFolder();
    const paths = ['pipe', 'link', 'file'].map((name) => join(folder, name));
    const [pipe = '', link = '', file = ''] = paths;
    writeFileSync(file, 'old');
    symlinkSync(file, link);
    execFileSync('mkfifo', [pipe]);
    const report = (path: string) => runReal('check', real, ...files, '--report', path);
    const read = readFile(pipe, 'utf8');
    expect((await report(pipe)).code).toBe(1);
    expect(await read).toMatch(/^<\?xml/);
    expect(lstatSync(pipe).isFIFO()).toBe(true);
    expect((await report(link)).code).toBe(1);
    expect(lstatSync(link).isSymbolicLink()).toBe(true);
    expect(readFileSync(file, 'utf8')).toBe(await read);
    expect((await report('/dev/null')).code).toBe(1);
    expect(lstatSync('/dev/null').isCharacterDevice()).toBe(true);
    expect((await report('/dev/stdout')).stdout).toContain(await read);
  });

  it('have new members as differences with --strict', async () => {
    const real = await startReal({ '/momo/balance': { ...BALANCE, more: 1 } });
    const report = join(temporaryFolder(), 'check.xml');
    const flags = [...over({}), '--json', '--report', report];
    const results = async (...more: readonly string[]) => {
      const { code, stdout } = await runReal('check', real, ...flags, ...more);
      const { result } = JSON.parse(stdout).checks.at(-1);
      return [code, result, readFileSync(report, 'utf8').includes('<failure')];
    };
    expect(await results('--operation', 'GET /momo/balance')).toEqual([0, 'same', false]);
    expect(await results('--operation', 'GET /momo/balance', '--strict')).toEqual([
      1,
      'drift',
      true,
    ]);
  });

  it('have no key, even one that is the name of a member', async () => {
    const real = await startRealServer(sendText('{"plain-key":1}'));
    const report = join(temporaryFolder(), 'check.xml');
    const args = [...over({ 'momo/x.get.json': {} }), '--operation', 'GET /momo/x'];
    const env = { MOMO_MOCK_REAL_KEY: 'plain-key' };
    await run(['check', ...real.flags, ...args, '--report', report], { env });
    const text = readFileSync(report, 'utf8');
    expect(text).toContain('[redacted]');
    expect(text).not.toContain('plain-key');
  });

  it('have no key on standard error, even one that is the name of an operation', async () => {
    const real = await startRealServer(sendText('', {}, 500));
    const args = [...over({ 'momo/plain-key.get.json': {} }), '--operation', 'GET /momo/plain-key'];
    const env = { MOMO_MOCK_REAL_KEY: 'plain-key' };
    const { code, stdout, stderr } = await run(['check', ...real.flags, ...args], { env });
    expect(code).toBe(3);
    expect(stdout).toBe('GET /momo/[redacted]: could not be checked\n');
    expect(stderr).toMatch(/^Failed to check GET \/momo\/\[redacted\]: /);
    expect(stderr).not.toContain('plain-key');
  });

  it('that cannot be written are exit code 3', async () => {
    const { real, files } = await drifted();
    const file = join(temporaryFolder(), 'file');
    writeFileSync(file, '');
    const report = join(file, 'check.xml');
    const { code, stderr } = await runReal('check', real, ...files, '--report', report);
    expect({ code, stderr }).toEqual({
      code: 3,
      stderr: `${FAILED}\nFailed to write ${report}: EEXIST. Use a writable folder.\n`,
    });
    expect(existsSync(report)).toBe(false);
  });

  it('have colors in a terminal, with the running check', async () => {
    const real = await startReal({ '/momo/balance': BALANCE });
    const call = { env: { MOMO_MOCK_REAL_KEY: KEY }, isTerminal: true, hasColors: true };
    const { stdout } = await run(['check', ...real.flags], call);
    expect(stdout).toContain(
      '… GET /momo/balance\r\x1b[2KGET /momo/balance: \x1b[32msame\x1b[39m\n',
    );
    const json = await run(['check', ...real.flags, '--json'], call);
    expect(JSON.parse(stripVTControlCharacters(json.stdout)).checks).toHaveLength(4);
    expect(json.stdout).not.toContain('\x1b');
  });
});

it.each([
  ['false', ['GET /momo/Balance']],
  ['true', ['GET /momo/Balance', 'GET /momo/balance']],
])('check compares paths as --strict-paths %s says', async (isStrict, operations) => {
  const real = await startReal({ '/momo/balance': {}, '/momo/Balance': { a: 1 } });
  const files = over({ 'momo/Balance.get.json': { a: 2 } });
  const { stdout } = await runReal('check', real, ...files, `--strict-paths=${isStrict}`);
  const compared = [...stdout.matchAll(/^GET [^:]+/gm)].map(([name]) => name);
  expect(compared.sort()).toEqual(operations);
});

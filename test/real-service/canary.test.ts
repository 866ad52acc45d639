import { readdirSync, readFileSync, statSync } from 'node:fs';
import type { ServerResponse } from 'node:http';
import { join } from 'node:path';
import { expect, it } from 'vitest';
import { run } from '../support/command-in-process.ts';
import { type Files, temporaryFolder, writeFiles } from '../support/fixture-folder.ts';
import {
  KEY,
  type Real,
  runReal,
  sendText,
  startReal,
  startRealServer,
} from '../support/real-service.ts';

/** Values of a real service, of each format. None of them may be in an output or a file. */
const VALUES = {
  text: 'canary of a customer',
  short: 'zq7',
  id: '5a1de6a0-91c5-4c0e-8f0e-7a3f6f2d9b11',
  url: 'https://canary.example/customers/7?t=zq7',
  mail: 'canary@customer.example',
  phone: '+22961234567',
  digits: '22997654321',
  decimal: '918273.64',
  day: '1987-06-05',
  time: '1987-06-05T04:03:02Z',
  amount: 918_273,
  fraction: 64.918_273,
};
/** Names of members that are values. */
const NAMES = ['22955554444', 'ama@canary.example', `canary${'y'.repeat(40)}`, 'zq7\u001b[31m'];

const BODY = {
  success: true,
  ...VALUES,
  list: [VALUES, { ...VALUES, more: null }],
  map: Object.fromEntries(NAMES.map((name) => [name, VALUES])),
};

/** All that must not be seen. */
const CANARIES = [
  ...Object.values(VALUES).map(String),
  ...NAMES,
  KEY,
  encodeURIComponent(KEY),
  'canary',
  '\u001b[31m',
];

function expectNoCanary(where: string, text: string): void {
  const found = CANARIES.filter((canary) => text.includes(canary));
  expect(found, `${where}:\n${text}`).toEqual([]);
}

/** All files below a folder, each with its name. */
function contents(folder: string): string {
  return readdirSync(folder, { recursive: true, encoding: 'utf8' })
    .map((name) => join(folder, name))
    .filter((path) => statSync(path).isFile())
    .map((path) => `${path}\n${readFileSync(path, 'utf8')}`)
    .join('\n');
}

/** Runs a command with each kind of output, and looks for canaries in all that it wrote. */
async function look(real: Real, line: string, files: Files = {}): Promise<number[]> {
  const codes: number[] = [];
  for (const isTerminal of [false, true]) {
    for (const output of [[], ['--json']]) {
      const folder = temporaryFolder();
      writeFiles(folder, files);
      const words = line.split(' ').map((word) => word.replace('{folder}', folder));
      const args = [...words, ...real.flags, '--fixtures-dir', folder, ...output];
      const env = { MOMO_MOCK_REAL_KEY: KEY };
      const { code, stdout, stderr } = await run(args, { env, isTerminal });
      codes.push(code);
      // The random name of the folder can contain a short canary.
      const text = (output: string) => output.replaceAll(folder, '');
      expectNoCanary(`stdout of ${args.join(' ')}`, text(stdout));
      expectNoCanary(`stderr of ${args.join(' ')}`, text(stderr));
      expectNoCanary(`files of ${args.join(' ')}`, text(contents(folder)));
    }
  }
  return [...new Set(codes)];
}

const OTHER = { 'momo/balance.get.json': { success: 1, text: 5, list: [{ id: 5 }], map: {} } };

it.each([
  { line: 'check --report {folder}/check.xml', files: {}, code: 1 },
  { line: 'check --strict --report {folder}/check.xml', files: OTHER, code: 1 },
  { line: 'record', files: {}, code: 0 },
  { line: 'record', files: OTHER, code: 1 },
  { line: 'record --force', files: OTHER, code: 0 },
  {
    line: 'record',
    files: { ...OTHER, 'momo/balance.get.schema.json': { type: 'object' } },
    code: 1,
  },
] as const)('$line shows and writes no value: $files', async ({ line, files, code }) => {
  const real = await startReal({ '/momo/balance': BODY });
  expect(await look(real, line, files)).toEqual([code]);
});

const json = JSON.stringify(BODY);
const head = { 'content-type': `application/canary; x=${VALUES.text}`, 'x-canary': VALUES.id };

it.each<[string, (request: unknown, response: ServerResponse) => void]>([
  ['broken JSON', sendText(json.slice(0, -5))],
  ['HTML', sendText(`<p>${json}</p>`, head)],
  ['a redirect', sendText(json, { location: `${VALUES.url}&apikey=${KEY}` }, 302)],
  ['401', sendText(json, head, 401)],
  ['429', sendText(json, { 'retry-after': VALUES.text }, 429)],
  ['500', sendText(json, head, 500)],
  [
    'an error with a reason phrase',
    (_, response) => response.writeHead(200, VALUES.text, head).end(json),
  ],
  ['not HTTP', (_, response) => response.socket?.end(`${VALUES.text}\r\n\r\n${json}`)],
  [
    'one with a broken header',
    (_, response) => response.socket?.end(`HTTP/1.1 200 OK\r\n${VALUES.text}\r\n\r\n${json}`),
  ],
  [
    'one with too many headers',
    (_, response) =>
      response.socket?.end(`HTTP/1.1 200 OK\r\nx: ${VALUES.text.repeat(2000)}\r\n\r\n${json}`),
  ],
  [
    'broken off',
    (_, response) => {
      response.writeHead(200, { ...head, 'content-length': json.length + 1 });
      response.write(json, () => response.destroy());
    },
  ],
])('a command shows nothing of a response that is %s', async (_what, respond) => {
  const real = await startRealServer(respond);
  expect([[1], [3]]).toContainEqual(await look(real, 'check --report {folder}/check.xml', OTHER));
  expect([[0], [3]]).toContainEqual(await look(real, 'record'));
});

it('this test finds a value that is shown', async () => {
  // The name of a field is no value, so it is written.
  const real = await startReal({ '/momo/balance': { 'canary of a customer': 1 } });
  await expect(look(real, 'record')).rejects.toThrow('canary of a customer');
});

it.each(['check', 'record'] as const)(
  '%s shows no key that a fixture contains',
  async (command) => {
    const real = await startReal({});
    const folder = temporaryFolder();
    writeFiles(folder, { 'momo/x.get.js': `throw new Error(${JSON.stringify(KEY)});` });
    const { code, stdout, stderr } = await runReal(command, real, '--fixtures-dir', folder);
    expect({ code, stdout }).toEqual({ code: 3, stdout: '' });
    expect(stderr).toMatch(/x\.get\.js.*\[redacted\]/);
    expectNoCanary(command, stderr);
  },
);

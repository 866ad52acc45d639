import { copyFileSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, it } from 'vitest';
import { run } from '../support/command-in-process.ts';
import { temporaryFolder } from '../support/fixture-folder.ts';
import { runHere } from './node-command.ts';

const VARIABLES = ['NODE_EXTRA_CA_CERTS', 'SSL_CERT_FILE', 'REQUESTS_CA_BUNDLE', 'CURL_CA_BUNDLE'];
const READ = `const read = (name) => require('node:fs').readFileSync(env[name], 'utf8');
  say(Object.fromEntries(['MOMO_MOCK_CA', ${VARIABLES.map((name) => `'${name}'`)}].map((name) => [name, read(name)])));`;

/** A folder with the certificates `one` and `two`, made by momo-mock, in files and in a folder. */
async function certificates(): Promise<string> {
  const folder = temporaryFolder();
  mkdirSync(join(folder, 'dir'));
  for (const name of ['one', 'two']) {
    const certsDir = temporaryFolder();
    await run(['cert', '--certs-dir', certsDir]);
    copyFileSync(join(certsDir, 'momo-mock.pem'), join(folder, `${name}.pem`));
    copyFileSync(join(certsDir, 'momo-mock.pem'), join(folder, 'dir', `${name}.0`));
    const both = ['momo-mock-key.pem', 'momo-mock.pem'].map((file) => join(certsDir, file));
    const text = both.map((file) => readFileSync(file, 'utf8')).join('');
    writeFileSync(join(folder, `${name}-with-key.pem`), text);
  }
  return folder;
}

/** The certificates in a text. A mock has several in its file. */
const blocksOf = (text: string): string[] =>
  text.match(/-----BEGIN CERTIFICATE-----[^-]+-----END CERTIFICATE-----/g) ?? [];

/** What each variable of the command leads to: `usual` are more than fifty others. */
async function trusted(given: Record<string, string> = {}) {
  const folder = await certificates();
  const own = VARIABLES.map((name) => [name, given[name] && join(folder, given[name])]);
  const { said, stderr } = await runHere(READ, [], { env: Object.fromEntries(own) });
  const { MOMO_MOCK_CA: mock = '', ...texts } = said as Record<string, string>;
  const names = new Map(blocksOf(mock).map((block) => [block, 'mock']));
  for (const name of ['one', 'two']) {
    const text = readFileSync(join(folder, `${name}.pem`), 'utf8');
    for (const block of blocksOf(text)) names.set(block, name);
  }
  const contents = Object.entries(texts).map(([name, text]) => {
    const named = blocksOf(text).flatMap((block) => names.get(block) ?? []);
    const usual = blocksOf(text).length - named.length > 50 ? ['usual'] : [];
    return [name, [...usual, ...new Set(named)].join(' ')];
  });
  expect(Object.values(texts).join()).not.toContain('PRIVATE');
  return { ...Object.fromEntries(contents), warnings: stderr };
}

const USUAL = {
  NODE_EXTRA_CA_CERTS: 'mock',
  SSL_CERT_FILE: 'usual mock',
  REQUESTS_CA_BUNDLE: 'usual mock',
  CURL_CA_BUNDLE: 'usual mock',
  warnings: 'momo-mock: no requests\n',
};

it.each<[string, Record<string, string>, Record<string, unknown>]>([
  ['the mock and the usual roots', {}, {}],
  [
    'the files of each variable, and the mock',
    { NODE_EXTRA_CA_CERTS: 'one.pem', CURL_CA_BUNDLE: 'one.pem' },
    { NODE_EXTRA_CA_CERTS: 'one mock', CURL_CA_BUNDLE: 'one mock' },
  ],
  [
    'the file of SSL_CERT_FILE in place of the usual roots',
    { SSL_CERT_FILE: 'one.pem', REQUESTS_CA_BUNDLE: 'two.pem' },
    { SSL_CERT_FILE: 'one mock', REQUESTS_CA_BUNDLE: 'two mock', CURL_CA_BUNDLE: 'one mock' },
  ],
  [
    'a folder of certificates',
    { REQUESTS_CA_BUNDLE: 'dir' },
    { REQUESTS_CA_BUNDLE: 'one two mock' },
  ],
  [
    'the certificate of a file, and not its private key',
    { SSL_CERT_FILE: 'one-with-key.pem', NODE_EXTRA_CA_CERTS: 'two-with-key.pem' },
    {
      NODE_EXTRA_CA_CERTS: 'two mock',
      SSL_CERT_FILE: 'one mock',
      REQUESTS_CA_BUNDLE: 'one mock',
      CURL_CA_BUNDLE: 'one mock',
    },
  ],
  ...VARIABLES.map((name): [string, Record<string, string>, Record<string, unknown>] => [
    `the usual roots where ${name} leads nowhere, which is a warning`,
    { [name]: 'nowhere.pem' },
    { warnings: expect.stringContaining(`certificates from ${name}: `) },
  ]),
])('the command trusts %s', async (_what, given, expected) => {
  expect(await trusted(given)).toEqual({ ...USUAL, ...expected });
});

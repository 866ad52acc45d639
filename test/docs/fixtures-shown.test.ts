import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, it } from 'vitest';
import { temporaryFolder, writeFiles } from '../support/fixture-folder.ts';
import { needs } from '../support/machine.ts';
import { loadFixtureTree, shippedFixtures } from '../support/program.ts';
import { blockOf, DOCUMENTS, filesOf, readDocument } from './documents.ts';
import { examplesOf, sectionsOf, tryExamples } from './examples.ts';
import { openShell } from './shell.ts';

const SHOWING = DOCUMENTS.filter((path) => filesOf(readDocument(path)).length > 0);

it('the search finds the documents that show fixture files', () => {
  const known = ['fixtures', 'get-started', 'providers', 'simulate'].map(
    (name) => `docs/${name}.md`,
  );
  expect(SHOWING).toEqual(expect.arrayContaining(known));
});

it.each(SHOWING)('%s shows fixture files that can be served unchanged', async (path) => {
  const userDir = temporaryFolder();
  const files = filesOf(readDocument(path));
  writeFiles(userDir, Object.fromEntries(files.map(({ file, text }) => [file, text])));
  const tree = await loadFixtureTree({ layers: [shippedFixtures, userDir], strictPaths: false });
  const served = tree.operations.flatMap(({ default: own, variants, schema, requestSchema }) =>
    [own, ...variants.values(), schema, requestSchema].map((one) => one?.file),
  );
  const errors = [...tree.errors.values(), ...tree.errorHandlers.values()].map(({ file }) => file);
  const state = tree.state && join(userDir, 'state.json');
  const stateSchema = tree.stateSchema && join(userDir, 'state.schema.json');
  const drill = tree.drill && join(userDir, 'drill.js');
  // Those that handlers share are read with the handlers.
  const shown = files.filter(({ file }) => !/(^|\/)_/.test(file));
  expect([...served, ...errors, state, stateSchema, drill]).toEqual(
    expect.arrayContaining(shown.map(({ file }) => join(userDir, file))),
  );
});

const TRIED = sectionsOf(readDocument('docs/fixtures.md')).filter(
  ({ text }) => examplesOf(text).length > 0,
);

it.for(TRIED)(
  'docs/fixtures.md, $title: each command does what it shows',
  async ({ text, files }, context) => {
    needs(context, 'curl');
    await tryExamples(text, files);
  },
);

it('docs/fixtures.md shows how a key gets a variant of a file', async (context) => {
  needs(context, 'curl');
  const page = readDocument('docs/fixtures.md');
  const shell = openShell();
  for (const { file, text } of filesOf(page)) {
    if (file.endsWith('.response.json')) writeFiles(shell.folder, { [`fixtures/${file}`]: text });
  }
  const { url } = await shell.start(blockOf(page, 'sh'));
  const curl =
    "curl -s -o body.json --cacert certs/momo-mock.pem -w '%{http_code} %header{retry-after}'";
  expect(shell.run(`${curl} '${url}/momo/balance?apikey=test_bob'`)).toBe('503 1');
  expect(shell.run(`${curl} '${url}/momo/balance?apikey=test_alice'`)).toBe('200 ');
});

it('docs/fixtures.md shows the file that momo-mock init writes', () => {
  const shell = openShell();
  shell.run('momo-mock init');
  const file = join(shell.folder, 'fixtures/momo/balance.get.slow.response.json');
  const shown = JSON.parse(blockOf(readDocument('docs/fixtures.md'), 'json'));
  expect(shown).toEqual(JSON.parse(readFileSync(file, 'utf8')));
});

it.for([
  { start: 'momo-mock', status: '200' },
  { start: 'MOMO_MOCK_STRICT_PATHS=true momo-mock', status: '404' },
])(
  'docs/fixtures.md says that a trailing slash and the letter case give $status after "$start"',
  async ({ start, status }, context) => {
    needs(context, 'curl');
    const page = readDocument('docs/fixtures.md');
    const [, section = ''] = page.split('## Trailing slash and letter case');
    const [, ...shown] = /`GET (\S+)` and `GET (\S+)`/.exec(section) ?? [];
    expect(shown).toEqual(['/momo/balance/', '/Momo/Balance']);
    const shell = openShell();
    const { url } = await shell.start(start);
    for (const path of shown) {
      const curl = "curl -s -o body.json --cacert certs/momo-mock.pem -w '%{http_code}'";
      expect(shell.run(`${curl} '${url}${path}?apikey=momo_test_key'`), path).toBe(status);
    }
  },
);

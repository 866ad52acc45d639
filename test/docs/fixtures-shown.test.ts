import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { expect, it, onTestFinished } from 'vitest';
import { loadFixtureTree, shippedFixtures } from '../support/program.ts';
import { DOCUMENTS, filesOf, readDocument } from './documents.ts';

const SHOWING = DOCUMENTS.filter((path) => filesOf(readDocument(path)).length > 0);

it('finds the documents that show fixture files', () => {
  const known = ['fixtures', 'get-started', 'presets', 'simulate'].map((name) => `docs/${name}.md`);
  expect(SHOWING).toEqual(expect.arrayContaining(known));
});

it.each(SHOWING)('%s shows fixture files that can be served unchanged', async (path) => {
  const userDir = mkdtempSync(join(tmpdir(), 'momo-mock-docs-'));
  onTestFinished(() => rmSync(userDir, { recursive: true, force: true }));
  const files = filesOf(readDocument(path));
  for (const { file, text } of files) {
    mkdirSync(dirname(join(userDir, file)), { recursive: true });
    writeFileSync(join(userDir, file), text);
  }
  const tree = await loadFixtureTree({ layers: [shippedFixtures, userDir], strictPaths: false });
  const served = tree.operations.flatMap(({ default: own, variants, schema, requestSchema }) =>
    [own, ...variants.values(), schema, requestSchema].map((one) => one?.file),
  );
  const errors = [...tree.errors.values(), ...tree.errorHandlers.values()].map(({ file }) => file);
  const state = tree.state && join(userDir, 'state.json');
  // Those that handlers share are read with the handlers.
  const shown = files.filter(({ file }) => !/(^|\/)_/.test(file));
  expect([...served, ...errors, state]).toEqual(
    expect.arrayContaining(shown.map(({ file }) => join(userDir, file))),
  );
});

import { execFileSync } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { checkPackage, createPackageFromTarballData } from '@arethetypeswrong/core';
import { publint } from 'publint';
import { formatMessage } from 'publint/utils';
import { beforeAll, expect, it, vi } from 'vitest';
import { pack } from './installed.ts';

// It packs and installs the package, which takes long on a busy machine.
vi.setConfig({ testTimeout: 600_000, hookTimeout: 600_000 });

let file: string;
let tarball: Uint8Array<ArrayBuffer>;
beforeAll(async () => {
  file = await pack();
  tarball = new Uint8Array(readFileSync(file));
});

/** What may be in dist: programs, the page, types, and what says of what they are made. */
const BUILT = [
  /^(cli|load|preload|tls-redirect|momo-mock|program|tree-import|certificates|control|files|schemas)\.cjs$/,
  /^momo_mock_redirect\.rb$/,
  /^(index|jest|vitest|runners\/(matchers|strict-check)|mock\/(verify\/contained|json\/exact-json))\.m?js$/,
  /^page\/(index\.html|app\.js|style\.css|icon\.svg)$/,
  /\.d\.ts$/,
  /^sitecustomize\.py$/,
  /^schemas\/(drill|response|responses|state-file)\.schema\.json$/,
  /^(THIRD-PARTY-LICENSES\.txt|sbom\.cdx\.json)$/,
];

it('the tarball holds exactly the files that the package needs', () => {
  const listed = execFileSync('tar', ['-tzf', file], { encoding: 'utf8' });
  const files = listed.match(/(?<=^package\/).+/gm) ?? [];
  const needed = ['LICENSE', 'README.md', 'package.json', 'fixtures/momo/balance.get.json'];
  const preset = ['preset.json', 'fixtures/_api.js'].map((path) => `presets/chipdeals/${path}`);
  expect(files).toEqual(
    expect.arrayContaining([...needed, ...preset, 'dist/cli.cjs', 'dist/page/app.js']),
  );
  const built = files.flatMap((path) => /^dist\/(.+)/.exec(path)?.[1] ?? []);
  expect(built.filter((path) => !BUILT.some((meant) => meant.test(path)))).toEqual([]);
  const others = files.filter((path) => !/^(dist|fixtures|presets)\//.test(path));
  expect(others.sort()).toEqual(['LICENSE', 'README.md', 'package.json']);
});

it('publint has no message about the tarball, not even a suggestion', async () => {
  const { messages, pkg } = await publint({ pack: { tarball: tarball.buffer }, strict: true });
  expect(messages.map((message) => formatMessage(message, pkg))).toEqual([]);
});

/**
 * What is so on purpose: it is ESM alone, which each Node that it runs on takes by require(), too;
 * and what resolves as Node 10 did knows nothing of `exports`.
 */
const MEANT = ['CJSResolvesToESM node16-cjs', 'NoResolution node10'];

it('the types are right for every way to resolve ESM', async () => {
  const checked = await checkPackage(createPackageFromTarballData(tarball));
  if (checked.types === false) throw new Error('The tarball has no types.');
  expect(Object.keys(checked.entrypoints)).toEqual(['.', './jest', './vitest', './package.json']);
  const problems = checked.problems.map((problem) =>
    'resolutionKind' in problem ? `${problem.kind} ${problem.resolutionKind}` : problem.kind,
  );
  expect([...new Set(problems)].sort()).toEqual(MEANT);
});

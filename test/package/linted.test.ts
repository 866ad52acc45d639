import { readFileSync } from 'node:fs';
import { checkPackage, createPackageFromTarballData } from '@arethetypeswrong/core';
import { publint } from 'publint';
import { formatMessage } from 'publint/utils';
import { beforeAll, expect, it } from 'vitest';
import { pack } from './installed.ts';

let tarball: Uint8Array<ArrayBuffer>;
beforeAll(async () => {
  tarball = new Uint8Array(readFileSync(await pack()));
}, 180_000);

it('publint has nothing to say of the tarball, no suggestion either', async () => {
  const { messages, pkg } = await publint({ pack: { tarball: tarball.buffer }, strict: true });
  expect(messages.map((message) => formatMessage(message, pkg))).toEqual([]);
});

/**
 * What is so on purpose: it is ESM alone, which each Node that it runs on takes by require(), too;
 * and what resolves as Node 10 did knows nothing of `exports`.
 */
const MEANT = ['CJSResolvesToESM node16-cjs', 'NoResolution node10'];

it('the types are right for each way of resolving that there is for ESM', async () => {
  const checked = await checkPackage(createPackageFromTarballData(tarball));
  if (checked.types === false) throw new Error('The tarball has no types.');
  expect(Object.keys(checked.entrypoints)).toEqual(['.', './jest', './vitest', './package.json']);
  const problems = checked.problems.map((problem) =>
    'resolutionKind' in problem ? `${problem.kind} ${problem.resolutionKind}` : problem.kind,
  );
  expect([...new Set(problems)].sort()).toEqual(MEANT);
});

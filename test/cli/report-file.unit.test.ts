import {
  existsSync,
  lstatSync,
  mkdirSync,
  readFileSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs';
import { join } from 'node:path';
import { expect, it } from 'vitest';
import { prepareReport, writeReport } from '../../src/cli/report-file.ts';
import { temporaryFolder } from '../support/fixture-folder.ts';

it('a report that is a link is written to its target, and an older one does not stay there', async () => {
  const folder = temporaryFolder();
  const [link, target] = [join(folder, 'report.xml'), join(folder, 'artifacts/drill.xml')];
  mkdirSync(join(folder, 'artifacts'));
  writeFileSync(target, 'an older report');
  symlinkSync(target, link);
  await prepareReport(link);
  expect(readFileSync(target, 'utf8')).toBe('');
  await writeReport(link, 'new');
  expect(lstatSync(link).isSymbolicLink()).toBe(true);
  expect(readFileSync(target, 'utf8')).toBe('new');
});

it('a link without a target gets one', async () => {
  const folder = temporaryFolder();
  const link = join(folder, 'report.xml');
  symlinkSync('missing.xml', link);
  await prepareReport(link);
  await writeReport(link, 'new');
  expect(readFileSync(join(folder, 'missing.xml'), 'utf8')).toBe('new');
});

it('an older report is gone until there is a new one', async () => {
  const path = join(temporaryFolder(), 'report.xml');
  writeFileSync(path, 'an older report');
  await prepareReport(path);
  expect(existsSync(path)).toBe(false);
});

import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { request } from 'playwright-core';
import { expect, it, onTestFinished } from 'vitest';
import { readSources } from '../architecture/sources.ts';
import { needs } from '../support/machine.ts';
import { blockOf, ROOT, readDocument, rowsBelow } from './documents.ts';
import { openNodeProject } from './node-project.ts';

const PAGE = readDocument('docs/simulate.md');
const TSC = `node '${join(ROOT, 'node_modules/typescript/bin/tsc')}' --noEmit --allowJs --checkJs --strict --target es2023 --module nodenext --skipLibCheck --types ''`;

it('docs/simulate.md shows how to type handlers, and the types find mistakes', () => {
  const project = openNodeProject();
  const check = (mistake: (code: string) => string): string => {
    for (const language of ['js', 'ts']) {
      project.write(`handler.get.${language}`, mistake(blockOf(PAGE, `${language} typed`)));
    }
    return project.run(`${TSC} handler.get.js handler.get.ts || true`);
  };
  expect(check((code) => code)).toBe('');
  const found = check((code) => code.replace(/params\.order|body\.amount/, '$&s'));
  expect(found).toMatch(/'amounts' does not exist/);
  expect(found).toMatch(/'orders' does not exist/);
});

it('docs/simulate.md compiles handlers for Node 20, which then respond', async () => {
  const project = openNodeProject();
  project.write('handlers/momo/deposit/[order].get.ts', blockOf(PAGE, 'ts typed'));
  const esbuild = `'${join(ROOT, 'node_modules/.bin/esbuild')}'`;
  project.run(blockOf(PAGE, 'sh compile').replace('npx esbuild', esbuild));
  const ready = await project.start('momo-mock');
  const put = `curl -s -X PUT ${ready.controlUrl}/state/deposits/A1 -H 'content-type: application/json' -d 5`;
  const get = `curl -s --cacert certs/momo-mock.pem '${ready.url}/momo/deposit/A1?apikey=momo_test_key'`;
  expect(project.run(`${put} && ${get}`)).toBe('5');
});

it('docs/simulate.md shows how a test with Playwright decides', async (context) => {
  needs(context, 'curl');
  const project = openNodeProject();
  const handler = blockOf(PAGE, 'js file=momo/charge.post.js');
  project.write('fixtures/momo/charge.post.js', handler);
  const { url, controlUrl } = await project.start('momo-mock');
  const code = blockOf(PAGE, 'js playwright').replaceAll('http://localhost:8480', controlUrl);
  project.write('choose.js', code);
  const { choose } = await import(pathToFileURL(join(project.folder, 'choose.js')).href);
  const body = `'{"phone":"1","amount":1,"webhookUrl":"http://localhost:9"}'`;
  const target = `'${url}/momo/charge?apikey=momo_test_key'`;
  project.run(`curl -s --cacert certs/momo-mock.pem ${target} -d ${body}`);
  const playwright = await request.newContext();
  onTestFinished(() => playwright.dispose());
  await choose(playwright, 'wrong-pin');
  const state = await (
    await fetch(`${controlUrl}/state`, { headers: { account: 'account-1' } })
  ).text();
  expect(state).toContain('FAILED');
});

it('docs/fixtures.md names the members of the request and the context of a handler', () => {
  const source = readSources()
    .map(({ path }) => readDocument(`src/${path}`))
    .join('\n');
  const membersOf = (name: string): string[] => {
    const [, body = ''] =
      new RegExp(`^export interface ${name}\\b.*?\\{\\n(.*?)^\\}`, 'ms').exec(source) ?? [];
    return [...body.matchAll(/^ {2}(?:readonly )?(\w+)\??[:(<]/gm)].map(([, name = '']) => name);
  };
  const rows = rowsBelow(readDocument('docs/fixtures.md'), 'Handlers: `.js`');
  const named = rows.flatMap(([names = '']) =>
    [...names.matchAll(/`(\w+)/g)].map(([, name = '']) => name),
  );
  const members = ['HandlerRequest', 'HandlerErrorRequest', 'HandlerContext'].flatMap(membersOf);
  expect(new Set(named)).toEqual(new Set(members));
  const rowOf = (name: string) =>
    rows.find(([names = '']) => names.startsWith(`\`${name}`))?.[1] ?? '';
  const listed = (name: string) => [...rowOf(name).matchAll(/`(\w+)`/g)].map(([, one]) => one);
  expect(new Set(listed('webhook'))).toEqual(new Set(membersOf('Webhook')));
  expect(new Set(listed('state'))).toEqual(new Set(membersOf('MomoState')));
  expect(new Set(listed('log'))).toEqual(new Set(membersOf('HandlerLog')));
});

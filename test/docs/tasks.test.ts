import { expect, it } from 'vitest';
import { needs } from '../support/machine.ts';
import { createLogger, HINTS, terminalStream } from '../support/program.ts';
import { blockOf, blocksOf, readDocument } from './documents.ts';
import { examplesOf, sectionsOf, tryExamples } from './examples.ts';
import { openNodeProject } from './node-project.ts';

/** The pages that are about one task each. */
const PAGES = ['responses', 'tls', 'verify', 'simulate', 'webhooks'].map(
  (name) => `docs/${name}.md`,
);

const sections = PAGES.flatMap((page) =>
  sectionsOf(readDocument(page)).map((section) => ({ page, ...section })),
);
const tried = sections.filter(({ text }) => examplesOf(text).length > 0);

it.for(tried)(
  '$page, $title: each command does what it shows',
  async ({ text, files }, context) => {
    needs(context, 'curl');
    await tryExamples(text, files);
  },
);

it.for(PAGES.filter((page) => readDocument(page).includes('```js run')))(
  '%s: what it shows for Node runs',
  (page) => {
    const project = openNodeProject();
    for (const { info, text } of blocksOf(readDocument(page))) {
      if (info !== 'js run') continue;
      project.write('main.js', text);
      project.run('node main.js');
    }
  },
);

it.for(PAGES)('%s shows no block that is not run, and docs/README links it', (page) => {
  const document = readDocument(page);
  const kinds = ['sh', 'console', 'js run', 'python run', 'text terminal', 'json ready'];
  // tls.test.ts runs those of clients; verify, simulate and webhooks.test.ts the others.
  const isRun = (info: string) =>
    kinds.includes(info) ||
    /^sh \w+$|^js (vitest|playwright)$|^\w+ typed$|^\w+ (excerpt |file=)/.test(info);
  expect(blocksOf(document).filter(({ info }) => !isRun(info))).toEqual([]);
  const started = sections.filter(
    (section) => section.page === page && /^```sh$/m.test(section.text),
  );
  expect(started.filter(({ text }) => examplesOf(text).length === 0)).toEqual([]);
  expect(readDocument('docs/README.md')).toContain(`](${page.replace('docs/', '')})`);
});

it('docs/verify.md shows what a terminal does', async () => {
  let shown = '';
  const write = (text: string) => {
    shown += text;
  };
  const stream = terminalStream({ columns: 80, hasColors: () => false }, { write });
  const logger = await createLogger({ level: 'info', stream });
  const asked = { method: 'GET', path: '/momo/balance' };
  const reason = 'key-missing';
  logger.info({ ...asked, account: 'account-1', status: 200, source: 'fixture' }, 'request');
  logger.info({ ...asked, status: 401, source: 'error', reason, hint: HINTS[reason] }, 'request');
  logger.info({ ...asked, account: 'account-1', status: 503, source: 'script' }, 'request');
  logger.info({ ...asked, account: 'account-1', source: 'script', fault: 'reset' }, 'request');
  const without = (text: string) => text.replaceAll(/^\d\d:\d\d:\d\d /gm, '');
  const block = blockOf(readDocument('docs/verify.md'), 'text terminal');
  expect(without(block)).toBe(without(shown));
});

import { dirname, join } from 'node:path';
import { expect, it } from 'vitest';
import { readDocument } from './documents.ts';

/** Questions that users asked, the heading that has the answer, and words of the answer. */
const QUESTIONS: Readonly<Record<string, readonly [heading: string, answer: string]>> = {
  'How do I return 503 once?': ['responses.md#return-an-error-status', '"status":503'],
  'Is MTN MoMo or M-Pesa supported?': ['providers.md', 'M-Pesa Daraja API'],
  'Is Orange Money supported?': ['another-provider.md', 'Orange Money'],
  'How does a payer approve a payment?': ['simulate.md#let-a-person-decide', 'answerPrompt'],
  'How do I play the payer without code?': ['verify.md#play-the-payer', 'Wrong PIN'],
  'How do I mock two providers at once?': ['providers.md#two-providers-in-one-test', '--port 8444'],
  'Why does an error have no body?': ['troubleshooting.md#the-error-has-an-empty-body', '`hint`'],
  'Does it have types?': ['recipes/node.md#typescript', 'The package has its types'],
  'Can it return a 502 or 504 with an HTML body?': [
    'responses.md#return-an-html-page',
    'text/html',
  ],
  'Does my application charge twice?': ['drill.md', 'The customer was charged twice'],
  'Which payments did the provider take?': ['drill.md#read-the-ledger', '/ledger'],
  'How do I survive a lost response?': ['drill.md#survive-each-failure', '`lost-response`'],
  'Why does a customer pay twice?': ['get-started.md#lose-the-response', 'happened twice'],
  'How do webhooks reach my app in Docker?': [
    'containers-and-ci.md#receive-webhooks-in-a-container',
    'MOMO_MOCK_WEBHOOK_HOSTS',
  ],
  'Does it work with Mocha?': ['recipes/node.md#mocha', 'before'],
  'Does it work with Bun, Deno and Cypress?': [
    'recipes/node.md#bun-deno-and-cypress',
    'cy.request',
  ],
  'Does it work with CommonJS?': ['recipes/node.md#commonjs', "require('momo-mock')"],
  'Can I use HTTP instead of HTTPS?': [
    'troubleshooting.md#the-client-uses-http-http2-or-a-proxy',
    'the mock serves HTTPS only',
  ],
  'Does it run on Windows and macOS?': ['compare.md#versions', '| macOS, Windows | | not tested |'],
  'What if the port is in use?': ['troubleshooting.md#another-program-listens-there', 'EADDRINUSE'],
  'How do 5 % of the requests fail?': ['responses.md#fail-at-random', 'Math.random()'],
  'What did my app send?': ['verify.md#in-a-test', '/requests'],
  'How do I wait for a webhook?': ['webhooks.md', 'waitFor'],
  'How do I reset between tests?': ['isolate-tests.md#reset-between-tests', 'POST /reset'],
  'How do I test an expired token?': ['another-provider.md#expired-tokens', '"status":401'],
  'How do I change the balance for a test?': ['get-started.md#change-the-balance', '/balance'],
  'How does each test get its key in Python?': ['recipes/python.md#set-up-the-tests', '/accounts'],
  'Why do I get a 401?': ['troubleshooting.md#unauthorized', 'key-missing'],
  'How do I log less or more?': ['logs.md#log-records', 'MOMO_MOCK_LOG_LEVEL'],
};

const slugOf = (heading: string) =>
  heading
    .toLowerCase()
    .replaceAll(/[^\w\s-]/g, '')
    .replaceAll(' ', '-');

/** The text below a heading, up to the next of its level. */
function sectionOf(page: string, anchor: string | undefined): string {
  const text = readDocument(page);
  if (anchor === undefined) return text;
  const lines = text.split('\n');
  const from = lines.findIndex(
    (line) => /^#+ /.test(line) && slugOf(line.replace(/^#+ /, '')) === anchor,
  );
  const level = lines[from]?.indexOf(' ') ?? 0;
  const rest = lines.slice(from + 1);
  const to = rest.findIndex((line) => /^#{2,4} /.test(line) && line.indexOf(' ') <= level);
  return from < 0 ? '' : rest.slice(0, to < 0 ? undefined : to).join('\n');
}

const pagesIn = (page: string) =>
  [...readDocument(page).matchAll(/\]\(([^)#:]+\.md)/g)].map(([, to = '']) =>
    join(dirname(page), to),
  );

it.each(Object.entries(QUESTIONS))('%s', (_question, [target, answer]) => {
  const [file = '', anchor] = target.split('#');
  const page = `docs/${file}`;
  const first = pagesIn('docs/README.md');
  expect([...first, ...first.flatMap(pagesIn)], 'within two clicks of docs/README').toContain(page);
  expect(sectionOf(page, anchor)).toContain(answer);
});

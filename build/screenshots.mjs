// Makes the pictures of the live page for README and docs: `npm run screenshots`.
//
// Beside them it writes live-page.json: the texts in the pictures that come from src. A test fails
// when src no longer has one of them. Then run this again.
//
// Needs Chromium, at /usr/bin/chromium or where CHROMIUM says.
import { once } from 'node:events';
import { mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { createServer } from 'node:http';
import { request } from 'node:https';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { setTimeout } from 'node:timers/promises';
import { chromium } from 'playwright-core';
import { startMomoMock } from '../dist/index.js';

const ROOT = resolve(import.meta.dirname, '..');
const IMAGES = join(ROOT, 'docs/images');
const SIZE = { width: 1280, height: 760 };

const fixturesDir = mkdtempSync(join(tmpdir(), 'momo-mock-pictures-'));
mkdirSync(join(fixturesDir, 'momo'));
// The payment of Get started, with a webhook.
writeFileSync(
  join(fixturesDir, 'momo/payments.post.js'),
  `export default async ({ body }, { state, uuid }) => {
    const order = body.order ?? uuid();
    await state.set('payments/' + order, body.amount);
    const webhook = { url: body.webhookUrl, body: { order, status: 'SUCCESS' }, retry: [1000] };
    return { status: 201, body: { order, status: 'SUCCESS' }, webhook };
  };`,
);

// A payment for which the payer is asked.
writeFileSync(
  join(fixturesDir, 'momo/charge.post.js'),
  `export default ({ body }, { prompt }) => {
    const choices = ['approve', 'wrong-pin', 'no-funds', 'cancel'];
    prompt({ title: body.phone, text: 'Pay 1,000 XOF to the shop', choices }, () => {});
    return { status: 202 };
  };`,
);

/** The application under test, which fails at the first webhook. */
const statuses = [500];
const app = createServer((_request, response) => {
  response.statusCode = statuses.pop() ?? 200;
  response.end();
});
await once(app.listen(0, 'localhost'), 'listening');
const webhookUrl = `http://localhost:${app.address().port}/webhooks/momo`;

const mock = await startMomoMock({
  port: 8443,
  control: { port: 8480 },
  certsDir: join(ROOT, 'certs'),
  fixturesDir,
});
const executablePath = process.env.CHROMIUM ?? '/usr/bin/chromium';
const browser = await chromium.launch({ executablePath, args: ['--no-sandbox'] });
const texts = new Set();
try {
  for (const colorScheme of ['light', 'dark']) {
    const page = await browser.newPage({ viewport: SIZE, colorScheme, locale: 'en-GB' });
    await page.goto(mock.controlUrl);
    for (const pause of [500, 900, 1300]) {
      await refusals();
      await setTimeout(pause);
    }
    await payTwice();
    await page.getByText('fault: connection reset').waitFor();
    await page.getByRole('button', { name: '503 twice' }).click();
    await page.getByText('2 left').waitFor();
    await page.screenshot({ path: join(IMAGES, `live-page-${colorScheme}.png`) });
    for (const text of await page.evaluate(textsOf, SIZE.height)) texts.add(text);
    await mock.clearResponses();
    await send('POST', '/momo/charge', mock.apiKey, { phone: '22951010200' });
    const phone = page.locator('.phone');
    await phone.waitFor();
    await phone.screenshot({ path: join(IMAGES, `phone-${colorScheme}.png`) });
    for (const text of await page.evaluate(textsOf, SIZE.height)) texts.add(text);
    await mock.reset();
    statuses.push(500);
  }
} finally {
  await browser.close();
  await mock.close();
  app.close();
  rmSync(fixturesDir, { recursive: true });
}
const sources = readdirSync(join(ROOT, 'src'), { recursive: true })
  .filter((path) => /\.tsx?$/.test(path))
  .map((path) => readFileSync(join(ROOT, 'src', path), 'utf8'));
const shown = [...texts].filter((text) => sources.some((source) => source.includes(text)));
writeFileSync(join(IMAGES, 'live-page.json'), `${JSON.stringify(shown.sort(), null, 2)}\n`);

/** Requests of an application that is not set up yet. */
async function refusals() {
  await send('GET', '/momo/balance', mock.apiKey);
  await send('GET', '/momo/ballance', mock.apiKey);
  await send('GET', '/momo/balance', 'wrong');
  await once(request(`${mock.url}/momo/balance`).end(), 'error');
}

/** A payment is made, its response is lost, and the application pays again. */
async function payTwice() {
  const account = await mock.createAccount();
  await account.respondWith({ operation: 'POST /momo/payments', fault: 'reset' });
  const payment = { amount: 500, webhookUrl };
  await send('POST', '/momo/payments', account.apiKey, payment).catch(() => {});
  await send('POST', '/momo/payments', account.apiKey, payment);
  await account.advance('idle');
}

async function send(method, path, apiKey, body) {
  const target = `${mock.url}${path}?apikey=${apiKey}`;
  const headers = { 'content-type': 'application/json' };
  const sent = request(target, { method, headers, agent: mock.agent }).end(JSON.stringify(body));
  const [response] = await once(sent, 'response');
  response.resume();
  await once(response, 'end');
}

/**
 * The labels and sentences that a page shows above a height, without data such as paths and keys.
 * It runs in the browser.
 */
function textsOf(height) {
  const found = [];
  const walker = document.createTreeWalker(document.body, NodeFilter.SHOW_TEXT);
  while (walker.nextNode()) {
    const text = walker.currentNode.data.trim();
    const element = walker.currentNode.parentElement;
    const { top, width } = element.getBoundingClientRect();
    if (width === 0 || top > height || !/\p{L}{3}/u.test(text)) continue;
    const isData = element.closest('td, code, pre, option') !== null && text.length < 30;
    if (!isData) found.push(text);
  }
  return found;
}

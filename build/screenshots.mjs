// Makes the pictures of the live page for README and docs: `npm run screenshots`.
//
// Needs Chromium, at /usr/bin/chromium or where CHROMIUM says.
import { once } from 'node:events';
import { get as getPlain } from 'node:http';
import { get } from 'node:https';
import { join, resolve } from 'node:path';
import { setTimeout } from 'node:timers/promises';
import { chromium } from 'playwright-core';
import { startMomoMock } from '../dist/index.js';

const IMAGES = resolve(import.meta.dirname, '../docs/images');
const WIDTH = 1280;

const mock = await startMomoMock({
  port: 8443,
  control: { port: 8480 },
  certsDir: resolve(import.meta.dirname, '../certs'),
});
const executablePath = process.env.CHROMIUM ?? '/usr/bin/chromium';
const browser = await chromium.launch({ executablePath, args: ['--no-sandbox'] });
try {
  for (const colorScheme of ['light', 'dark']) {
    const viewport = { width: WIDTH, height: 640 };
    const page = await browser.newPage({ viewport, colorScheme, locale: 'en-GB' });
    await page.goto(mock.controlUrl);
    for (const pause of [700, 1300, 2100]) {
      await traffic();
      await setTimeout(pause);
    }
    await page.getByRole('button', { name: '503 twice' }).click();
    await page.getByText('2 left').waitFor();
    await page.screenshot({ path: join(IMAGES, `live-page-${colorScheme}.png`) });
    await mock.reset();
  }
} finally {
  await browser.close();
  await mock.close();
}

/** Requests as an application under test may send them. */
async function traffic() {
  const shop = await mock.createAccount({ variant: 'single' });
  const ask = (target, apikey) =>
    answerOf(get(`${mock.url}${target}?apikey=${apiKey}`, { agent: mock.agent }));
  await ask('/momo/balance', mock.apiKey);
  await ask('/momo/balance', shop.apiKey);
  await shop.respondWith([{ status: 503 }, { delay: 300 }]);
  await ask('/momo/balance', shop.apiKey);
  await ask('/momo/balance', shop.apiKey);
  await ask('/momo/ballance', mock.apiKey);
  await answerOf(get(`${mock.url}/momo/balance?api_key=x`, { agent: mock.agent }));
  await answerOf(getPlain(`${mock.url.replace('https', 'http')}/momo/balance`));
  await answerOf(get(`${mock.url}/momo/balance`)).catch(() => {});
  await mock.setBalance({ success: true, balance: [{ amount: 50, currency: 'XOF' }] });
  await ask('/momo/balance', mock.apiKey);
}

async function answerOf(request) {
  const [response] = await once(request, 'response');
  response.resume();
  await once(response, 'end');
}

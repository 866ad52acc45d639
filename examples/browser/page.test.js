import assert from 'node:assert/strict';
import { execFileSync } from 'node:child_process';
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, before, describe, test } from 'node:test';
import { startMomoMock } from 'momo-mock';
import { chromium } from 'playwright-core';

describe('the page', () => {
  const home = mkdtempSync(join(tmpdir(), 'home-'));
  let mock;
  let browser;
  before(async () => {
    mock = await startMomoMock();
    trust(mock.ca);
    browser = await chromium.launch({
      executablePath: process.env.CHROMIUM ?? '/usr/bin/chromium',
      env: { ...process.env, HOME: home },
    });
  });
  after(async () => {
    await browser?.close();
    await mock.close();
    rmSync(home, { recursive: true, force: true });
  });

  /** Adds a certificate to the store that Chromium on Linux reads in the test's home folder. */
  function trust(ca) {
    const store = join(home, '.pki/nssdb');
    const file = join(home, 'momo-mock.pem');
    mkdirSync(store, { recursive: true });
    writeFileSync(file, ca);
    const certutil = (...args) => execFileSync('certutil', ['-d', `sql:${store}`, ...args]);
    certutil('-N', '--empty-password');
    certutil('-A', '-n', 'momo-mock', '-t', 'P,,', '-i', file);
  }

  /** Returns the text that the page shows for a key after loading. */
  async function shownTo(apikey) {
    const page = await browser.newPage();
    const query = new URLSearchParams({ url: mock.url, apikey });
    await page.goto(`${new URL('index.html', import.meta.url)}?${query}`);
    const shown = await page.locator('#balance', { hasNotText: '…' }).textContent();
    await page.close();
    return shown;
  }

  test('shows the balance', async () => {
    const account = await mock.createAccount({
      balance: { balance: [{ amount: 500, currency: 'XOF' }] },
    });
    assert.equal(await shownTo(account.apiKey), '500 XOF');
    await account.verify({ path: '/momo/balance', times: 1 });
  });

  test('says so when the service is down', async () => {
    const account = await mock.createAccount();
    await account.respondWith({ status: 503 });
    assert.match(await shownTo(account.apiKey), /not known/);
  });

  test('says so when the connection breaks', async () => {
    const account = await mock.createAccount();
    await account.respondWith({ fault: 'reset', times: 'always' });
    assert.match(await shownTo(account.apiKey), /not known/);
  });

  test('says so when the key is wrong', async () => {
    assert.match(await shownTo('wrong'), /not known/);
  });
});

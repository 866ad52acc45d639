import { once } from 'node:events';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import type { Page } from 'playwright-core';
import { describe, expect, it, onTestFinished } from 'vitest';
import { type Files, temporaryFolder, writeFiles } from '../support/fixture-folder.ts';
import { type RunningMock, runMock } from '../support/running-mock.ts';
import { expectAccessible, withChromium } from './chromium.ts';

const open = withChromium();

/** Handlers that call back: at once, and after a day. */
const HANDLERS = {
  'momo/notify.post.js': `export default ({ body }, { callback }) => {
    callback({ url: body.url, headers: body.headers, body: body.content ?? { status: 'done' } });
  };`,
  'momo/later.post.js': `export default ({ body }, { after, callback }) => {
    after(86400000, () => callback({ url: body.url, body: { status: 'later' } }));
  };`,
};

/** Starts a mock with these files over the shipped ones. */
async function runTree(files: Files, settings: Record<string, string> = {}): Promise<RunningMock> {
  const folder = temporaryFolder();
  writeFiles(folder, files);
  return await runMock({ FIXTURES_DIR: folder, ...settings });
}

/** Sends JSON to an operation. */
async function post(mock: RunningMock, path: string, value: object): Promise<void> {
  const body = JSON.stringify(value);
  const headers = { 'content-type': 'application/json', 'content-length': Buffer.byteLength(body) };
  await mock.get(`${path}?apikey=good`, { method: 'POST', headers, body });
}

/** A webhook of an application under test, which keeps the bodies that it gets. */
async function webhook(status = 200) {
  const bodies: string[] = [];
  const server = createServer(async (request, response) => {
    const chunks = await request.toArray();
    bodies.push(Buffer.concat(chunks).toString());
    response.writeHead(status).end();
  }).listen(0, '127.0.0.1');
  await once(server, 'listening');
  onTestFinished(() => void server.close());
  return { url: `http://127.0.0.1:${(server.address() as AddressInfo).port}/hook`, bodies };
}

const section = (page: Page) => page.getByRole('region', { name: 'Callbacks' });

/** The row of an attempt, by the words in it. */
function row(page: Page, words: string | RegExp) {
  const cells = section(page)
    .getByRole('row')
    .filter({ has: page.getByRole('cell') });
  return cells.filter({ hasText: words }).first();
}

/** The texts of the rows, as they are read. */
async function rows(page: Page): Promise<string[]> {
  const texts = await section(page).locator('tbody .entry').allInnerTexts();
  return texts.map((text) => text.replaceAll(/\s+/g, ' ').trim());
}

describe('callbacks on the live page', () => {
  it('have no place without a handler', async () => {
    const mock = await runMock();
    const { page } = await open(mock);
    await page.getByText('Waiting for the first request').waitFor();
    await page.getByRole('combobox', { name: 'Balance' }).waitFor();
    expect(await section(page).count()).toBe(0);
  });

  it('appear as they happen, the newest first, with what came of them', async () => {
    const mock = await runTree(HANDLERS);
    const { page } = await open(mock);
    await section(page).getByText('No callback has been sent yet.').waitFor();
    const [good, bad] = [await webhook(), await webhook(500)];
    await post(mock, '/momo/notify', { url: good.url });
    await row(page, good.url).filter({ hasText: '200' }).waitFor();
    await post(mock, '/momo/notify', { url: bad.url });
    await row(page, bad.url).filter({ hasText: '500' }).waitFor();
    const [newest, oldest] = await rows(page);
    expect(newest).toMatch(/^\d\d:\d\d:\d\d\.\d{3} account-1 POST \S+\/hook 1 500 .+s$/);
    expect(oldest).toMatch(/ account-1 POST \S+\/hook 1 200 .+s$/);
    await page.reload();
    await expect.poll(() => rows(page)).toEqual([newest, oldest]);
  });

  it('are sent again by a button, which shows its command', async () => {
    const mock = await runTree(HANDLERS);
    const { url, bodies } = await webhook();
    const { page } = await open(mock);
    await post(mock, '/momo/notify', { url, headers: { 'x-shop': 'one' } });
    const button = row(page, '200').getByRole('button');
    await button.click();
    const callback = page.getByRole('region', { name: 'Callback', exact: true });
    await callback.getByText('"status": "done"').waitFor();
    expect(await callback.innerText()).toMatch(/x-shop\s+one/);
    expect(await button.getAttribute('aria-expanded')).toBe('true');
    await page.getByRole('button', { name: 'Send again' }).click();
    await page.getByText('Sent again. Attempt 2: status 200.').waitFor();
    await page.getByText(/^curl .+\/callbacks\/1\/send$/).waitFor();
    expect(bodies).toEqual(['{"status":"done"}', '{"status":"done"}']);
    // The row that is open keeps its details below the new attempt.
    await expect
      .poll(async () => (await rows(page)).map((text) => / ([12]) 200 /.exec(text)?.[1]))
      .toEqual(['2', '1']);
    expect(await callback.count()).toBe(1);
  });

  it('to a host that is not allowed show the reason and what to do', async () => {
    const mock = await runTree(HANDLERS);
    const { page } = await open(mock);
    await post(mock, '/momo/notify', { url: 'http://192.0.2.1/hook' });
    await row(page, 'host-not-allowed').waitFor();
    await expect
      .poll(async () => (await rows(page))[0])
      .toMatch(/192\.0\.2\.1\/hook 1 – host-not-allowed\. .+MOMO_MOCK_CALLBACK_HOSTS/);
  });

  it('do not move while they are read', async () => {
    const mock = await runTree(HANDLERS);
    const { url } = await webhook();
    const { page } = await open(mock);
    await post(mock, '/momo/notify', { url });
    await row(page, '200').hover();
    await post(mock, '/momo/notify', { url });
    const fresh = section(page).getByRole('button', { name: '1 new' });
    await fresh.waitFor();
    expect(await rows(page)).toHaveLength(1);
    await page.getByRole('heading', { name: 'What is there' }).hover();
    await expect.poll(() => rows(page)).toHaveLength(2);
    await row(page, '200').getByRole('button').click();
    await post(mock, '/momo/notify', { url });
    await fresh.click();
    await expect.poll(() => rows(page)).toHaveLength(3);
    mock.controller.clearCallbacks(undefined);
    await section(page).getByText('No callback has been sent yet.').waitFor();
  });

  it('that wait for a timer are sent by Run all', async () => {
    const mock = await runTree(HANDLERS);
    const { url, bodies } = await webhook();
    const { page } = await open(mock);
    await section(page).waitFor();
    expect(await page.getByRole('button', { name: 'Run all' }).count()).toBe(0);
    await post(mock, '/momo/later', { url });
    await section(page)
      .getByText(/running\. 1 timer pending, the next one due at/)
      .waitFor();
    await page.getByRole('button', { name: 'Advance 1 min' }).click();
    await page.getByText(/^curl .+"advance":60000/).waitFor();
    expect(bodies).toEqual([]);
    await page.getByRole('button', { name: 'Run all' }).click();
    await page.getByText(/^curl .+"advance":"idle"/).waitFor();
    await row(page, '200').waitFor();
    expect(bodies).toEqual(['{"status":"later"}']);
    await page.getByRole('button', { name: 'Run all' }).waitFor({ state: 'detached' });
  });

  it('wait for the clock of the account that is chosen', async () => {
    const mock = await runTree(HANDLERS, { API_KEYS: 'good,other' });
    const { url, bodies } = await webhook();
    const { page } = await open(mock);
    await post(mock, '/momo/later', { url });
    await page.getByLabel('Account', { exact: true }).selectOption('account-2');
    await page.getByRole('button', { name: 'Run all' }).waitFor({ state: 'detached' });
    await page.getByLabel('Account', { exact: true }).selectOption('account-1');
    await page.getByRole('button', { name: 'Run all' }).click();
    await page.getByText(/^curl .+account: account-1.+"advance":"idle"/).waitFor();
    await expect.poll(() => bodies).toHaveLength(1);
  });

  it('are text, accessible, and fit on a phone', async () => {
    const mock = await runTree(HANDLERS);
    const { url } = await webhook();
    const { page } = await open(mock);
    const image = '<img src=x onerror="document.title=1">';
    const long = `${url}?a=${encodeURIComponent(image)}&b=${'x'.repeat(3000)}`;
    await post(mock, '/momo/notify', { url: 'http://192.0.2.1/hook' });
    await post(mock, '/momo/later', { url });
    await post(mock, '/momo/notify', { url: long, headers: { 'x-a': image }, content: image });
    await row(page, '200').getByRole('button').click();
    await page.getByText('onerror').first().waitFor();
    await page.getByRole('button', { name: 'Send again' }).click();
    await page.getByText('Attempt 2: status 200.').waitFor();
    expect(await page.locator('img').count()).toBe(0);
    expect(await page.title()).not.toBe('1');
    await expectAccessible(page, '.callbacks');
  });
});

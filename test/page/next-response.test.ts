import { execFile } from 'node:child_process';
import type { Page } from 'playwright-core';
import { describe, expect, it, vi } from 'vitest';
import { send } from '../support/client.ts';
import { needs } from '../support/machine.ts';
import type { TestServer } from '../support/mock.ts';
import { chooseAccount, withChromium } from './chromium.ts';

// Chromium takes long on a busy machine.
vi.setConfig({ testTimeout: 600_000, hookTimeout: 600_000 });

const open = withChromium();

/** The response of the service: its status and body, or the code of the connection error. */
async function receive(mock: TestServer, key = 'good', signal?: AbortSignal): Promise<string> {
  return await send(mock, `/momo/balance?apikey=${key}`, { signal }).then(
    ({ status, text }) => `${status} ${text.trim()}`,
    ({ code }) => `${code}`,
  );
}

/** Clicks a button, and returns the command that the page then shows. */
async function click(page: Page, name: string | RegExp): Promise<string> {
  await page.getByRole('button', { name, exact: true }).click();
  const line = page.locator('code').filter({ hasText: /^curl .*-(X|d)/ });
  const shown = page.getByRole('status').filter({ has: line });
  await shown.waitFor();
  return await shown.locator('code').innerText();
}

const nothing = (page: Page) => page.getByText('Nothing for all accounts.');

/** The scripted responses for all accounts, as they were sent. */
const scripts = (mock: TestServer) =>
  (mock.all.responses.save() ?? []).map(({ response }) => JSON.parse(response));

const URL = { url: 'http://localhost:9/' };
const EARLY = { ...URL, before: true };
const LATE = { status: 502, webhook: EARLY, afterHandler: true };

/** Opens the editor of the balance. */
async function openEditor(page: Page) {
  await page.getByRole('button', { name: 'Edit the balance' }).click();
  const form = page.getByRole('form', { name: 'Balance' });
  return { form, text: form.getByRole('textbox') };
}

it('a rate limit is set for all accounts or for one, and removed', async () => {
  const { mock, page } = await open();
  const select = page.getByLabel('Rate limit');
  await select.selectOption('1 request in 1 s');
  await page.getByText('Each account may make 1 request in 1 s: all accounts.').waitFor();
  await mock.all.setRateLimit({ limit: 1, window: 7000 });
  await expect.poll(() => select.inputValue()).toBe('1/7000');
  expect([await receive(mock), await receive(mock)]).toEqual([
    expect.stringMatching(/^200/),
    expect.stringMatching(/^429/),
  ]);
  await select.selectOption('not set');
  await page.getByText('No rate limit is set for all accounts.').waitFor();
  expect(await receive(mock)).toMatch(/^200/);
});

describe('the next response', () => {
  it('is the response of the form, which omits empty fields and names a mistake', async () => {
    const { mock, page } = await open();
    await page.getByRole('button', { name: 'Other…' }).click();
    const form = page.getByRole('form', { name: 'Another response' });
    await form.getByLabel('Delay').fill('soon');
    await form.getByRole('button', { name: /^Add/ }).click();
    await form.getByText(/^Failed to read .*delay/).waitFor();
    expect(await scripts(mock)).toEqual([]);
    await form.getByLabel('Delay').fill('');
    await page.getByLabel('Operation of the next response').selectOption('GET /momo/balance');
    await form.getByLabel('Status').fill('418');
    await form.getByLabel(/^Body/).fill('{"tea":12345678901234567890, "sugar":1.00}');
    await form.getByLabel('Times').fill('always');
    await click(page, /^Add/);
    for (let n = 0; n < 3; n++)
      expect(await receive(mock)).toBe('418 {"tea":12345678901234567890,"sugar":1.00}');
    await form.getByLabel('Status').fill('');
    await form.getByLabel('Times').fill('2');
    await form.getByLabel('Delay').fill('0');
    await form.getByLabel('Fault').selectOption('hang');
    await form.getByLabel(/^Body/).fill('{"tea":');
    await click(page, /^Remove .*418/);
    await nothing(page).waitFor();
    await click(page, /^Add/);
    const operation = 'GET /momo/balance';
    await expect
      .poll(() => scripts(mock))
      .toEqual([{ operation, delay: 0, fault: 'hang', body: '{"tea":', times: 2 }]);
  });

  it('is described in words', async () => {
    const { mock, page } = await open();
    const list = [
      ['the normal response', {}],
      ['503, own body', { status: 503, body: '', times: 'always' }],
      ['headers x-a, x-b', { headers: { 'x-a': '1', 'x-b': '2' } }],
      ['after 1 to 2 ms', { delay: { min: 1, max: 2 } }],
      ['after about 5 ms', { delay: { median: 5, sigma: 0.5 } }],
      [
        'after 3 ms, body in chunks over 20 ms',
        { fault: { type: 'dribble', duration: 20 }, delay: 3 },
      ],
      ['401, before the key check', { status: 401, beforeKeyCheck: true }],
      ['502, 1 webhook before it, after the handler', LATE],
      ['1 webhook before it, 2 webhooks afterwards', { webhook: [EARLY, URL, URL] }],
    ] as const;
    const responses = list.map(([, response]) => response);
    await mock.all.responses.add(responses);
    const words = () => page.getByRole('list').locator('strong').allInnerTexts();
    await expect.poll(words).toEqual(list.map(([words]) => words));
  });

  it('is normal only for an account for which nothing is scripted', async () => {
    const { mock, page } = await open();
    await mock.mock.account('good')?.responses.add([{ status: 503 }]);
    await nothing(page).waitFor();
    expect(await page.getByText('The next responses are normal.').count()).toBe(0);
    await chooseAccount(page, 'account-1');
    await page.getByText('1 left').waitFor();
    await receive(mock);
    await page.getByText('Nothing. The next responses are normal.').waitFor();
  });

  it('is shown with its remaining uses and as a command, and can be removed', async (context) => {
    needs(context, 'curl');
    const { mock, page } = await open();
    const line = await click(page, '503 twice');
    await page.getByText('2 left').waitFor();
    expect(await receive(mock)).toMatch(/^503/);
    await page.getByText('1 left').waitFor();
    // In its own process, because the mock responds in this one.
    await new Promise((resolve) => execFile('sh', ['-c', line], resolve));
    await page.getByText('2 left').waitFor();
    await page
      .getByRole('button', { name: /^Remove 503/ })
      .first()
      .click();
    await page.getByText('1 left').waitFor({ state: 'detached' });
    await click(page, /^Remove 503/);
    await nothing(page).waitFor();
    expect(await receive(mock)).toMatch(/^200/);
  });
});

describe('the balance', () => {
  it('is the balance of the chosen variant, unless a test set one', async () => {
    const { mock, page } = await open();
    const variant = page.getByRole('combobox', { name: 'Balance' });
    const winner = page.getByText(/^set for (account-1|all accounts): overrides every variant$/);
    await variant.selectOption('empty');
    await expect.poll(() => receive(mock)).toMatch(/"balance":\s*\[\s*\]/);
    expect(await winner.count()).toBe(0);
    const account = mock.mock.account('good');
    account.balanceSet.set('{"mine":1}');
    await chooseAccount(page, 'account-1');
    await winner.waitFor();
    account.balanceSet.set(undefined);
    await winner.waitFor({ state: 'detached' });
    mock.all.balanceSet.set('{"all":1}');
    await winner.waitFor();
    expect(await receive(mock)).toContain('"all":1');
  });

  it('can be edited, is checked during editing, and can be removed', async () => {
    const { mock, page } = await open();
    const normal = await receive(mock);
    const { form, text } = await openEditor(page);
    await expect.poll(() => text.inputValue()).toContain('"balance"');
    await text.fill('{\n  "balance": \n}');
    await form.getByText('Line 3, column 1: value expected').waitFor();
    await text.fill('{"balance": 12}');
    await click(page, 'Set');
    expect(await page.evaluate<string>('document.activeElement.textContent')).toBe('Edit');
    expect(await receive(mock)).toBe('200 {"balance": 12}');
    await openEditor(page);
    await expect.poll(() => text.inputValue()).toContain('12');
    await click(page, 'Remove');
    await expect.poll(() => receive(mock)).toBe(normal);
  });

  it('in the editor is the current one until it is edited, and a refused one stays', async () => {
    const { mock, page } = await open();
    const { form, text } = await openEditor(page);
    mock.all.balanceSet.set('{"of":"another test"}');
    await expect.poll(() => text.inputValue()).toContain('another test');
    await text.fill('{"mine": 1}');
    mock.all.balanceSet.set('{"of":"a third one"}');
    await page.locator('.preview', { hasText: 'a third one' }).waitFor();
    const schema = {
      file: 'x.schema.json',
      schema: {},
      violations: () => [{ path: ['balance'], phrase: '/balance must be array' }],
    };
    Object.assign(mock.mock.operations[0] ?? {}, { schema });
    await form.getByRole('button', { name: 'Set', exact: true }).click();
    await form.getByText('/balance must be array').waitFor();
    expect(await text.inputValue()).toBe('{"mine": 1}');
  });
});

describe('the other settings', () => {
  it('set the TLS mode, and reset everything after a confirmation', async () => {
    const { mock, page } = await open();
    await page.getByLabel('TLS').selectOption('expired');
    await expect.poll(() => mock.tls.mode).toBe('expired');
    expect(await receive(mock)).toBe('CERT_HAS_EXPIRED');
    await click(page, '429');
    const reset = page.getByRole('button', { name: 'Reset everything…' });
    page.once('dialog', (dialog) => dialog.dismiss());
    await reset.click();
    expect(await scripts(mock)).toHaveLength(1);
    page.once('dialog', (dialog) => dialog.accept());
    await reset.click();
    await expect.poll(() => scripts(mock)).toEqual([]);
    await expect.poll(() => page.getByLabel('TLS').inputValue()).toBe('normal');
  });

  it('create an account, select it for the next response, and show its key once', async () => {
    const { mock, page } = await open();
    const selected = page.getByLabel('Account', { exact: true });
    await page.getByRole('button', { name: 'New account' }).click();
    await expect.poll(() => selected.inputValue()).toBe('account-2');
    const key = await page.getByText(/^momo_test_[\w-]{24}$/).innerText();
    await click(page, '429');
    expect(await receive(mock)).toMatch(/^200/);
    expect(await receive(mock, key)).toMatch(/^429/);
    await page.reload();
    await selected.waitFor();
    expect(await page.content()).not.toContain(key);
    await chooseAccount(page, 'account-2');
    mock.mock.removeAccount(mock.mock.account(key));
    await expect.poll(() => selected.inputValue()).toBe('');
  });
});

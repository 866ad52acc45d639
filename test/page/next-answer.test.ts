import { execFile } from 'node:child_process';
import type { Page } from 'playwright-core';
import { describe, expect, it } from 'vitest';
import { needs } from '../support/machine.ts';
import { type RunningMock, runMock } from '../support/running-mock.ts';
import { withChromium } from './chromium.ts';

const open = withChromium();
const HIDDEN = { state: 'hidden' } as const;

/** What the service answers: a status and a body, or the code of the error on the connection. */
async function answer(mock: RunningMock, key = 'good'): Promise<string> {
  const signal = AbortSignal.timeout(1500);
  return await mock.get(`/momo/balance?apikey=${key}`, { signal }).then(
    ({ status, body }) => `${status} ${body.trim()}`,
    ({ code }) => `${code}`,
  );
}

/** Clicks a button, and waits until the page shows what it did as a command. */
async function click(page: Page, name: string): Promise<string> {
  await page.getByRole('button', { name, exact: true }).click();
  return await command(page);
}

/** The last command that the page shows. */
async function command(page: Page): Promise<string> {
  const line = page.locator('code').filter({ hasText: /^curl .*-(X|d)/ });
  const shown = page.getByRole('status').filter({ has: line });
  await shown.waitFor();
  return await shown.locator('code').innerText();
}

describe('the next answer', () => {
  it('is what the button says', async () => {
    const mock = await runMock();
    const { page } = await open(mock);
    const expected: [name: string, answers: RegExp[]][] = [
      ['503 twice', [/^503 /, /^503 /]],
      ['429', [/^429/]],
      ['No answer', [/^ABORT_ERR/]],
      ['Connection reset', [/^ECONNRESET/]],
      ['Half a body', [/^ECONNRESET|^HPE/]],
    ];
    for (const [name, answers] of expected) {
      await page.getByRole('button', { name, exact: true }).click();
      await page.getByText('Nothing. The next answers are the normal ones.').waitFor(HIDDEN);
      for (const one of [...answers, /^200 /]) expect(await answer(mock), name).toMatch(one);
      await page.getByText('Nothing. The next answers are the normal ones.').waitFor();
    }
  });

  it('is slow by a button', async () => {
    const mock = await runMock();
    const { page } = await open(mock);
    await click(page, 'Slow 2 s');
    const [script] = (await mock.mock.store.get(undefined)).scripts;
    expect(script?.given).toMatchObject({ delay: 2000 });
  });

  it('is for one account where one is chosen', async () => {
    const mock = await runMock();
    const { key: other } = await mock.controller.createAccount({});
    const { page } = await open(mock);
    await page.getByLabel('Account', { exact: true }).selectOption('account-2');
    await click(page, '429');
    expect(await answer(mock)).toMatch(/^200/);
    expect(await answer(mock, other)).toMatch(/^429/);
  });

  it('is whatever the form says', async () => {
    const mock = await runMock();
    const { page } = await open(mock);
    await page.getByRole('button', { name: 'Other…' }).click();
    const form = page.getByRole('form', { name: 'Another answer' });
    await form.getByLabel('Status').fill('418');
    await form.getByLabel(/^Body/).fill('{"tea":true}');
    await form.getByLabel('always').check();
    await form.getByRole('button', { name: /^Add/ }).click();
    await command(page);
    for (let n = 0; n < 3; n++) expect(await answer(mock)).toBe('418 {"tea":true}');
  });

  it('is not set by a form with a mistake, which is named', async () => {
    const mock = await runMock();
    const { page } = await open(mock);
    await page.getByRole('button', { name: 'Other…' }).click();
    const form = page.getByRole('form', { name: 'Another answer' });
    await form.getByLabel('Status').fill('99');
    await form.getByRole('button', { name: /^Add/ }).click();
    await form.getByText(/^Failed to read .*status.* 200 to 599/).waitFor();
    expect(await answer(mock)).toMatch(/^200/);
  });

  it('is shown with how much of it is left, and is removed by a button', async () => {
    const mock = await runMock();
    const { page } = await open(mock);
    await click(page, '503 twice');
    await page.getByText('2 left').waitFor();
    expect(await answer(mock)).toMatch(/^503/);
    await page.getByText('1 left').waitFor();
    await page
      .getByRole('button', { name: /^Remove/ })
      .first()
      .click();
    await page.getByText('Nothing. The next answers are the normal ones.').waitFor();
    expect(await answer(mock)).toMatch(/^200/);
  });

  it('is shown as a command that does the same', async (context) => {
    needs(context, 'curl');
    const mock = await runMock();
    const { page } = await open(mock);
    const line = await click(page, 'Connection reset');
    expect(await answer(mock)).toBe('ECONNRESET');
    // In its own process, since the mock answers in this one.
    await new Promise((resolve) => execFile('sh', ['-c', line], resolve));
    expect(await answer(mock)).toBe('ECONNRESET');
    expect(await answer(mock)).toMatch(/^200/);
  });
});

describe('the balance', () => {
  it('is that of the chosen variant', async () => {
    const mock = await runMock();
    const { page } = await open(mock);
    const [normal] = [await answer(mock)];
    await page.getByRole('combobox', { name: 'Balance' }).selectOption('empty');
    await command(page);
    expect(await answer(mock)).toMatch(/"balance":\s*\[\s*\]/);
    await page.getByRole('combobox', { name: 'Balance' }).selectOption('default');
    await expect.poll(() => answer(mock)).toBe(normal);
  });

  it('is edited, checked while it is written, and removed', async () => {
    const mock = await runMock();
    const { page } = await open(mock);
    const normal = await answer(mock);
    await page.getByRole('button', { name: 'Edit the balance' }).click();
    const form = page.getByRole('form', { name: 'Balance' });
    const text = form.getByRole('textbox');
    await expect.poll(() => text.inputValue()).toContain('"balance"');
    await text.fill('{\n  "balance": \n}');
    await form.getByText('Line 3, column 1: value expected').waitFor();
    await text.fill('{"balance": 12}');
    await form.getByRole('button', { name: 'Set', exact: true }).click();
    await command(page);
    expect(await answer(mock)).toBe('200 {"balance": 12}');
    await page.getByRole('button', { name: 'Edit the balance' }).click();
    await expect.poll(() => text.inputValue()).toContain('12');
    await page.getByRole('combobox', { name: 'Balance' }).selectOption('empty');
    await page.getByText('The set balance wins over the variant').waitFor();
    await page.getByRole('combobox', { name: 'Balance' }).selectOption('default');
    await form.getByRole('button', { name: 'Remove', exact: true }).click();
    await expect.poll(() => answer(mock)).toBe(normal);
  });

  it('in the editor is the one that there is, until it is edited', async () => {
    const mock = await runMock();
    const { page } = await open(mock);
    await page.getByRole('button', { name: 'Edit the balance' }).click();
    const text = page.getByRole('form', { name: 'Balance' }).getByRole('textbox');
    mock.controller.setBalance(undefined, Buffer.from('{"of":"another test"}'));
    await expect.poll(() => text.inputValue()).toContain('another test');
    await text.fill('{"mine": 1}');
    mock.controller.setBalance(undefined, Buffer.from('{"of":"a third one"}'));
    await page.locator('.preview', { hasText: 'a third one' }).waitFor();
    expect(await text.inputValue()).toBe('{"mine": 1}');
  });

  it('that the schema refuses is not set; the problem is shown beside it', async () => {
    const mock = await runMock();
    const { page } = await open(mock);
    const [operation] = mock.mock.operations;
    Object.assign(operation ?? {}, {
      schema: { file: 'x.schema.json', schema: {}, validate: () => ['/balance must be array'] },
    });
    await page.getByRole('button', { name: 'Edit the balance' }).click();
    const form = page.getByRole('form', { name: 'Balance' });
    await form.getByRole('textbox').fill('{"balance":1}');
    await form.getByRole('button', { name: 'Set', exact: true }).click();
    await form.getByText('/balance must be array').waitFor();
    expect(await form.getByRole('textbox').inputValue()).toBe('{"balance":1}');
    expect(await mock.controller.balance(undefined)).toBeUndefined();
  });
});

describe('the rest', () => {
  it('sets the TLS mode', async () => {
    const mock = await runMock();
    const { page } = await open(mock);
    await page.getByLabel('TLS').selectOption('expired');
    await expect.poll(() => mock.tls.mode).toBe('expired');
    expect(await answer(mock)).toBe('CERT_HAS_EXPIRED');
    await mock.tls.set('normal');
    await expect.poll(() => page.getByLabel('TLS').inputValue()).toBe('normal');
  });

  it('resets everything, after a second click', async () => {
    const mock = await runMock();
    const { page } = await open(mock);
    await click(page, '429');
    await page.getByRole('button', { name: 'Reset…' }).click();
    await page.getByRole('button', { name: /^Reset (all|everything)/ }).click();
    await expect.poll(async () => (await mock.mock.store.get(undefined)).scripts).toEqual([]);
  });

  it('makes an account, selects it, and shows its key once', async () => {
    const mock = await runMock();
    const { page } = await open(mock);
    const selected = page.getByLabel('Account', { exact: true });
    await expect.poll(() => selected.inputValue()).toBe('');
    await page.getByRole('button', { name: 'New account' }).click();
    await expect.poll(() => selected.inputValue()).toBe('account-2');
    const shown = page.getByText(/momo_test_[\w-]{24}/).first();
    await shown.waitFor();
    const [key = ''] = /momo_test_[\w-]{24}/.exec(await shown.innerText()) ?? [];
    expect(await answer(mock, key)).toMatch(/^200/);
    await page.reload();
    await page.getByLabel('Account', { exact: true }).waitFor();
    expect(await page.content()).not.toContain(key);
  });

  it('says that a set balance wins over a variant, as soon as both are set', async () => {
    const mock = await runMock();
    const { page } = await open(mock);
    const winner = page.getByText('The set balance wins over the variant empty');
    await page.getByLabel('Balance', { exact: true }).selectOption('empty');
    await expect.poll(() => answer(mock)).toMatch(/"balance": ?\[\]/);
    expect(await winner.count()).toBe(0);
    mock.controller.setBalance('good', Buffer.from('{"mine":1}'));
    await page.getByLabel('Account', { exact: true }).selectOption('account-1');
    await winner.waitFor();
    mock.controller.setBalance('good', undefined);
    await winner.waitFor({ state: 'detached' });
    mock.controller.setBalance(undefined, Buffer.from('{"all":1}'));
    await winner.waitFor();
    expect(await answer(mock)).toContain('"all":1');
  });
});

import { expect, it, vi } from 'vitest';
import { ask } from '../support/client.ts';
import type { TestServer } from '../support/mock.ts';
import { startWebhook } from '../support/webhook.ts';
import { chooseAccount, row, rows, withChromium } from './chromium.ts';

// Chromium takes long on a busy machine.
vi.setConfig({ testTimeout: 600_000, hookTimeout: 600_000 });

const open = withChromium();

/** A mock with the preset of a provider, and its page for the account, whose clock stands still. */
async function start() {
  const { mock, page } = await open({ PRESET: 'chipdeals' });
  const account = mock.mock.account('good');
  await account.clock.change({ freeze: true });
  await chooseAccount(page, 'account-1');
  return { mock, page, account, webhook: await startWebhook() };
}

/** Pays, and waits until the payment has ended. */
async function pay(mock: TestServer, webhookUrl: string): Promise<void> {
  const phone = { senderPhoneNumber: '22951010200', amount: 500, currency: 'XOF' };
  await ask(mock, '/momo/requestPayment', { method: 'POST', body: { ...phone, webhookUrl } });
  await mock.mock.account('good').clock.change({ advance: 'idle' });
}

it('somebody without code loses the last webhook of a payment, and sends another one with its signature', async () => {
  const { mock, page, account, webhook } = await start();
  account.state.set('secretHash', 's3cret');
  await pay(mock, webhook.url);
  const said = (code: number, state: string) =>
    `collection.stateChanged, ${state}, statusMessageCode ${code}`;
  const webhooks = page.getByRole('region', { name: 'Webhooks' });
  await row(webhooks, said(200, 'success')).waitFor();
  const shown = (await rows(webhooks)).map((text) => / account-1 (.+) POST /.exec(text)?.[1]);
  expect(shown).toEqual([said(200, 'success'), said(203, 'pending'), said(202, 'pending')]);

  await page.getByRole('button', { name: 'More…' }).click();
  const form = page.getByRole('form', { name: 'Script a webhook' });
  await form.getByLabel('Like a webhook that was sent').selectOption(said(200, 'success'));
  await form.getByLabel('Lose it').check();
  await form.getByRole('button', { name: 'Add for account-1' }).click();
  await page.getByRole('button', { name: 'Twice', exact: true }).click();
  await page.getByRole('button', { name: 'Remove twice for any webhook' }).click();
  await expect.poll(() => account.webhookScript.value).toMatchObject([{ lose: true }]);
  // The rows below the list moved up to the mouse, and do not move while it is there.
  await page.mouse.move(0, 0);
  await pay(mock, webhook.url);
  await row(webhooks, 'lost')
    .filter({ hasText: said(200, 'success') })
    .waitFor();
  expect(webhook.calls).toHaveLength(5);
  await page.getByRole('button', { name: /^Remove lost for/ }).waitFor({ state: 'detached' });

  await page.getByRole('button', { name: 'Send webhook…' }).click();
  const sending = page.getByRole('form', { name: 'Send a webhook' });
  const body = sending.getByLabel(/^Body/);
  await expect.poll(() => body.inputValue()).toContain('"status": "success"');
  await body.fill((await body.inputValue()).replace('"status": "success"', '"status": "error"'));
  await sending.getByRole('button', { name: 'Send for account-1' }).click();
  await page.mouse.move(0, 0);
  await row(webhooks, said(200, 'error')).filter({ hasText: ' 200 ' }).waitFor();
  expect(webhook.calls.at(-1)).toMatchObject({ headers: { 'verif-hash': 's3cret' } });
  expect(await page.content()).not.toContain('s3cret');
});

it('somebody without code edits the state, which the next payment follows, and sees what its schema refuses', async () => {
  const { mock, page, account, webhook } = await start();
  await page.getByRole('button', { name: 'Show the state' }).click();
  await page.getByRole('button', { name: 'Edit the value outcomes' }).click();
  const form = page.getByRole('form', { name: 'Value' });
  const text = form.getByRole('textbox');
  await text.fill('{"22951010200": "sometimes"}');
  await form.getByRole('button', { name: 'Set' }).click();
  await form.getByText('as required by', { exact: false }).waitFor();
  await text.fill('{"22951010200": 402}');
  await form.getByRole('button', { name: 'Set' }).click();
  await form.waitFor({ state: 'detached' });
  expect(await page.evaluate<string>('document.activeElement.textContent')).toBe('outcomes');
  await page.getByText('{"22951010200":402}').waitFor();
  await page.getByRole('button', { name: 'New value…' }).click();
  await form.getByLabel('Name').fill('outcome');
  await form.getByLabel('Its value').fill('1');
  await form.getByRole('button', { name: 'Set' }).click();
  await form.getByText('Did you mean "outcomes"?').waitFor();
  await pay(mock, webhook.url);
  await row(page, 'statusMessageCode 402').waitFor();
  expect(await account.state.get('outcomes')).toEqual({ 22951010200: 402 });
});

it('a balance that a handler creates is shown as its file, and can be set', async () => {
  const { mock, page } = await start();
  await page.getByText('momo/balance.get.js', { exact: true }).waitFor();
  await page.getByRole('button', { name: 'Edit the balance' }).click();
  const form = page.getByRole('form', { name: 'Balance' });
  await form.getByText('Write it as JSON.').waitFor();
  await form.getByRole('textbox').fill('{"mine": 7.00}');
  await form.getByRole('button', { name: 'Set' }).click();
  await form.waitFor({ state: 'detached' });
  expect((await ask(mock)).text).toBe('{"mine": 7.00}');
});

import { describe, expect, it, vi } from 'vitest';
import { ask } from '../support/client.ts';
import { startServer, type TestServer } from '../support/mock.ts';
import { startWebhook } from '../support/webhook.ts';
import { chooseAccount, row, rows, withChromium } from './chromium.ts';

// Chromium takes long on a busy machine.
vi.setConfig({ testTimeout: 600_000, hookTimeout: 600_000 });

const open = withChromium();

/** Handlers that call back: immediately, and after a day. */
const HANDLERS = {
  'momo/notify.post.js': `export default ({ body }, { webhook }) => {
    webhook({ url: body.url, headers: body.headers, body: body.content ?? { status: 'done' } });
  };`,
  'momo/later.post.js': `export default ({ body }, { after, webhook }) => {
    after(86400000, () => webhook({ url: body.url, body: { status: 'later' } }));
  };`,
};

/** Starts a mock with the handlers, and a webhook; opens the page. */
async function start(settings: Record<string, string> = {}) {
  const { mock, page } = await open({}, startServer(HANDLERS, settings));
  const part = page.getByRole('region', { name: 'Webhooks' });
  return { mock, page, part, webhook: await startWebhook() };
}

const post = (mock: TestServer, path: string, body: object) =>
  ask(mock, path, { method: 'POST', body });

describe('webhooks on the live page', () => {
  it('appear as they happen, the newest first, with their outcome', async () => {
    const { mock, page, part, webhook } = await start();
    await part.getByText('No webhook has been sent yet.').waitFor();
    expect(await page.getByRole('button', { name: 'Run all' }).count()).toBe(0);
    const refusing = await startWebhook(500);
    for (const { url, status } of [
      { url: webhook.url, status: '200' },
      { url: refusing.url, status: '500' },
      { url: 'http://192.0.2.1/hook', status: '–' },
    ]) {
      await post(mock, '/momo/notify', { url });
      await row(part, url).filter({ hasText: status }).waitFor();
    }
    const shown = [
      expect.stringMatching(/hook 1 – host-not-allowed\. .+MOMO_MOCK_WEBHOOK_HOSTS/),
      expect.stringMatching(/^\d\d:\d\d:\d\d\.\d{3} account-1 done POST \S+\/hook 1 500 .+s$/),
      expect.stringMatching(/ account-1 done POST \S+\/hook 1 200 .+s$/),
    ];
    await expect.poll(() => rows(part)).toEqual(shown);
    await page.reload();
    await expect.poll(() => rows(part)).toEqual(shown);
  });

  it('do not move while they are read, and can be sent again by a button that shows its command', async () => {
    const { mock, page, part, webhook } = await start();
    const headers = { 'x-shop': 'one' };
    await post(mock, '/momo/notify', { url: webhook.url, headers });
    await row(part, '200').hover();
    await post(mock, '/momo/notify', { url: webhook.url });
    await part.getByRole('button', { name: '1 new' }).waitFor();
    expect(await rows(part)).toHaveLength(1);
    const button = row(part, '200').getByRole('button');
    await button.click();
    const details = page.getByRole('region', { name: 'Webhook', exact: true });
    await details.getByText('"status": "done"').waitFor();
    expect(await details.innerText()).toMatch(/x-shop\s+one/);
    expect(await button.getAttribute('aria-expanded')).toBe('true');
    await page.getByRole('button', { name: 'Send again' }).click();
    await page.getByText('Sent again.').waitFor();
    await page.getByText(/^curl .+\/webhooks\/1\/send$/).waitFor();
    expect(webhook.calls.map(({ body }) => body)).toEqual(Array(3).fill('{"status":"done"}'));
    // The row that is open keeps its details below the new attempt.
    const attempts = async () => (await rows(part)).map((text) => / ([12]) 200 /.exec(text)?.[1]);
    await expect.poll(attempts).toEqual(['2', '1', '1']);
    expect(await details.count()).toBe(1);
    await mock.all.webhooks.clear();
    await part.getByText('No webhook has been sent yet.').waitFor();
  });

  it('can be sent by a form and forged by a button, each with its command', async () => {
    const { mock, page, part, webhook } = await start();
    await page.getByRole('button', { name: 'Wrong signature' }).click();
    await page
      .getByText('Scripted for all accounts: any webhook, with a wrong signature.')
      .waitFor();
    await page.getByText(/^curl .*\/webhooks\/script .*\[\{"forge":"signature"\}\]/).waitFor();
    expect(mock.all.webhookScript.value).toEqual([{ forge: 'signature' }]);
    await page.getByRole('button', { name: 'Send webhook…' }).click();
    const form = page.getByRole('form', { name: 'Send a webhook' });
    await form.getByRole('button', { name: 'Send for all accounts' }).click();
    await form.getByText('Failed to read url: must be text').waitFor();
    await form.getByLabel('URL').fill(webhook.url);
    await form.getByLabel(/^Body/).fill('{"a": 1.00}');
    await form
      .getByText(/^curl .*\/webhooks -H .* -d '\{"url":.*"body":\{"a":1\.00\}\}'$/)
      .waitFor();
    await form.getByRole('button', { name: 'Send for all accounts' }).click();
    // Nothing is signed, so nothing is forged and nothing is sent.
    await row(part, 'not-forged').getByRole('button').click();
    await page.getByText('Scripted forgery: signature.').waitFor();
    await form.getByRole('button', { name: 'Send for all accounts' }).click();
    await row(part, '200').waitFor();
    expect(webhook.calls.map(({ body }) => body)).toEqual(['{"a":1.00}']);
    await form.getByRole('button', { name: 'Close' }).click();
    await form.waitFor({ state: 'hidden' });
  });

  it('that wait for the clock of the chosen account are sent when it is advanced', async () => {
    const { mock, page, part, webhook } = await start({ API_KEYS: 'good,other' });
    const runAll = page.getByRole('button', { name: 'Run all' });
    await post(mock, '/momo/later', webhook);
    await part.getByText(/running\. 1 timer pending, the next due at/).waitFor();
    await chooseAccount(page, 'account-2');
    await runAll.waitFor({ state: 'detached' });
    await chooseAccount(page, 'account-1');
    await page.getByRole('button', { name: 'Advance 1 min' }).click();
    await page.getByText(/^curl .+account: account-1.+"advance":60000/).waitFor();
    expect(webhook.calls).toEqual([]);
    await runAll.click();
    await page.getByText(/^curl .+"advance":"idle"/).waitFor();
    await row(part, '200').waitFor();
    expect(webhook.calls).toMatchObject([{ body: '{"status":"later"}' }]);
    await runAll.waitFor({ state: 'detached' });
  });
});

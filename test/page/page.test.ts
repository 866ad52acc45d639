import { describe, expect, it, onTestFinished, vi } from 'vitest';
import { ask, send } from '../support/client.ts';
import { freePort } from '../support/free-port.ts';
import { startServer } from '../support/mock.ts';
import { startWebhook } from '../support/webhook.ts';
import { chooseAccount, expectAccessible, row, withChromium } from './chromium.ts';

// Chromium takes long on a busy machine.
vi.setConfig({ testTimeout: 600_000, hookTimeout: 600_000 });

const open = withChromium();

describe('the live page', () => {
  it('shows the operations, accounts, certificate and settings', async () => {
    const { mock, page } = await open({ API_KEYS: 'canary-key,other=empty', CONTROL_TOKEN: '' });
    await page.getByRole('link', { name: 'how to trust it' }).click();
    const downloaded = page.waitForEvent('download');
    await page.getByRole('link', { name: 'Download momo-mock.pem' }).click();
    const stream = await (await downloaded).createReadStream();
    expect(`${Buffer.concat(await stream.toArray())}`).toBe(mock.ca);
    for (const name of [/^Operations and/, /^Accounts \(2/, /^Settings/]) {
      await page.locator('summary').filter({ hasText: name }).click();
    }
    const text = await page.getByRole('main').innerText();
    for (const part of ['GET /momo/balance', 'per-operator', 'account-2', 'MOMO_MOCK_LOG_LEVEL']) {
      expect(text).toContain(part);
    }
    expect(text).toContain(`curl --cacert ${mock.certificate.file}`);
    expect(text).toContain(mock.certificate.expiresAt.toISOString().slice(0, 10));
    expect(await page.content()).not.toContain('canary-key');
  });

  it('requests nothing outside the mock and nothing that is missing, and counts uncaught errors', async () => {
    const { mock, page } = await open();
    await ask(mock);
    const asked: string[] = [];
    page.on('response', (response) => asked.push(`${response.status()} ${response.url()}`));
    await page.reload();
    await row(page, '200').waitFor();
    // There is no handler that could call back.
    await chooseAccount(page, 'account-1');
    for (const words of ['1 uncaught error: see the log', '2 uncaught errors: see the log']) {
      expect(await page.getByText(words).count()).toBe(0);
      mock.reportUncaught(new Error('canary'));
      await page.getByText(words).waitFor();
    }
    expect(await page.content()).not.toContain('canary');
    expect(
      asked.filter((one) => !/^20[04] /.test(one) || !one.includes(` ${mock.controlUrl}/`)),
    ).toEqual([]);
    expect(asked.length).toBeGreaterThan(5);
  });

  it('asks for the token once, and keeps it out of every URL', async () => {
    const { page } = await open({ CONTROL_TOKEN: 'sekret-token' });
    const requested: string[] = [];
    page.on('request', (request) => requested.push(request.url()));
    const dialog = page.getByRole('dialog');
    await dialog.getByLabel('Token').fill('wrong');
    await page.keyboard.press('Enter');
    await dialog.getByText('The token is wrong').waitFor();
    await page.keyboard.press('Escape');
    await dialog.getByLabel('Token').fill('sekret-token');
    await page.keyboard.press('Enter');
    await page.getByText('Waiting for the first request').waitFor();
    await page.reload();
    await page.getByText('Waiting for the first request').waitFor();
    expect(await dialog.count()).toBe(0);
    expect(requested.filter((url) => url.includes('sekret'))).toEqual([]);
    await page.getByRole('button', { name: '429' }).click();
    const line = page.locator('code').filter({ hasText: 'authorization' });
    expect(await line.first().innerText()).toContain('Bearer $MOMO_MOCK_CONTROL_TOKEN');
  });

  it('loads in an eighth tab, because hidden ones have no connection', async () => {
    const { mock, page } = await open();
    const show = (tab: typeof page, isShown: boolean) =>
      tab.evaluate(`Object.defineProperty(document, 'hidden', { value: ${!isShown}, configurable: true });
        document.dispatchEvent(new Event('visibilitychange'))`);
    for (let tabs = 2, last = page; tabs <= 8; tabs++) {
      await show(last, false);
      last = await page.context().newPage();
      const tab = last;
      onTestFinished(() => tab.close());
      await tab.goto(`${mock.controlUrl}/`);
      await tab.getByText('Waiting for the first request').waitFor();
    }
    await ask(mock);
    await show(page, true);
    await row(page, '200').waitFor();
  });

  it('stays in sync with another page', async () => {
    const one = await open();
    const two = await open({}, one.mock);
    await one.page.getByRole('button', { name: '503 twice' }).click();
    await two.page.getByText('2 left').waitFor();
    await two.page.getByRole('combobox', { name: 'Balance' }).selectOption('empty');
    const select = one.page.getByRole('combobox', { name: 'Balance' });
    await expect.poll(() => select.inputValue()).toBe('empty');
    await send(one.mock, '/momo/balance?apikey=wrong');
    for (const { page } of [one, two]) await row(page, 'key-unknown').waitFor();
    await two.page.getByRole('button', { name: 'Clear' }).click();
    await one.page.getByText('Waiting for the first request').waitFor();
  });

  it('says that the mock is gone, and continues with the next one', async () => {
    const CONTROL_PORT = `${await freePort()}`;
    const { mock: first, page } = await open({}, startServer({}, { CONTROL_PORT }));
    await send(first, '/momo/balance?apikey=wrong');
    await row(page, 'key-unknown').waitFor();
    await first.close();
    const lost = page.getByText('The connection to momo-mock is lost');
    await lost.waitFor();
    const second = await startServer({}, { CONTROL_PORT });
    await ask(second);
    await row(page, '200').waitFor();
    expect(await lost.count()).toBe(0);
    expect(await row(page, 'key-unknown').count()).toBe(0);
  });

  it('works with only the keyboard', async () => {
    const { mock, page } = await open();
    await ask(mock);
    await row(page, '200').waitFor();
    const focused = () => page.evaluate<string>('document.activeElement?.textContent ?? ""');
    const reach = async (name: string) => {
      for (let n = 0; n < 60 && !(await focused()).startsWith(name); n++) {
        await page.keyboard.press('Tab');
      }
      expect(await focused()).toMatch(new RegExp(`^${name}`));
    };
    await reach('503 twice');
    await page.keyboard.press('Enter');
    await page.getByText('2 left').waitFor();
    await reach('GET /momo/balance');
    await page.keyboard.press('Space');
    await page.getByRole('region', { name: 'Why' }).waitFor();
    await page.keyboard.press('Tab');
    await reach('Respond with 503');
  });
});

const NOTIFY = `export default ({ body }, { after, webhook }) => {
  after(86400000, () => {});
  webhook({ url: body.url, headers: { 'x-a': body.a }, body });
  return { status: 201, body: body.a };
}`;

it('the live page escapes HTML in requests, is accessible, and fits on a phone and on a wide screen', async () => {
  const { mock, page } = await open({}, startServer({ 'momo/notify.post.js': NOTIFY }));
  const webhook = await startWebhook();
  const image = '<img src=x onerror="document.title=1"><script>document.title=1</script>';
  const query = `a=${encodeURIComponent(image)}&long=${'x'.repeat(5000)}`;
  const url = `${webhook.url}?${query}`;
  const body = JSON.stringify({ url, a: image, b: '\u202e\u0000\u001b[31m' });
  const length = Buffer.byteLength(body);
  const headers = { 'x-a': image, 'content-type': 'application/json', 'content-length': length };
  await send(mock, `/momo/${'long-'.repeat(400)}?apikey=wrong`);
  await send(mock, `/momo/notify?apikey=good&${query}`, { method: 'POST', headers, body });
  await mock.all.responses.add([{ status: 503, times: 2 }, { fault: 'hang' }]);
  await mock.all.scriptWebhooks([{ match: { body: { status: image } } }, { lose: true }]);
  mock.all.state.set(image, { image, long: 'x'.repeat(5000) });
  mock.all.balanceSet.set(JSON.stringify(image));
  await page.getByText('2 left').waitFor();
  for (const summary of await page.locator('summary').all()) await summary.click();
  await page.getByRole('button', { name: 'Other…' }).click();
  await page.getByRole('button', { name: 'Edit the balance' }).click();
  await page.getByRole('button', { name: 'Show the state' }).click();
  await page.getByRole('button', { name: `Edit the value ${image}` }).click();
  await page.getByRole('form', { name: 'Value' }).waitFor();
  await row(page, webhook.url).getByRole('button').click();
  await page.getByRole('region', { name: 'Webhook', exact: true }).waitFor();
  await row(page, '201').getByRole('button').click();
  await page.getByRole('region', { name: 'Request', exact: true }).waitFor();
  await page.getByRole('button', { name: 'Send webhook…' }).click();
  await page.getByRole('form', { name: 'Send a webhook' }).waitFor();
  expect(await page.locator('img, main script').count()).toBe(0);
  expect(await page.title()).not.toBe('1');
  await expectAccessible(page);
  await page.getByRole('button', { name: 'More…' }).click();
  await page.getByRole('form', { name: 'Script a webhook' }).waitFor();
  await page.getByRole('button', { name: 'New value…' }).click();
  await page.getByRole('form', { name: 'Value' }).getByLabel('Name').waitFor();
  await expectAccessible(page);
});

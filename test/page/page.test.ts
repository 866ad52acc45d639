import { describe, expect, it } from 'vitest';
import { runMock } from '../support/running-mock.ts';
import { expectAccessible, withChromium } from './chromium.ts';

const open = withChromium();

describe('the live page', () => {
  it('shows what is there: operations, accounts, the certificate, settings', async () => {
    const mock = await runMock({ API_KEYS: 'canary-key,other=empty', CONTROL_TOKEN: '' });
    const { page } = await open(mock);
    await page.getByRole('heading', { name: 'What is there' }).waitFor();
    for (const summary of await page.locator('summary').all()) await summary.click();
    const text = await page.getByRole('main').innerText();
    for (const part of ['GET /momo/balance', 'per-operator', 'account-2', 'MOMO_MOCK_LOG_LEVEL']) {
      expect(text).toContain(part);
    }
    expect(text).toContain(`curl --cacert ${mock.certificate.file}`);
    expect(text).toContain(mock.certificate.expiresAt.toISOString().slice(0, 10));
    expect(await page.content()).not.toContain('canary-key');
  });

  it('counts uncaught errors as they happen, if there are any', async () => {
    const mock = await runMock();
    const { page } = await open(mock);
    await page.getByText('Waiting for the first request').waitFor();
    expect(await page.getByText('uncaught error').count()).toBe(0);
    mock.reportUncaught(new Error('canary'));
    await page.getByText('1 uncaught error: see the log').waitFor();
    mock.reportUncaught(new Error('canary'));
    await page.getByText('2 uncaught errors: see the log').waitFor();
    expect(await page.content()).not.toContain('canary');
  });

  it('asks for nothing outside of the mock, and for nothing that is not there', async () => {
    const mock = await runMock();
    const { page, requested, refused } = await open(mock);
    await page.getByRole('heading', { name: 'Requests' }).waitFor();
    await mock.get('/momo/balance?apikey=good');
    await page.getByRole('row').filter({ hasText: '200' }).waitFor();
    expect(requested.filter((url) => !url.startsWith(`${mock.controlUrl}/`))).toEqual([]);
    expect(requested.length).toBeGreaterThan(5);
    await page.getByLabel('Account', { exact: true }).selectOption('account-1');
    await page.getByLabel('Edit the balance').click();
    await page.getByRole('textbox', { name: 'Balance' }).first().waitFor();
    expect(refused).toEqual([]);
  });

  it('asks for the token once, and keeps it out of every URL', async () => {
    const mock = await runMock({ CONTROL_TOKEN: 'sekret-token' });
    const { page, requested } = await open(mock);
    const dialog = page.getByRole('dialog');
    await dialog.getByLabel('Token').fill('wrong');
    await page.keyboard.press('Enter');
    await dialog.getByText('The token is wrong').waitFor();
    await dialog.getByLabel('Token').fill('sekret-token');
    await page.keyboard.press('Enter');
    await page.getByText('Waiting for the first request').waitFor();
    await page.reload();
    await page.getByText('Waiting for the first request').waitFor();
    expect(await page.getByRole('dialog').count()).toBe(0);
    expect(requested.filter((url) => url.includes('sekret'))).toEqual([]);
    await page.getByRole('button', { name: '429' }).click();
    const line = page.locator('code').filter({ hasText: 'authorization' });
    expect(await line.first().innerText()).toContain('Bearer $MOMO_MOCK_CONTROL_TOKEN');
  });

  it('stays in step with another page', async () => {
    const mock = await runMock();
    const [one, two] = [await open(mock), await open(mock)];
    await one.page.getByRole('button', { name: '503 twice' }).click();
    await two.page.getByText('2 left').waitFor();
    await two.page.getByRole('combobox', { name: 'Balance' }).selectOption('empty');
    const select = one.page.getByRole('combobox', { name: 'Balance' });
    await expect.poll(() => select.inputValue()).toBe('empty');
    await mock.get('/momo/balance?apikey=wrong');
    for (const { page } of [one, two]) {
      await page.getByRole('row').filter({ hasText: 'key-unknown' }).waitFor();
    }
    await two.page.getByRole('button', { name: 'Clear' }).click();
    await one.page.getByText('Waiting for the first request').waitFor();
  });

  it('says that the mock is gone, and goes on with the next one', async () => {
    const first = await runMock({}, { own: true });
    const { page } = await open(first);
    await first.get('/momo/balance?apikey=wrong');
    await page.getByRole('row').filter({ hasText: 'key-unknown' }).waitFor();
    await first.close();
    await page.getByText('The connection to momo-mock is lost').first().waitFor();
    const { port } = new URL(first.controlUrl ?? '');
    const second = await runMock({ CONTROL_PORT: port });
    await second.get('/momo/balance?apikey=good');
    await page.getByRole('row').filter({ hasText: '200' }).waitFor();
    expect(await page.getByText('The connection to momo-mock is lost').count()).toBe(0);
    expect(await page.getByRole('row').filter({ hasText: 'key-unknown' }).count()).toBe(0);
  });

  it('works by keyboard alone', async () => {
    const mock = await runMock();
    const { page } = await open(mock);
    await mock.get('/momo/balance?apikey=good');
    await page.getByRole('row').filter({ hasText: '200' }).waitFor();
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
    await reach('Answer 503');
  });
});

it('is accessible and fits, on a phone and a wide screen, in light and dark', async () => {
  const mock = await runMock();
  const { page } = await open(mock);
  await mock.get('/momo/balance?apikey=good');
  await mock.get(`/momo/${'long-'.repeat(400)}?apikey=wrong`);
  await mock.controller.script(undefined, [{ status: 503, times: 2 }, { fault: 'hang' }], 'append');
  await page.getByText('2 left').waitFor();
  for (const summary of await page.locator('summary').all()) await summary.click();
  await page.getByRole('button', { name: 'Other…' }).click();
  await page.getByRole('button', { name: 'Edit the balance' }).click();
  await page.getByRole('row').getByRole('button', { name: 'GET' }).first().click();
  await page.getByRole('region', { name: 'Why' }).waitFor();
  await expectAccessible(page);
});

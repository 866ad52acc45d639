import { execFile } from 'node:child_process';
import { once } from 'node:events';
import { get } from 'node:http';
import { Agent } from 'node:https';
import { connect } from 'node:tls';
import { promisify } from 'node:util';
import { describe, expect, it } from 'vitest';
import { temporaryFolder, writeFiles } from '../support/fixture-folder.ts';
import { needs } from '../support/machine.ts';
import { type RunningMock, runMock } from '../support/running-mock.ts';
import { copied, row, rows, withChromium } from './chromium.ts';

const open = withChromium();

/** Sends a request that the mock answers. */
async function balance(mock: RunningMock, key = 'good', options = {}): Promise<number> {
  return (await mock.get(`/momo/balance?apikey=${key}`, options)).status;
}

describe('the live page', () => {
  it('says what to try, until the first request comes', async () => {
    const mock = await runMock();
    const { page } = await open(mock);
    await page.getByText('Waiting for the first request').waitFor();
    const line = page.getByText(/^curl --cacert .+ 'https:\/\/localhost:\d+\/momo\/balance\?/);
    expect(await line.count()).toBe(1);
    await balance(mock);
    await row(page, 'GET /momo/balance').waitFor();
    expect(await page.getByText('Waiting for the first request').count()).toBe(0);
  });

  it('shows requests as they happen, and those before, with the rule that answered them', async () => {
    const folder = temporaryFolder();
    writeFiles(folder, { 'momo/pay.get.js': 'export default () => ({ status: 201 });' });
    const mock = await runMock({ FIXTURES_DIR: folder });
    await balance(mock);
    const { page } = await open(mock);
    await row(page, '200').waitFor();
    await mock.get('/momo/pay?apikey=good');
    await mock.get('/momo/blance?apikey=good');
    mock.controller.setVariant('good', 'empty');
    await balance(mock);
    mock.controller.setBalance('good', Buffer.from('{}'));
    await balance(mock);
    await mock.controller.script('good', [{ status: 503 }, { fault: 'reset' }], 'append');
    await balance(mock);
    await balance(mock).catch(() => {});
    const tested = [
      /GET \/momo\/balance – scripted response, fault: connection reset/,
      /GET \/momo\/balance 503 scripted response/,
      /GET \/momo\/balance 200 balance that was set/,
      /GET \/momo\/balance 200 fixture momo\/\S+\.json \(variant empty\)/,
      /GET \/momo\/blance 404 unknown-path/,
      /GET \/momo\/pay 201 handler momo\/pay\.get\.js/,
      /^\d\d:\d\d:\d\d\.\d{3} account-1 GET \/momo\/balance 200 fixture momo\/balance\.get\.json .+ ms$/,
    ];
    await expect.poll(() => rows(page)).toEqual(tested.map((one) => expect.stringMatching(one)));
    const problems = await page.locator('.entry.is-problem .status').allInnerTexts();
    expect(problems).toEqual(['–', '503', '404']);
    await page.getByText(/^p50 \d.* ms$/).waitFor();
  });

  it('shows a request in flight, and its end in the same row', async () => {
    const mock = await runMock();
    const { page } = await open(mock);
    await mock.controller.script('good', { fault: 'hang' }, 'append');
    const request = balance(mock, 'good', { signal: AbortSignal.timeout(1500) }).catch(() => {});
    await row(page, 'in flight').waitFor();
    await request;
    await row(page, /client left|aborted/i).waitFor();
    expect(await rows(page)).toHaveLength(1);
  });

  it('says why a request was refused, and what to do', async () => {
    const mock = await runMock();
    const { page } = await open(mock);
    await mock.get('/momo/balance?api_key=good');
    await row(page, '401').waitFor();
    // A row has no text before it is drawn.
    await expect
      .poll(async () => (await rows(page))[0])
      .toMatch(/key-misspelt.+Send it as \?apikey=<key>/);
  });

  it('shows failed TLS handshakes and plain HTTP', async () => {
    const mock = await runMock();
    const { page } = await open(mock);
    const socket = connect({ port: mock.port, host: 'localhost', ca: [] });
    await once(socket, 'error');
    await row(page, 'TLS handshake').waitFor();
    const [response] = await once(get(`http://localhost:${mock.port}/`), 'response');
    response.resume();
    await row(page, 'plain HTTP').waitFor();
    expect(await rows(page)).toEqual([
      expect.stringMatching(/plain HTTP 400 plain-http.+https:\/\//),
      expect.stringMatching(/TLS handshake – tls-handshake.+certificate/),
    ]);
  });

  it('shows headers, query, body, the answer and why it was given', async () => {
    const mock = await runMock();
    mock.controller.setBalance('good', Buffer.from('{"balance":7}'));
    const { page } = await open(mock);
    const headers = { 'x-shop': 'one', 'content-type': 'application/json', 'content-length': 7 };
    await mock.get('/momo/balance?apikey=good&page=2', { headers, body: '{"a":1}' });
    const button = row(page, '200').getByRole('button');
    await button.click();
    const details = page.getByRole('region', { name: 'Request', exact: true });
    await details.waitFor();
    const request = await details.innerText();
    for (const part of ['[redacted]', 'x-shop', 'one', '"a": 1', 'page']) {
      expect(request).toContain(part);
    }
    expect(request).not.toContain('good');
    const answer = page.getByRole('region', { name: 'Answer' }).first();
    expect(await answer.innerText()).toMatch(
      /Answer 200[\s\S]+application\/json[\s\S]+"balance": 7/,
    );
    const why = await page.getByRole('region', { name: 'Why' }).innerText();
    expect(why).toMatch(/account-1/);
    expect(await button.getAttribute('aria-expanded')).toBe('true');
    await button.click();
    expect(await details.count()).toBe(0);
  });

  it('sends a request again as a curl line with the key in KEY, or scripts an error for it', async (context) => {
    needs(context, 'curl');
    const mock = await runMock();
    const { page } = await open(mock);
    const headers = { 'x-it': "it's", authorization: 'Bearer good' };
    await mock.get('/momo/balance?apikey=good&a=%26', { headers });
    await row(page, '200').getByRole('button').click();
    await page.getByRole('button', { name: 'Copy as curl' }).click();
    await expect.poll(() => copied(page)).toContain('curl');
    const line = await copied(page);
    expect(line).not.toContain('good');
    const sh = (env: Record<string, string>) =>
      promisify(execFile)('sh', ['-c', line], { env: { PATH: process.env.PATH, ...env } });
    expect((await sh({ KEY: 'good' })).stdout).toContain('"success": true');
    await expect(sh({})).rejects.toThrow('KEY: set it to your API key');
    const [first, second, ...others] = await mock.controller.requests(undefined, {});
    expect(others).toEqual([]);
    expect(second).toMatchObject({ query: first?.query, headers: { 'x-it': "it's" } });
    await page.getByRole('button', { name: 'Answer 503 next time' }).click();
    await page.getByText(/^curl .+503/).waitFor();
    expect([await balance(mock), await balance(mock)]).toEqual([503, 200]);
  });

  it('filters by path, account and status', async () => {
    const mock = await runMock();
    const { page } = await open(mock);
    const { key: other } = await mock.controller.createAccount({});
    await balance(mock);
    await balance(mock, other);
    await mock.get('/momo/other?apikey=good');
    await expect.poll(() => rows(page)).toHaveLength(3);
    await page.getByLabel('Filter by status').fill('404');
    await expect.poll(() => rows(page)).toEqual([expect.stringContaining('/momo/other 404')]);
    await page.getByLabel('Filter by status').fill('2xx');
    await expect.poll(() => rows(page)).toHaveLength(2);
    await page.getByLabel('Filter by account').selectOption('account-2');
    await expect.poll(() => rows(page)).toEqual([expect.stringContaining('account-2')]);
    await page.getByLabel('Filter by account').selectOption({ index: 0 });
    await page.getByLabel('Filter by status').fill('');
    await page.getByLabel(/^Filter by path/).fill('other');
    await expect.poll(() => rows(page)).toEqual([expect.stringContaining('/momo/other 404')]);
  });

  it('holds its rows while it is paused, and then shows the new ones', async () => {
    const mock = await runMock();
    const { page } = await open(mock);
    await balance(mock);
    await row(page, '200').waitFor();
    await page.getByRole('button', { name: 'Pause' }).click();
    await balance(mock, 'wrong');
    await page.getByRole('button', { name: '1 new' }).waitFor();
    expect(await rows(page)).toHaveLength(1);
    await page.getByRole('button', { name: '1 new' }).click();
    await expect.poll(() => rows(page)).toHaveLength(2);
  });

  it('keeps at most 300 rows', async () => {
    const mock = await runMock();
    const { page } = await open(mock);
    const agent = new Agent({ keepAlive: true, maxSockets: 10 });
    await Promise.all(Array.from({ length: 350 }, () => balance(mock, 'good', { agent })));
    agent.destroy();
    await expect.poll(async () => (await rows(page)).length).toBe(300);
    await page.getByText('300 of 350 are shown').waitFor();
  });

  it('never takes what a client sends for HTML', async () => {
    const mock = await runMock();
    const { page } = await open(mock);
    const image = '<img src=x onerror="document.title=1"><script>document.title=1</script>';
    const body = JSON.stringify({ a: image, b: '\u202e\u0000\u001b[31m' });
    const length = Buffer.byteLength(body);
    const headers = { 'x-a': image, 'content-type': 'application/json', 'content-length': length };
    const target = `/momo/balance?apikey=good&a=${encodeURIComponent(image)}`;
    await mock.get(target, { headers, body });
    await mock.get(`/${encodeURIComponent('<b>x</b>')}?apikey=good`);
    mock.controller.setBalance(undefined, Buffer.from(JSON.stringify(image)));
    await mock.get(`/momo/balance?apikey=good&long=${'x'.repeat(5000)}`);
    await expect.poll(() => rows(page)).toHaveLength(3);
    // By name, since an open row has buttons of its own.
    const buttons = page.getByRole('row').getByRole('button', { name: /^GET/ });
    for (const at of [0, 1, 2]) await buttons.nth(at).click();
    await page.getByText('onerror').first().waitFor();
    expect(await page.locator('img, b, main script').count()).toBe(0);
    expect(await page.title()).not.toBe('1');
    const width = await page.evaluate('document.documentElement.scrollWidth');
    expect(width).toBeLessThanOrEqual(1280);
  });
});

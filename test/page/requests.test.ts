import { execFile } from 'node:child_process';
import { once } from 'node:events';
import { get } from 'node:http';
import { Agent } from 'node:https';
import { connect } from 'node:tls';
import { promisify } from 'node:util';
import { describe, expect, it, vi } from 'vitest';
import { ask, send } from '../support/client.ts';
import { needs } from '../support/machine.ts';
import { startServer, type TestServer } from '../support/mock.ts';
import { row, rows, withChromium } from './chromium.ts';

// Chromium takes long on a busy machine.
vi.setConfig({ testTimeout: 600_000, hookTimeout: 600_000 });

const open = withChromium();

/** Sends a request to the mock. */
async function balance(mock: TestServer, key = 'good', options = {}): Promise<number> {
  return (await send(mock, `/momo/balance?apikey=${key}`, options)).status;
}

describe('the live page', () => {
  it('suggests a first request, then shows requests as they happen, with the source of their responses', async () => {
    const files = { 'momo/pay.get.js': 'export default () => ({ status: 201 });' };
    const { mock, page } = await open({}, startServer(files));
    const waiting = page.getByText('Waiting for the first request');
    await waiting.waitFor();
    await page.getByText(/^curl --cacert .+ 'https:\/\/localhost:\d+\/momo\/balance\?/).waitFor();
    await balance(mock);
    await waiting.waitFor({ state: 'detached' });
    await ask(mock, '/momo/pay');
    await ask(mock, '/momo/blance');
    await send(mock, '/momo/balance?api_key=good');
    const account = mock.mock.account('good');
    account.variantSet.set('empty');
    await balance(mock);
    account.balanceSet.set('{}');
    await balance(mock);
    const scripts = [{ status: 503 }, { fault: 'reset' }] as const;
    await account.responses.add(scripts);
    await balance(mock);
    await balance(mock).catch(() => {});
    await once(connect({ port: mock.port, host: 'localhost', ca: [] }), 'error');
    await row(page, 'TLS handshake').waitFor();
    const [response] = await once(get(`http://localhost:${mock.port}/`), 'response');
    response.resume();
    const stop = new AbortController();
    await account.responses.add({ fault: 'hang' });
    const hanging = balance(mock, 'good', { signal: stop.signal }).catch(() => {});
    await row(page, 'in flight').waitFor();
    stop.abort();
    await hanging;
    const shown = [
      /GET \/momo\/balance – scripted, fault: no response, the client left before the end/,
      /plain HTTP 400 plain-http.+https:\/\//,
      /TLS handshake – tls-handshake.+certificate/,
      /GET \/momo\/balance – scripted, fault: connection reset \(TCP RST\)/,
      /GET \/momo\/balance 503 scripted/,
      /GET \/momo\/balance 200 set balance/,
      /GET \/momo\/balance 200 fixture momo\/\S+\.json \(variant empty\)/,
      /GET \/momo\/balance 401 key-misspelt.+Send it as \?apikey=<key>/,
      /GET \/momo\/blance 404 unknown-path/,
      /GET \/momo\/pay 201 handler momo\/pay\.get\.js/,
      /^\d\d:\d\d:\d\d\.\d{3} account-1 GET \/momo\/balance 200 fixture momo\/balance\.get\.json .+ ms$/,
    ].map((one) => expect.stringMatching(one));
    await expect.poll(() => rows(page)).toEqual(shown);
    const problems = await page.locator('.entry.is-problem .status').allInnerTexts();
    expect(problems).toEqual(['–', '400', '–', '–', '503', '401', '404']);
    await page.getByText(/^p50 \d.* ms$/).waitFor();
    await page.reload();
    await expect.poll(() => rows(page)).toEqual(shown);
  });

  it('shows headers, query, body, the response and its source', async () => {
    const { mock, page } = await open();
    mock.mock.account('good').balanceSet.set('{"balance":7}');
    const headers = { 'x-shop': 'one', 'content-type': 'application/json', 'content-length': 7 };
    await send(mock, '/momo/balance?apikey=good&page=2', { headers, body: '{"a":1}' });
    const button = row(page, '200').getByRole('button');
    await button.click();
    const region = (name: string) => page.getByRole('region', { name, exact: true });
    const request = await region('Request').innerText();
    expect(request).toMatch(/apikey\s+\[redacted\]\s+page\s+2[\s\S]+x-shop\s+one[\s\S]+"a": 1/);
    expect(request).not.toContain('good');
    expect(await region('Response').innerText()).toMatch(
      /Response 200[\s\S]+application\/json[\s\S]+"balance": 7/,
    );
    expect(await region('Why').innerText()).toContain('A balance was set for account-1');
    expect(await button.getAttribute('aria-expanded')).toBe('true');
    await button.click();
    await region('Request').waitFor({ state: 'detached' });
  });

  it('shows a request as a curl line with the key in KEY, and scripts an error for it', async (context) => {
    needs(context, 'curl');
    const { mock, page } = await open();
    const headers = { 'x-it': "it's", authorization: 'Bearer good' };
    await send(mock, '/momo/balance?apikey=good&a=%26', { headers });
    await row(page, '200').getByRole('button').click();
    await page.getByRole('button', { name: 'Copy as curl' }).click();
    const copied = () => page.evaluate<string>('navigator.clipboard.readText()');
    await expect.poll(copied).toContain('curl');
    const line = await copied();
    expect(line).not.toContain('good');
    const sh = (env: Record<string, string>) =>
      promisify(execFile)('sh', ['-c', line], { env: { PATH: process.env.PATH, ...env } });
    expect((await sh({ KEY: 'good', AUTHORIZATION: 'Bearer good' })).stdout).toContain(
      '"success": true',
    );
    await expect(sh({})).rejects.toThrow('KEY: set it to your API key');
    const [first, second, ...others] = (await mock.all.requests.find({})).entries;
    expect(others).toEqual([]);
    expect(second).toMatchObject({ query: first?.query, headers: { 'x-it': "it's" } });
    await page.getByRole('button', { name: 'Respond with 503 next time' }).click();
    await page.getByText(/^curl .+503/).waitFor();
    expect([await balance(mock), await balance(mock)]).toEqual([503, 200]);
  });

  it('holds its rows while paused, and then shows the newest 300', async () => {
    const { mock, page } = await open();
    await balance(mock);
    await row(page, '200').waitFor();
    await page.getByRole('button', { name: 'Pause' }).click();
    const agent = new Agent({ keepAlive: true, maxSockets: 10 });
    await Promise.all(Array.from({ length: 349 }, () => balance(mock, 'good', { agent })));
    agent.destroy();
    const fresh = page.getByRole('button', { name: '349 new' });
    await fresh.waitFor();
    expect(await rows(page)).toHaveLength(1);
    await fresh.click();
    await page.getByText('Showing 300 of 350').waitFor();
    expect(await rows(page)).toHaveLength(300);
  });
});

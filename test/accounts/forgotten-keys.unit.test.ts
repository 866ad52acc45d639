import { expect, it } from 'vitest';
import { restore } from '../../src/mock/account/restore.ts';
import { snapshotOf } from '../../src/mock/account/snapshot.ts';
import { MAX_KEY_CHARACTERS } from '../../src/mock/limits.ts';
import type { Mock } from '../../src/mock/mock.ts';
import { send } from '../support/client.ts';
import { startServer, type TestServer } from '../support/mock.ts';
import { startHeldWebhook } from '../support/webhook.ts';

/** Sends a request with a key, and returns the body of its entry, which has the key, too. */
async function use(running: TestServer, key: string): Promise<void> {
  await send(running, `/momo/balance?apikey=${key}`, { method: 'POST', body: `paid with ${key}` });
  expect(running.mock.redactor.redact(`paid with ${key}`)).toBe('paid with [redacted]');
}

it('the key of a removed account is kept until the journal has no entry of its time', async () => {
  const running = await startServer({}, { JOURNAL_SIZE: '3' });
  const { mock } = running;
  const isSecret = () => mock.redactor.isSecret('the-removed-key');
  await use(running, 'good');
  const before = mock.redactor.size.characters;
  mock.createAccount({ apiKey: 'the-removed-key' });
  await use(running, 'the-removed-key');
  mock.removeAccount(mock.account('the-removed-key'));
  for (const isLast of [false, false, true]) {
    expect(isSecret()).toBe(true);
    const { entries } = await mock.all.requests.find({});
    expect(JSON.stringify(entries)).not.toContain('the-removed-key');
    await use(running, 'good');
    expect(isSecret()).toBe(!isLast);
  }
  expect(mock.redactor.size.characters).toBe(before);
});

it.each<[string, (mock: Mock) => void]>([
  ['it was not used', () => {}],
  ['a reset has cleared the journal of its entries', (mock) => mock.reset(mock.account('another'))],
  ['the journal was cleared', (mock) => mock.all.requests.clear()],
])('the key of a removed account is forgotten at once if %s', async (what, clear) => {
  const running = await startServer();
  const { mock } = running;
  mock.createAccount({ apiKey: 'another' });
  await use(running, 'good');
  mock.createAccount({ apiKey: 'the-removed-key' });
  if (what !== 'it was not used') await use(running, 'another');
  if (what === 'the journal was cleared') await use(running, 'good');
  mock.removeAccount(mock.account('the-removed-key'));
  expect(mock.redactor.isSecret('the-removed-key')).toBe(what !== 'it was not used');
  clear(mock);
  expect(mock.redactor.isSecret('the-removed-key')).toBe(false);
});

it('the key of a removed account is kept while any entry of its time is left', async () => {
  const running = await startServer();
  const { mock } = running;
  mock.createAccount({ apiKey: 'another' });
  await use(running, 'another');
  mock.createAccount({ apiKey: 'the-removed-key' });
  await use(running, 'good');
  await use(running, 'another');
  mock.removeAccount(mock.account('the-removed-key'));
  mock.reset(mock.account('another'));
  expect(mock.redactor.isSecret('the-removed-key')).toBe(true);
  mock.reset(mock.account('good'));
  expect(mock.redactor.isSecret('the-removed-key')).toBe(false);
});

it('the secrets of webhooks are forgotten after a reset', async () => {
  const { mock } = await startServer();
  const account = mock.account('good');
  const webhook = {
    url: 'http://localhost',
    sign: { secret: 'the-webhook-secret', header: 'signature' },
  };
  await account.responses.add({ status: 503, webhook });
  expect(mock.redactor.isSecret('the-webhook-secret')).toBe(true);
  mock.reset(account);
  expect(['the-webhook-secret', 'good'].map((text) => mock.redactor.isSecret(text))).toEqual([
    false,
    true,
  ]);
});

it('a key is forgotten if it creates no account, and kept if it belongs to another one', async () => {
  const { mock } = await startServer({ 'state.schema.json': '{"additionalProperties":false}' });
  const isSecret = (key: string) => mock.redactor.isSecret(key);
  mock.createAccount({ apiKey: 'used-twice' });
  mock.removeAccount(mock.account('used-twice'));
  expect(isSecret('used-twice')).toBe(false);
  mock.createAccount({ apiKey: 'used-twice' });
  expect(() => mock.createAccount({ apiKey: 'used-twice' })).toThrow('already exists');
  expect(isSecret('used-twice')).toBe(true);
  expect(() => mock.createAccount({ apiKey: 'never-used', state: { a: 1 } })).toThrow('a');
  expect(isSecret('never-used')).toBe(false);
  const snapshot = snapshotOf(mock, mock.all);
  const broken = { ...snapshot, all: { unknown: 1 } };
  mock.reset(mock.all);
  expect(isSecret('used-twice')).toBe(false);
  expect(() => restore(mock, mock.all, broken)).toThrow('unknown');
  expect(isSecret('used-twice')).toBe(false);
  restore(mock, mock.all, snapshot);
  restore(mock, mock.all, snapshot);
  expect(isSecret('used-twice')).toBe(true);
  mock.removeAccount(mock.account('used-twice'));
  expect([isSecret('used-twice'), isSecret('good')]).toEqual([false, true]);
});

it('the key of a removed account is kept while a request of it runs', async () => {
  const handler = `export default async ({ body }, { log }) => {
    await fetch(body.url);
    log.warn('paid by ' + body.payer);
  };`;
  const running = await startServer({ 'momo/slow.post.js': handler }, { JOURNAL_SIZE: '0' });
  const { mock, records } = running;
  const { url, calls, respond } = await startHeldWebhook();
  mock.createAccount({ apiKey: 'the-removed-key' });
  const body = JSON.stringify({ url, payer: 'the-removed-key' });
  const responded = send(running, '/momo/slow?apikey=the-removed-key', { method: 'POST', body });
  await expect.poll(() => calls.length).toBe(1);
  mock.removeAccount(mock.account('the-removed-key'));
  respond();
  await responded;
  expect(JSON.stringify(records)).toContain('paid by [redacted]');
  await expect.poll(() => mock.redactor.isSecret('the-removed-key')).toBe(false);
});

it('keys and secrets beyond the limit are an error, until others are forgotten', async () => {
  const { mock } = await startServer();
  mock.createAccount({ apiKey: 'restored-key' });
  const snapshot = snapshotOf(mock, mock.all);
  mock.reset(mock.all);
  const rest = 'x'.repeat(MAX_KEY_CHARACTERS - mock.redactor.size.characters - 8);
  mock.redactor.remember(rest);
  const tooLong =
    'Failed to read the key: all keys and secrets can have at most 4,000,000 characters. Remove accounts, or reset the mock.';
  expect(() => mock.createAccount({ apiKey: 'too-long-' })).toThrow(tooLong);
  expect(mock.accounts).toHaveLength(1);
  expect(() => restore(mock, mock.all, snapshot)).toThrow(`accounts[1].key: ${tooLong}`);
  const { prepareWebhook } = await import('../../src/mock/webhooks/webhook.ts');
  const sign = { secret: 'too-long-', header: 'signature' };
  const webhook = prepareWebhook({ url: 'http://localhost', sign });
  await expect(mock.all.webhookQueue.send(webhook)).rejects.toThrow(tooLong);
  expect(mock.sender).toMatchObject({ pending: 0, pendingBytes: 0 });
  mock.createAccount({ apiKey: '8-digits' });
  mock.removeAccount(mock.account('8-digits'));
  mock.redactor.forget(rest);
  restore(mock, mock.all, snapshot);
  expect(mock.redactor.isSecret('restored-key')).toBe(true);
});

it('the key of an account that is removed during a wait is not in the error of the wait', async () => {
  const { mock } = await startServer();
  mock.createAccount({ apiKey: 'the-removed-key' });
  const expected = { path: '/pay/the-removed-key', body: { note: 'the-removed-key' } };
  const verified = mock.all.requests.verify(expected, { timeout: 500 });
  const found = mock.all.requests.find({ path: expected.path, waitFor: 1, timeout: 500 });
  const both = Promise.all([verified, found].map((wait) => wait.catch(({ message }) => message)));
  mock.removeAccount(mock.account('the-removed-key'));
  const texts = await both;
  expect(texts).toEqual([
    expect.stringMatching(/^Failed to verify: /),
    expect.stringMatching(/^Failed to wait: /),
  ]);
  expect(texts.join()).not.toContain('the-removed-key');
  expect(mock.redactor.isSecret('the-removed-key')).toBe(false);
});

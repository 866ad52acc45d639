import { expect, it } from 'vitest';
import { ask, control } from '../support/client.ts';
import { startMock } from '../support/mock.ts';

const FILES = {
  'momo/many.post.js': `export default ({ body: { times } }, { after }) => {
  for (let count = 0; count < times; count++) {
    after(60_000, () => {});
  }
};`,
  'momo/grow.post.js': `export default (_request, { after }) => {
  const grow = () => {
    after(0, grow);
    after(0, grow);
  };
  grow();
};`,
  'momo/stuck.post.js': `export default (_request, { after }) => {
  for (let count = 0; count < 6_000; count++) after(0, () => new Promise(() => {}));
};`,
};

async function startAccount() {
  const mock = await startMock(FILES, { control: true });
  const account = await mock.createAccount();
  const post = async (name: string, body: object = {}, of = account) =>
    (await ask(of, `/momo/${name}`, { method: 'POST', body })).status;
  const pending = async () => {
    const { text } = await control(mock, 'GET /clock', { headers: { apikey: account.apiKey } });
    return JSON.parse(text).pending;
  };
  return { mock, account, post, pending };
}

it('an account can have 10,000 pending timers, and the error for one more names the line of the handler', async () => {
  const { mock, account, post, pending } = await startAccount();
  expect(await post('many', { times: 10_000 })).toBe(200);
  expect(await post('many', { times: 1 })).toBe(500);
  expect((await account.requests()).at(-1)).toMatchObject({
    reason: 'handler-failed',
    hint: expect.stringContaining('momo/many.post.js:3:5'),
  });
  expect(await pending()).toBe(10_000);
  expect(await post('many', { times: 1 }, await mock.createAccount())).toBe(200);
  await account.reset();
  expect(await post('many', { times: 1 })).toBe(200);
});

it('timers whose promises never settle count as pending', async () => {
  const { account, post, pending } = await startAccount();
  expect(await post('stuck')).toBe(200);
  expect(await post('stuck')).toBe(500);
  expect(await pending()).toBe(10_000);
  await account.reset();
  expect(await pending()).toBe(0);
});

it('timers that each set two more for now let requests and a reset run', async () => {
  const { mock, account, post, pending } = await startAccount();
  expect(await post('grow')).toBe(200);
  await expect.poll(pending).toBeGreaterThan(9_000);
  expect(await pending()).toBeLessThanOrEqual(10_000);
  expect((await ask(mock)).status).toBe(200);
  const headers = { apikey: account.apiKey };
  expect((await control(mock, 'POST /reset', { headers })).status).toBe(204);
  expect(await pending()).toBe(0);
});

it('advance names the line of a handler that sets too many timers', async () => {
  const { account, post } = await startAccount();
  await account.freeze();
  expect(await post('many', { times: 9_999 })).toBe(200);
  expect(await post('grow')).toBe(500);
  await expect(account.advance(0)).rejects.toThrow(/grow\.post\.js:\d:5: Failed to read after/);
});

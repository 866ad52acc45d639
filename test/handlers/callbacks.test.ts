import { createHmac } from 'node:crypto';
import { once } from 'node:events';
import { createServer, type IncomingHttpHeaders } from 'node:http';
import type { AddressInfo } from 'node:net';
import { text } from 'node:stream/consumers';
import { describe, expect, it, onTestFinished } from 'vitest';
import { post, runTree } from './run-tree.ts';

interface Call {
  readonly headers: IncomingHttpHeaders;
  readonly body: string;
}

/** A webhook of an application under test, which answers these statuses one after the other. */
async function webhook(...statuses: number[]) {
  const calls: Call[] = [];
  const server = createServer(async (request, response) => {
    calls.push({ headers: request.headers, body: await text(request) });
    response.writeHead(statuses.shift() ?? 200).end();
  }).listen(0, '127.0.0.1');
  await once(server, 'listening');
  onTestFinished(() => void server.close());
  return { url: `http://127.0.0.1:${(server.address() as AddressInfo).port}/hook`, calls };
}

const PAY = {
  'momo/pay.post.js': `export default async ({ body }, { state, after, callback, uuid }) => {
    const reference = uuid();
    await state.set(reference, 'pending');
    after(2000, async () => {
      await state.set(reference, 'success');
      callback({
        url: body.webhook,
        body: { reference, status: 'success' },
        retry: [1000, 5000],
        sign: { header: 'x-signature', secret: 'sekret' },
      });
    });
    return { status: 201, body: { reference, status: 'pending' } };
  };`,
};

describe('a callback of a handler', () => {
  it.each(['Content-Length', 'transfer-encoding', 'connection', 'x y'])(
    'is not signed by the header %s, which headers refuses as well',
    async (header) => {
      for (const part of [{ sign: { header, secret: 'x' } }, { headers: { [header]: '1' } }]) {
        const mock = await runTree({
          'momo/pay.post.js': `export default ({ body }, { callback }) =>
            callback({ url: 'http://127.0.0.1:1/', ...${JSON.stringify(part)} });`,
        });
        expect((await post(mock, '/momo/pay', {})).status).toBe(500);
        expect(JSON.stringify(mock.records)).toMatch(
          /Failed to read (sign\.header|headers): must be/,
        );
      }
    },
  );

  it('is sent when its time has come, signed, and tried again until it is accepted', async () => {
    const mock = await runTree(PAY);
    const { url, calls } = await webhook(500, 200);
    const { body } = await post(mock, '/momo/pay', { webhook: url });
    const { reference } = JSON.parse(body);
    await mock.mock.service.clock.advance(2000);
    expect(calls).toHaveLength(1);
    await mock.mock.service.clock.advance(1000);
    expect(calls).toHaveLength(2);
    const sent = JSON.stringify({ reference, status: 'success' });
    const signature = createHmac('sha256', 'sekret').update(sent).digest('hex');
    for (const call of calls) {
      expect(call.body).toBe(sent);
      expect(call.headers).toMatchObject({ 'x-signature': signature });
    }
    await mock.mock.service.clock.advance('idle');
    expect(calls).toHaveLength(2);
    const attempts = await mock.controller.callbacks('good', {});
    expect(attempts.map(({ attempt, status }) => [attempt, status])).toEqual([
      [1, 500],
      [2, 200],
    ]);
    expect(JSON.stringify(attempts)).not.toMatch(/sekret|[0-9a-f]{64}/);
  });

  it('of a handler itself starts after its response has left', async () => {
    const mock = await runTree({
      'momo/pay.post.js': `export default async ({ body }, { callback, state }) => {
        callback({ url: body.webhook, body: 'done' });
        return { status: 202, delay: 300 };
      };`,
    });
    const { url, calls } = await webhook();
    const answered = post(mock, '/momo/pay', { webhook: url }).then(() => calls.length);
    expect(await answered).toBe(0);
    await expect.poll(() => calls).toHaveLength(1);
  });

  it('that is no callback fails the handler, and nothing else', async () => {
    const mock = await runTree({
      'momo/pay.post.js': `export default (_request, { callback }) => {
        callback({ url: 'http://localhost', retry: 'canary' });
      };`,
    });
    expect((await post(mock, '/momo/pay', {})).status).toBe(500);
    expect(mock.records.find(({ level }) => level === 50)?.msg).toMatch(/pay\.post\.js.*retry/);
    expect((await mock.get('/momo/balance?apikey=good')).status).toBe(200);
  });

  it('of a handler itself is made by an advance right after the response', async () => {
    const mock = await runTree({
      'momo/pay.post.js': `export default ({ body }, { callback }) => {
        callback({ url: body.webhook, body: 'done' });
      };`,
    });
    const { url, calls } = await webhook();
    mock.mock.service.clock.freeze();
    await post(mock, '/momo/pay', { webhook: url });
    expect(calls).toEqual([]);
    await mock.mock.service.clock.advance(0);
    expect(calls).toHaveLength(1);
  });

  it('never happens after a reset', async () => {
    const mock = await runTree(PAY);
    const { url, calls } = await webhook();
    await post(mock, '/momo/pay', { webhook: url });
    mock.controller.reset('good');
    await mock.mock.service.clock.advance(60_000);
    expect(calls).toEqual([]);
  });

  it('to a host that is not allowed is not sent, and the journal says why', async () => {
    const mock = await runTree(PAY);
    await post(mock, '/momo/pay', { webhook: 'http://192.0.2.1/hook' });
    await mock.mock.service.clock.advance(2000);
    const [attempt] = await mock.controller.callbacks(undefined, {});
    expect(attempt).toMatchObject({ status: null, reason: 'host-not-allowed' });
  });
});

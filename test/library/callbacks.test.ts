import { once } from 'node:events';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { json } from 'node:stream/consumers';
import { expect, it, onTestFinished } from 'vitest';
import type { MomoScope, MomoTarget } from '../../src/library/momo-mock.ts';
import type { Callback } from '../../src/mock/callbacks/callback.ts';
import { describeBothWays } from './both-ways.ts';
import { send } from './client.ts';

/** An application with a webhook, and the bodies that it got. It responds as the URL says. */
async function application(ready?: Promise<void>) {
  const received: unknown[] = [];
  const server = createServer(async (request, response) => {
    received.push(await json(request));
    await ready;
    response.writeHead(Number(request.url?.slice(1))).end();
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  onTestFinished(async () => {
    server.close();
    await once(server, 'close');
  });
  const hook = (status: number) =>
    `http://127.0.0.1:${(server.address() as AddressInfo).port}/${status}`;
  return { hook, received };
}

/** Makes the handler call back. */
async function notify(target: MomoTarget, callback: Callback): Promise<void> {
  const request = send(target, '/momo/notify', 'POST', JSON.stringify(callback));
  const [response] = await once(request, 'response');
  expect(response.resume().statusCode).toBe(200);
}

const linesOf = async (scope: MomoScope) =>
  (await scope.callbacks()).map(({ body, attempt, status, reason }) => {
    return `${body} attempt ${attempt}: ${status ?? reason}`;
  });

describeBothWays((open) => {
  it('calls the application, and shows each attempt to its account', async () => {
    const mock = await open();
    const { hook, received } = await application();
    const [account, other] = [await mock.createAccount(), await mock.createAccount()];
    await notify(account, { url: hook(500), body: { n: 1 }, retry: [0] });
    const [first, second] = await account.callbacks({ waitFor: 2 });
    expect([first, second]).toMatchObject([
      { url: hook(500), method: 'POST', attempt: 1, status: 500, body: '{"n":1}' },
      { attempt: 2 },
    ]);
    await account.verifyCallbacks({ url: hook(500), status: 500, times: 2 }, { timeout: 5000 });
    expect(received).toEqual([{ n: 1 }, { n: 1 }]);
    expect(await other.callbacks()).toEqual([]);
    expect(await mock.callbacks({ attempt: 2 })).toHaveLength(1);
    await account.reset();
    expect(await mock.callbacks()).toEqual([]);
  });

  it('waits until attempts have ended, and shows those in flight', async () => {
    const mock = await open();
    let respond = () => {};
    const { hook } = await application(new Promise<void>((done) => (respond = done)));
    await notify(mock, { url: hook(202), body: {} });
    await expect.poll(() => mock.callbacks()).toMatchObject([{ status: null, reason: null }]);
    const ended = mock.callbacks({ waitFor: 1 });
    // Both are read in order, so the wait has begun.
    await mock.callbacks();
    respond();
    expect(await ended).toMatchObject([{ status: 202, reason: null }]);
  });

  it('loses, delays and repeats callbacks as they were scripted', async () => {
    const mock = await open();
    const { hook, received } = await application();
    const account = await mock.createAccount();
    await account.scriptCallbacks([{ lose: true }, { repeat: 2 }, {}]);
    for (const n of [1, 2, 3]) await notify(account, { url: hook(200), body: { n } });
    await account.verifyCallbacks({ status: 200, times: 3 }, { timeout: 5000 });
    expect((await linesOf(account)).sort()).toEqual([
      '{"n":1} attempt 1: lost',
      '{"n":2} attempt 1: 200',
      '{"n":2} attempt 1: 200',
      '{"n":3} attempt 1: 200',
    ]);
    expect(received).toHaveLength(3);
  });

  it('fails if the callbacks are not as expected, with the closest', async () => {
    const mock = await open();
    const { hook } = await application();
    await notify(mock, { url: hook(204), body: { status: 'pending' } });
    await mock.verifyCallbacks({ exactly: [{ status: 204 }] }, { timeout: 5000 });
    const failed = mock.verifyCallbacks({ body: { status: 'success' } });
    await expect(failed).rejects.toMatchObject({
      code: 'MOMO_MOCK_NOT_VERIFIED',
      message: expect.stringContaining('body.status: expected "success", received "pending"'),
    });
  });

  it('refuses what is no filter, no script and no expectation', async () => {
    const mock = await open();
    const invalid = { code: 'MOMO_MOCK_REQUEST_INVALID' };
    const wrong = [{ loose: true }] as never;
    await expect(mock.callbacks({ state: 1 } as never)).rejects.toMatchObject(invalid);
    await expect(mock.scriptCallbacks(wrong)).rejects.toMatchObject(invalid);
    await expect(mock.verifyCallbacks({ url: 1 } as never)).rejects.toMatchObject(invalid);
  });
});

import { describe, expect, it, test } from 'vitest';
import { controlApp, refused } from './control-app.ts';

type App = Awaited<ReturnType<typeof controlApp>>;

/** Writes down a request, as the service does. */
function receive({ mock }: App, status: number, key?: string) {
  const account = key === undefined ? null : (mock.accounts.get(key)?.id ?? null);
  const record = mock.journal.open({ method: 'GET', headers: { accept: '*/*' } });
  mock.journal.note(record, { status, path: '/momo/balance', durationMs: 1, account });
}

describe('POST /verify', () => {
  it.each([
    [{ path: '/momo/balance', times: 2 }],
    [[{ status: 503 }, { status: 200 }]],
    [{ exactly: [{ status: 503 }, { status: 200 }] }],
  ])('answers 200 where %j is so', async (body) => {
    const app = await controlApp();
    receive(app, 503);
    receive(app, 200);
    const reply = await app.send('POST /verify', { body });
    expect(reply).toMatchObject({ status: 200, json: { verified: true } });
  });

  it('answers 422 where it is not, with the message and the closest requests', async () => {
    const app = await controlApp();
    receive(app, 503);
    const reply = await app.send('POST /verify', { body: { status: 200 } });
    expect(reply).toMatchObject({
      status: 422,
      json: {
        error: {
          code: 'MOMO_MOCK_NOT_VERIFIED',
          message: expect.stringMatching(/^Failed to verify: .*\n {2}status: expected 200, rec/s),
        },
        closest: [{ id: 1, status: 503, path: '/momo/balance' }],
      },
    });
  });

  it('verifies an account by its own requests', async () => {
    const app = await controlApp();
    receive(app, 200, 'alice-key');
    const body = { times: 1 };
    const headers = { apikey: 'alice-key' };
    expect((await app.send('POST /verify', { body, headers })).status).toBe(200);
    const other = { apikey: 'bob-key' };
    expect((await app.send('POST /verify', { body, headers: other })).status).toBe(422);
    const nobody = await app.send('POST /verify', { body, headers: { apikey: 'nobody' } });
    expect(nobody).toMatchObject(refused(404, 'MOMO_MOCK_ACCOUNT_UNKNOWN'));
  });

  it('waits until the expectation is met', async () => {
    const app = await controlApp();
    const reply = app.send('POST /verify?timeout=600000', { body: { status: 200 } });
    receive(app, 200);
    expect((await reply).status).toBe(200);
  });

  it.each<[unknown, string, message: string]>([
    [{ staus: 200 }, '', 'Failed to read staus: unknown field. Did you mean "status"?'],
    [
      { times: -1 },
      '',
      'Failed to read times: must be a whole number from 0 to 1000000, or an object',
    ],
    [{ times: { min: 2, max: 1 } }, '', 'Failed to read times.min: must be at most max.'],
    [{ query: { page: 2 } }, '', 'Failed to read query'],
    [[{ times: 0 }], '', 'Failed to read expected[0].times: must be a whole number from 1 to'],
    [{ exactly: 5 }, '', 'Failed to read exactly: must be'],
    [5, '', 'Failed to read expected: must be an expectation, a list of requests in order, or'],
    [{}, '?timeout=x', 'Failed to read timeout: must be a whole number from 0 to 600000.'],
    [{}, '?wait=1', 'Failed to read wait: unknown field. Use only timeout.'],
  ])('refuses %j%s', async (body, query, message) => {
    const { send } = await controlApp();
    expect(await send(`POST /verify${query}`, { body })).toMatchObject(
      refused(400, 'MOMO_MOCK_REQUEST_INVALID', expect.stringContaining(message)),
    );
  });
});

test('POST /verify/scripts answers 200 where all scripted responses were used, else 422', async () => {
  const { controller, send, ask } = await controlApp();
  controller.script('alice-key', { status: 503 }, 'append');
  const headers = { apikey: 'alice-key' };
  expect(await send('POST /verify/scripts')).toMatchObject({
    status: 200,
    json: { verified: true },
  });
  const left = await send('POST /verify/scripts', { headers });
  const message = expect.stringContaining('1 scripted response was not used');
  expect(left).toMatchObject(refused(422, 'MOMO_MOCK_NOT_VERIFIED', message));
  ask('alice-key');
  expect((await send('POST /verify/scripts', { headers })).status).toBe(200);
});

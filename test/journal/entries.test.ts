import { once } from 'node:events';
import { Agent } from 'node:https';
import { connect } from 'node:tls';
import { describe, expect, it, onTestFinished } from 'vitest';
import { ask, control, send } from '../support/client.ts';
import { sharedMock, startMock, startServer } from '../support/mock.ts';
import { sendOverTls, sendPlain } from '../support/raw-connection.ts';

it('an entry has the whole request and its response', async () => {
  const mock = await startMock();
  const account = await mock.createAccount({ variant: 'empty' });
  const before = Date.now();
  await ask(account, '/momo/balance?currency=XOF&a=1&a=2&__proto__=p', {
    headers: { 'X-Request-Id': 'r-1', 'x-many': ['a', 'b'], 'x-none': '' },
    body: { a: 1 },
  });
  const [entry, ...others] = await account.requests();
  expect(others).toEqual([]);
  expect(entry).toEqual({
    id: 1,
    time: expect.stringMatching(/^\d{4}-.*Z$/),
    tls: 'normal',
    account: expect.any(String),
    method: 'GET',
    path: '/momo/balance',
    operation: 'GET /momo/balance',
    query: JSON.parse('{"currency":"XOF","a":["1","2"],"__proto__":"p","apikey":"[redacted]"}'),
    headers: {
      host: new URL(mock.url).host,
      connection: 'close',
      'content-type': 'application/json',
      'content-length': '7',
      'x-request-id': 'r-1',
      'x-many': ['a', 'b'],
      'x-none': '',
    },
    body: '{"a":1}',
    status: 200,
    source: 'fixture',
    file: expect.stringMatching(/momo\/balance\.get\.empty\.json$/),
    variant: 'empty',
    fault: null,
    reason: null,
    hint: null,
    duration: expect.any(Number),
    ended: true,
    aborted: false,
  });
  const time = Date.parse(`${entry?.time}`);
  expect(time).toBeGreaterThanOrEqual(before);
  expect(time).toBeLessThanOrEqual(Date.now());
  expect(entry?.duration).toBe(Math.round(Number(entry?.duration) * 10) / 10);
});

it('an entry says where the response came from, and why a request was refused', async () => {
  const files = {
    'momo/pay.post.js': 'export default () => ({ status: 201 });',
    'momo/broken.get.js': 'export default () => { throw new Error(); };',
  };
  const mock = await startMock(files, { corsOrigin: '*' });
  const preflight = { origin: 'http://a.test', 'access-control-request-method': 'GET' };
  await ask(mock, '/Momo/Balance/');
  await ask(mock, '/momo/pay', { method: 'POST' });
  await ask(mock, '/momo/balance', { method: 'OPTIONS', headers: preflight });
  await mock.setBalance({});
  await ask(mock);
  await mock.respondWith([{ status: 503 }, { fault: 'reset' }]);
  await ask(mock);
  await ask(mock).catch(() => {});
  await ask(mock, '/momo/broken');
  await ask(mock, '/nothing/4711?x=1');
  await ask({ ...mock, apiKey: 'nobody-has-it' });
  expect(await mock.requests({ waitFor: 9, ended: true })).toMatchObject([
    { path: '/Momo/Balance/', operation: 'GET /momo/balance', status: 200, source: 'fixture' },
    { status: 201, source: 'handler', file: expect.stringMatching(/pay\.post\.js$/) },
    { method: 'OPTIONS', source: 'preflight', account: null },
    { status: 200, source: 'balance', file: null },
    { status: 503, source: 'script', file: null, reason: null },
    { status: null, source: 'script', fault: 'reset', aborted: false },
    {
      status: 500,
      source: 'error',
      reason: 'handler-failed',
      hint: expect.stringContaining('/momo/broken.get.js:1:30)'),
    },
    {
      status: 404,
      source: 'error',
      path: '/nothing/…',
      operation: null,
      reason: 'unknown-path',
      hint: expect.stringContaining('No fixture file has this path.'),
    },
    { status: 401, source: 'error', account: null, reason: 'key-unknown' },
  ]);
});

it('an entry of a request in flight has no status and no duration', async () => {
  const mock = await startMock();
  await mock.respondWith({ delay: 3_600_000 });
  ask(mock).catch(() => {});
  expect(await mock.requests({ waitFor: 1 })).toMatchObject([
    { path: '/momo/balance', status: null, duration: null, ended: false, aborted: false },
  ]);
});

it('an entry says that the client accepted an intentionally wrong certificate', async () => {
  const mock = await startMock();
  await mock.setTls('expired');
  // This is the mistake that the journal is to show.
  await ask(mock, '/momo/balance', { rejectUnauthorized: false });
  await mock.setTls('normal');
  await ask(mock);
  expect(await mock.requests()).toMatchObject([
    {
      status: 200,
      tls: 'expired',
      hint: expect.stringMatching(/expired on purpose: it does not/),
    },
    { status: 200, tls: 'normal', hint: null },
  ]);
});

it.each([
  [65_535, 65_535],
  [65_536, 65_536],
  [65_537, 65_536],
  [200_000, 65_536],
])('an entry of a body of %i bytes shows the first %i', async (length, shown) => {
  const mock = await startMock();
  await ask(mock, '/momo/balance', { method: 'POST', body: 'x'.repeat(length) });
  const [entry] = await mock.requests();
  expect(entry).toMatchObject({ status: 405, body: 'x'.repeat(shown) });
});

it('an entry has the headers of its own request, even on the connection of another one', async () => {
  const mock = await startMock();
  const agent = new Agent({ keepAlive: true, maxSockets: 1 });
  onTestFinished(() => agent.destroy());
  const sent = [{ a: '1' }, { a: '1' }, { a: '2' }, { b: '2', c: '3' }];
  for (const headers of sent) await ask(mock, '/momo/balance', { headers, agent });
  const own = ({ a, b, c }: Record<string, unknown>) => ({ a, b, c });
  expect((await mock.requests()).map(({ headers }) => own(headers))).toEqual(sent.map(own));
});

it('the journal has connections that never became requests', async () => {
  const mock = await startServer();
  await sendPlain(mock, 'GET / HTTP/1.1\r\n\r\n');
  await sendOverTls(mock, 'nonsense\r\n\r\n');
  // A client that does not trust the certificate.
  await once(connect({ port: mock.port, host: 'localhost' }), 'error');
  const { json } = await control(mock, 'GET /requests?waitFor=3');
  expect(json).toMatchObject({
    requests: [
      { reason: 'plain-http', status: 400, tls: null, method: null, path: null, query: {} },
      { reason: 'bad-request', status: 400, method: null, headers: {} },
      {
        reason: 'tls-handshake',
        status: null,
        hint: expect.stringMatching(/did not say why\. .+ NODE_EXTRA_CA_CERTS=certs/),
      },
    ],
  });
  expect((await control(mock, 'GET /requests/1')).json).toMatchObject({ id: 1, response: null });
});

describe('GET /requests/ID', () => {
  const mock = sharedMock({}, { control: true });

  it('shows a request and its whole response, without secrets', async () => {
    const headers = { 'X-Note': 'yes', 'set-cookie': 'id=abcdef' };
    const body = { token: 'abcdef', amount: 5 };
    await mock().respondWith([{ status: 503, headers, body }, { body: 'x'.repeat(65_537) }]);
    await ask(mock(), '/momo/balance', { headers: { 'x-id': '7' } });
    await ask(mock());
    const [one, two] = await mock().requests();
    expect((await control(mock(), `GET /requests/${one?.id}`)).json).toEqual({
      ...one,
      response: {
        status: 503,
        headers: expect.objectContaining({ 'x-note': 'yes', 'set-cookie': '[redacted]' }),
        body: '{"token":"[redacted]","amount":5}',
      },
    });
    expect((await control(mock(), `GET /requests/${two?.id}`)).json).toMatchObject({
      response: { status: 200, body: 'x'.repeat(65_536) },
    });
  });

  it.each(['99999', '0', 'x', '1e0', '9'.repeat(50)])(
    'responds to %s with a clear 404',
    async (id) => {
      await ask(mock());
      expect(await control(mock(), `GET /requests/${id}`)).toMatchObject({
        status: 404,
        json: {
          error: {
            code: 'MOMO_MOCK_REQUEST_UNKNOWN',
            message: expect.stringContaining('none with this id'),
          },
        },
      });
    },
  );

  it('shows an account its own requests alone', async () => {
    const other = await mock().createAccount();
    await ask(mock());
    const [entry] = await mock().requests();
    const statusOf = async ({ apiKey }: { apiKey: string }) =>
      (await control(mock(), `GET /requests/${entry?.id}`, { headers: { apikey: apiKey } })).status;
    expect([await statusOf(mock()), await statusOf(other)]).toEqual([200, 404]);
  });
});

it('reading large entries lets requests be served, one entry in each turn of the event loop', async () => {
  const mock = await startMock({ 'momo/big.post.js': 'export default () => {};' });
  const body = 'x'.repeat(65_536);
  for (let count = 0; count < 8; count++) await ask(mock, '/momo/big', { method: 'POST', body });
  let turns = 0;
  let isOver = false;
  const read = mock.requests().finally(() => (isOver = true));
  while (!isOver) {
    await new Promise(setImmediate);
    turns++;
  }
  expect(await read).toHaveLength(8);
  expect(turns).toBeGreaterThanOrEqual(8);
});

it('the journal stays readable if a key is a common word', async () => {
  const mock = await startMock({}, { apiKeys: ['balance', 'GET'] });
  await send(mock, '/momo/balance?apikey=balance&x=balance&y=my-balance');
  await send(mock, '/momo/balance?apikey=GET');
  expect(await mock.requests()).toMatchObject([
    {
      path: '/momo/balance',
      operation: 'GET /momo/balance',
      query: { x: '[redacted]', y: 'my-[redacted]' },
    },
    { method: 'GET', path: '/momo/balance', account: 'account-2' },
  ]);
});

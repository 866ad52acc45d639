import { once } from 'node:events';
import { Agent } from 'node:https';
import { connect } from 'node:tls';
import { describe, expect, onTestFinished, test } from 'vitest';
import { sendOverTls, sendPlain } from '../support/raw-connection.ts';
import { runMock } from '../support/running-mock.ts';

describe('the journal', () => {
  test('has what came, in order, and what was answered', async () => {
    const mock = await runMock({ API_KEYS: 'good,other=empty' });
    const headers = {
      'x-request-id': 'r-1',
      'content-type': 'application/json',
      'content-length': 7,
    };
    await mock.get('/momo/balance?apikey=good&currency=XOF&a=1&a=2', { headers, body: '{"a":1}' });
    await mock.get('/Momo/Balance/?apikey=other');
    await mock.get('/nothing/4711?apikey=good');
    await mock.get('/momo/balance?apiKey=good');
    mock.controller.setBalance(undefined, Buffer.from('{}'));
    await mock.get('/momo/balance?apikey=good');
    const entries = await mock.controller.requests(undefined, {});
    expect(entries.map(({ id }) => id)).toEqual([1, 2, 3, 4, 5]);
    expect(entries[0]).toEqual({
      id: 1,
      time: expect.stringMatching(/^\d{4}-.*Z$/),
      tls: 'normal',
      account: 'account-1',
      method: 'GET',
      path: '/momo/balance',
      operation: 'GET /momo/balance',
      query: { apikey: '[redacted]', currency: 'XOF', a: ['1', '2'] },
      headers: expect.objectContaining({ 'x-request-id': 'r-1' }),
      body: '{"a":1}',
      status: 200,
      source: 'fixture',
      file: expect.stringMatching(/momo\/balance\.get\.json$/),
      variant: null,
      fault: null,
      reason: null,
      hint: null,
      duration: expect.any(Number),
      ended: true,
      aborted: false,
    });
    expect(entries[1]).toMatchObject({
      account: 'account-2',
      path: '/Momo/Balance/',
      variant: 'empty',
    });
    expect(entries[2]).toMatchObject({
      status: 404,
      path: '/nothing/…',
      reason: 'unknown-path',
      source: 'error',
    });
    expect(entries[3]).toMatchObject({ status: 401, account: null, reason: 'key-misspelt' });
    expect(entries[3]?.hint).toMatch(/apikey/);
    expect(entries[4]).toMatchObject({ status: 200, source: 'override', file: null });
  });

  test('has connections that never became requests', async () => {
    const mock = await runMock();
    await sendPlain(mock, 'GET / HTTP/1.1\r\n\r\n');
    await sendOverTls(mock, 'nonsense\r\n\r\n');
    // A client that does not trust the certificate.
    const stranger = connect({ port: mock.port, host: 'localhost' });
    await once(stranger, 'error');
    const entries = await mock.controller.requests(undefined, { waitFor: 3 });
    expect(entries).toMatchObject([
      { reason: 'plain-http', status: 400, method: null, path: null, query: {}, headers: {} },
      { reason: 'bad-request', status: 400 },
      { reason: 'tls-handshake', status: null, hint: expect.stringMatching(/certificate/) },
    ]);
  });

  test('has the headers of each request on a connection, and one copy of those that stay the same', async () => {
    const mock = await runMock();
    const agent = new Agent({ keepAlive: true, maxSockets: 1 });
    onTestFinished(() => agent.destroy());
    for (const headers of [
      { 'x-a': '1' },
      { 'x-a': '1' },
      { 'x-a': '2' },
      { 'x-b': '2', 'x-c': '3' },
    ]) {
      await mock.get('/momo/balance?apikey=good', { headers, agent });
    }
    const all = Array.from(mock.mock.journal.all, ({ headers }) => headers);
    const own = all.map((headers) => ['a', 'b', 'c'].map((name) => headers[`x-${name}`] ?? ''));
    expect(own.map((values) => values.join())).toEqual(['1,,', '1,,', '2,,', ',2,3']);
    expect(all[1]).toBe(all[0]);
  });

  test('keeps the first 64 KiB of a body', async () => {
    const mock = await runMock();
    for (const length of [65_535, 65_536, 65_537, 200_000]) {
      await mock.get('/momo/balance?apikey=good', { method: 'POST', body: 'x'.repeat(length) });
    }
    const kept = Array.from(mock.mock.journal.all, ({ body, bodyCut }) => [body?.length, bodyCut]);
    expect(kept).toEqual([
      [65_535, false],
      [65_536, false],
      [65_536, true],
      [65_536, true],
    ]);
  });

  test('forgets the oldest first, and counts what it forgot', async () => {
    const mock = await runMock({ JOURNAL_SIZE: '3' });
    for (let count = 1; count <= 5; count++) await mock.get('/momo/balance?apikey=good');
    const ids = async () => (await mock.controller.requests(undefined, {})).map(({ id }) => id);
    expect(await ids()).toEqual([3, 4, 5]);
    expect((await mock.controller.received(undefined, {})).dropped).toBe(2);
    mock.controller.clearRequests(undefined);
    expect(await ids()).toEqual([]);
    expect((await mock.controller.received(undefined, {})).dropped).toBe(0);
    for (let count = 1; count <= 4; count++) await mock.get('/momo/balance?apikey=good');
    expect(await ids()).toEqual([7, 8, 9]);
  });

  test('of size 0 keeps nothing', async () => {
    const mock = await runMock({ JOURNAL_SIZE: '0' });
    await mock.get('/momo/balance?apikey=good');
    expect(await mock.controller.requests(undefined, {})).toEqual([]);
    expect((await mock.controller.received(undefined, {})).dropped).toBe(1);
  });

  test('of a number of bytes keeps the bodies, targets and headers that they hold', async () => {
    const mock = await runMock({ JOURNAL_BYTES: '5000' });
    const ids = async () => (await mock.controller.requests(undefined, {})).map(({ id }) => id);
    const send = (bytes: number) =>
      mock.get('/momo/balance?apikey=good', { method: 'POST', body: 'x'.repeat(bytes) });
    await send(2000);
    await send(2000);
    expect(await ids()).toEqual([1, 2]);
    await send(2000);
    expect(await ids()).toEqual([2, 3]);
    await send(5000);
    expect(await ids()).toEqual([]);
    expect((await mock.controller.received(undefined, {})).dropped).toBe(4);
  });

  test('waits for what is still to come, and no longer than its timeout', async () => {
    const mock = await runMock();
    const both = mock.controller.requests(undefined, { waitFor: 2, timeout: 60_000 });
    await mock.get('/momo/balance?apikey=good');
    await mock.get('/momo/balance');
    expect(await both).toHaveLength(2);
    expect(await mock.controller.requests(undefined, { waitFor: 3, timeout: 1 })).toHaveLength(2);
    const refused = mock.controller.requests(undefined, {
      status: 401,
      waitFor: 2,
      timeout: 60_000,
    });
    await mock.get('/momo/balance');
    expect(await refused).toHaveLength(2);
  });

  test('shows what is in flight, without a status', async () => {
    const mock = await runMock({ SHUTDOWN_TIMEOUT: '0' });
    mock.controller.script(undefined, { delay: 3_600_000 }, 'append');
    const asked = mock.get('/momo/balance?apikey=good').catch(() => {});
    const [entry] = await mock.controller.requests(undefined, { waitFor: 1 });
    expect(entry).toMatchObject({ status: null, duration: null });
    void asked;
  });

  test('catches a client that does not verify', async () => {
    const mock = await runMock();
    await mock.tls.set('expired');
    const options = { rejectUnauthorized: false };
    expect(await mock.get('/momo/balance?apikey=good', options)).toMatchObject({ status: 200 });
    await mock.tls.set('normal');
    await mock.get('/momo/balance?apikey=good');
    expect(await mock.controller.requests(undefined, {})).toMatchObject([
      { status: 200, tls: 'expired', hint: expect.stringMatching(/does not verify certificates/) },
      { status: 200, tls: 'normal', hint: null },
    ]);
  });

  test('keeps a body up to a bound', async () => {
    const mock = await runMock();
    const body = 'x'.repeat(200_000);
    const headers = { 'content-length': body.length };
    await mock.get('/momo/balance?apikey=good', { method: 'POST', headers, body });
    const [entry] = await mock.controller.requests(undefined, {});
    expect(entry).toMatchObject({ method: 'POST', status: 405 });
    expect(entry?.body).toBe('x'.repeat(65_536));
  });

  test('shows no secret that a request carries, and no configured key', async () => {
    const mock = await runMock({ API_KEYS: 'right-key-4711' });
    const body = JSON.stringify({ token: 'wrong-token-42', note: 'sekret-sid wrong-key-0815' });
    const headers = {
      'x-note': 'right-key-4711',
      'x-other': 'wrong-key-0815 wrong-token-42',
      cookie: 'sid=sekret-sid',
      'content-length': body.length,
    };
    await mock.get('/momo/balance?apikey=wrong-key-0815&x=sekret-sid', { headers, body });
    await mock.get('/momo/right-key-4711?z=right-key-4711&short=key');
    const text = JSON.stringify(await mock.controller.requests(undefined, {}));
    for (const key of ['right-key-4711', 'wrong-key-0815', 'wrong-token-42', 'sekret-sid']) {
      expect(text).not.toContain(key);
    }
    expect(text).toContain('"short":"key"');
  });

  test('shows no key at the bound of a body', async () => {
    const mock = await runMock({ API_KEYS: 'right-key-4711' });
    const body = `${'x'.repeat(65_536 - 'right-key'.length)}right-key-4711`;
    const headers = { 'content-length': body.length };
    await mock.get('/momo/balance?apikey=right-key-4711', { headers, body });
    const [entry] = await mock.controller.requests(undefined, {});
    expect(entry?.body).toMatch(/x\[redacted\]$/);
  });

  test('shows no value of a header that carries secrets, however short', async () => {
    const mock = await runMock();
    const headers = {
      cookie: 'x=1',
      authorization: 'abc',
      'x-session-token': 't',
      'idempotency-key': 'i',
    };
    await mock.get('/momo/balance?key=k&apikey=good', { headers });
    const [entry] = await mock.controller.requests(undefined, {});
    expect(entry).toMatchObject({
      query: { key: '[redacted]', apikey: '[redacted]' },
      headers: {
        cookie: '[redacted]',
        authorization: '[redacted]',
        'x-session-token': '[redacted]',
        'idempotency-key': 'i',
      },
    });
  });

  test('stays whole where a key is a common word', async () => {
    const mock = await runMock({ API_KEYS: 'balance,GET' });
    await mock.get('/momo/balance?apikey=balance&x=balance&y=my-balance');
    await mock.get('/momo/balance?apikey=GET');
    const entries = await mock.controller.requests(undefined, {});
    expect(entries).toMatchObject([
      {
        path: '/momo/balance',
        operation: 'GET /momo/balance',
        query: { x: '[redacted]', y: 'my-[redacted]' },
      },
      { method: 'GET', path: '/momo/balance', account: 'account-2' },
    ]);
  });
});

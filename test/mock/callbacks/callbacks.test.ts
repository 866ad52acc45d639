import { createHmac } from 'node:crypto';
import { describe, expect, test, vi } from 'vitest';
import type { Callback } from '../../../src/mock/callbacks/callback.ts';
import type { CallbackOutcome } from '../../../src/mock/callbacks/callback-attempt.ts';
import { MOST_IN_FLIGHT } from '../../../src/mock/limits.ts';
import { nextTurn } from '../../../src/timers.ts';
import { REAL_TIMERS } from '../real-timers.ts';
import { thrown } from '../thrown.ts';
import { callbacksOf, URL_OF_APP } from './callbacks-of.ts';

describe('a callback', () => {
  test('is sent by the timers, and is in the journal', async () => {
    const { queue, timers, sent, entries } = callbacksOf();
    queue({ body: { reference: 'r1' } });
    expect(sent).toEqual([]);
    expect(timers.waits).toEqual([0]);
    await timers.run();
    const headers = {
      'user-agent': 'momo-mock',
      'content-type': 'application/json; charset=utf-8',
      'content-length': '18',
    };
    expect(sent).toMatchObject([{ method: 'POST', headers, timeout: 10_000 }]);
    expect(sent[0]?.url.href).toBe(URL_OF_APP);
    expect(await entries()).toEqual([
      {
        id: 1,
        time: new Date(1_000_000).toISOString(),
        account: 'account-1',
        url: URL_OF_APP,
        method: 'POST',
        headers,
        body: '{"reference":"r1"}',
        attempt: 1,
        status: 200,
        reason: null,
        hint: null,
        duration: expect.any(Number),
      },
    ]);
  });

  test.each([{ url: '' }, { url: undefined }, { url: null }])(
    'with %j is nothing to do',
    async (none) => {
      const { queue, timers, callbacks } = callbacksOf();
      queue(none as Partial<Callback>);
      expect([timers.waits, callbacks.pending]).toEqual([[], 0]);
    },
  );

  test.each<[object, string | undefined, string]>([
    [{ body: 'text' }, 'text/plain; charset=utf-8', 'text'],
    [{ body: [1] }, 'application/json; charset=utf-8', '[1]'],
    [{ form: { a: 'b c', d: 'é' } }, 'application/x-www-form-urlencoded', 'a=b+c&d=%C3%A9'],
    [{ body: 1, headers: { 'Content-Type': 'x/y' } }, 'x/y', '1'],
    [{}, undefined, ''],
  ])('%j is sent as %s', async (callback, type, body) => {
    const { queue, timers, sent } = callbacksOf();
    queue(callback);
    await timers.run();
    expect(sent[0]?.headers['content-type']).toBe(type);
    expect(sent[0]?.body.toString()).toBe(body);
    expect(sent[0]?.headers['content-length']).toBe(`${Buffer.byteLength(body)}`);
  });

  test('has no content-length if it has neither a body nor a method that needs one', async () => {
    const { queue, timers, sent } = callbacksOf();
    queue({ method: 'get' });
    await timers.run();
    expect(sent[0]?.method).toBe('GET');
    expect(sent[0]?.headers).toEqual({ 'user-agent': 'momo-mock' });
  });

  test.each(['sha1', 'sha256', 'sha512', undefined] as const)(
    'is signed with %s of the bytes that are sent',
    async (algorithm) => {
      const { queue, timers, sent } = callbacksOf();
      const sign = { header: 'X-Hub', secret: 's3cret', ...(algorithm && { algorithm }) };
      queue({ body: { name: 'Zoë' }, sign });
      await timers.run();
      const [{ headers = {}, body = '' } = {}] = sent;
      const hmac = createHmac(algorithm ?? 'sha256', 's3cret')
        .update(body)
        .digest('hex');
      expect(headers['x-hub']).toBe(hmac);
    },
  );

  test.each<[object, string]>([
    [{ url: 1 }, 'Failed to read url: must be text.'],
    [{ urll: '' }, 'Failed to read urll: unknown field. Did you mean "url"?'],
    [{ method: 'CONNECT' }, 'Failed to read method: must be GET, POST, PUT, PATCH or DELETE.'],
    [{ headers: { 'Content-Length': '1' } }, 'Failed to read headers: must be an object of header'],
    [{ headers: { a: 'b\n' } }, 'Failed to read headers'],
    [{ headers: { a: ['b'] } }, 'Failed to read headers'],
    [
      { body: () => 1 },
      'Failed to read body: must be a value that can be written as JSON, with at most 100 levels.',
    ],
    [{ body: 1, form: {} }, 'Failed to read form: must be left out if there is a body.'],
    [{ form: { a: 1 } }, 'Failed to read form: must be an object of names and texts.'],
    [{ retry: 5 }, 'Failed to read retry: must be a list of whole numbers from 0 to 3600000.'],
    [{ retry: [1, -1] }, 'Failed to read retry[1]: must be a whole number from 0 to 3600000.'],
    [{ retry: Array(101).fill(1) }, 'Failed to read retry: must be a list of at most 100.'],
    [{ accept: [99] }, 'Failed to read accept[0]: must be a whole number from 100 to 599.'],
    [{ timeout: 60_001 }, 'Failed to read timeout: must be a whole number from 1 to 60000.'],
    [{ sign: { header: 'x y', secret: '' } }, 'Failed to read sign.header: must be the name of a'],
    ...[
      'Content-Length',
      'transfer-encoding',
      'Connection',
      'date',
      'trailer',
      'a:b',
      'a\r\nb',
      '',
    ].map((header): [object, string] => [
      { sign: { header, secret: '' } },
      'Failed to read sign.header',
    ]),
    [{ sign: { header: 'x' } }, 'Failed to read sign'],
    [{ body: 'x'.repeat(1_048_577) }, 'Failed to read body: must be at most 1 MiB.'],
    [{ 'alice-key': 1 }, 'Failed to read callback: unknown field.'],
  ])('%o is refused with the field', (callback, message) => {
    const { queue, callbacks } = callbacksOf();
    const error = thrown(() => queue(callback as Callback));
    expect(error).toMatchObject({ code: 'MOMO_MOCK_REQUEST_INVALID' });
    expect(String(error)).toContain(message);
    expect(callbacks.pending).toBe(0);
  });

  test.each(['ftp://localhost/', 'localhost:80/hook', 'http://', '/hook'])(
    'to %s is in the journal as bad-url, and is not sent',
    async (url) => {
      const { queue, timers, sent, entries } = callbacksOf();
      queue({ url });
      await timers.run();
      expect(sent).toEqual([]);
      expect(await entries()).toMatchObject([{ url, status: null, reason: 'bad-url' }]);
    },
  );
});

describe('the attempts of a callback', () => {
  test('are made until one is accepted, each after its wait', async () => {
    const statuses = [500, 302, 204];
    const { queue, timers, entries } = callbacksOf(() => ({ status: statuses.shift() ?? 0 }));
    queue({ retry: [1000, 5000, 9000] });
    await timers.run();
    const made = await entries();
    expect(made.map(({ attempt, status }) => [attempt, status])).toEqual([
      [1, 500],
      [2, 302],
      [3, 204],
    ]);
    const at = made.map(({ time }) => Date.parse(time) - 1_000_000);
    expect(at).toEqual([0, 1000, 6000]);
  });

  test('have a duration in ms, with a tenth', async () => {
    const { queue, timers, entries } = callbacksOf(async () => {
      const until = performance.now() + 30;
      while (performance.now() < until) await nextTurn();
      return { status: 200 };
    });
    queue({});
    const began = performance.now();
    await timers.run();
    const [{ duration } = {}] = await entries();
    expect(duration).toBeGreaterThan(29);
    expect(duration).toBeLessThan(performance.now() - began + 1);
    expect(duration).toBe(Math.round(Number(duration) * 10) / 10);
  });

  test.each([
    [199, 2],
    [200, 1],
    [299, 1],
    [300, 2],
  ])('are accepted from 200 to 299: %i needs %i', async (status, count) => {
    const { queue, timers, entries } = callbacksOf(() => ({ status }));
    queue({ retry: [0] });
    await timers.run();
    expect(await entries()).toHaveLength(count);
  });

  test('end with the list, also without a status', async () => {
    const { queue, timers, entries, callbacks } = callbacksOf(() => ({ reason: 'timeout' }));
    queue({ retry: [0] });
    await timers.run();
    const made = await entries();
    expect(made).toMatchObject([
      { attempt: 1, status: null, reason: 'timeout', hint: expect.stringContaining('timeout') },
      { attempt: 2, status: null, reason: 'timeout' },
    ]);
    expect(callbacks.pending).toBe(0);
  });

  test('are accepted by the statuses that the callback names', async () => {
    const statuses = [200, 409];
    const { queue, timers, entries } = callbacksOf(() => ({ status: statuses.shift() ?? 0 }));
    queue({ accept: [409], retry: [1, 1, 1] });
    await timers.run();
    expect((await entries()).map(({ status }) => status)).toEqual([200, 409]);
  });

  test('are in the journal while they are in flight, and nothing waits for them', async () => {
    let respond = (_outcome: CallbackOutcome): void => {};
    const response = new Promise<CallbackOutcome>((resolve) => {
      respond = resolve;
    });
    const { queue, timers, entries } = callbacksOf(() => response);
    queue({});
    const ran = timers.run();
    await nextTurn();
    expect(await entries()).toMatchObject([{ status: null, reason: null, duration: null }]);
    respond({ status: 200 });
    await ran;
    expect(await entries()).toMatchObject([{ status: 200, duration: expect.any(Number) }]);
  });
});

describe('10,000 callbacks at once', () => {
  test('are all called, in order of their due times, few at a time', async () => {
    let running = 0;
    let most = 0;
    const { callbacks, sent } = callbacksOf(async () => {
      running++;
      most = Math.max(most, running);
      await new Promise((resolve) => setImmediate(resolve));
      running--;
      return { status: 200 };
    }, 10_000);
    for (let n = 0; n < 10_000; n++) {
      const url = `${URL_OF_APP}?n=${n}`;
      callbacks.queue({ url }, { account: null, timers: REAL_TIMERS });
    }
    await vi.waitUntil(() => callbacks.pending === 0, 10_000);
    expect(most).toBe(MOST_IN_FLIGHT);
    expect(sent.map(({ url }) => Number(url.searchParams.get('n')))).toEqual([
      ...Array(10_000).keys(),
    ]);
    expect(callbacks.journal.dropped).toBe(0);
    callbacks.reset();
    callbacks.journal.clear();
    expect([...callbacks.journal.all]).toEqual([]);
  });
});

describe('a reset', () => {
  /** Callbacks of two accounts: an attempt in flight that only an abort ends, and a queued one. */
  async function running() {
    const all = callbacksOf(({ signal }) => {
      return new Promise((resolve) => {
        signal.addEventListener('abort', () => resolve({ reason: 'cancelled' }));
      });
    });
    const { callbacks, timers, queue } = all;
    for (const account of ['account-1', 'account-2']) {
      queue({ body: account, retry: [0] }, account);
      const first = timers.due.at(-1);
      void first?.act();
      timers.drop(first);
      queue({ body: 'later' }, account);
      callbacks.scripts.set([{ lose: true }], account);
    }
    await nextTurn();
    return all;
  }

  test('of an account ends its attempts, and drops what is queued and scripted', async () => {
    const { callbacks, timers, entries } = await running();
    callbacks.reset('account-1');
    await nextTurn();
    expect(await entries()).toMatchObject([
      { account: 'account-1', status: null, reason: 'cancelled' },
      { account: 'account-2', status: null, reason: null },
    ]);
    expect([callbacks.pending, timers.waits]).toEqual([2, [0]]);
    expect(callbacks.scripts.get('account-1')).toEqual([]);
    expect(callbacks.scripts.get('account-2')).toEqual([{ lose: true }]);
  });

  test('of all ends and drops everything', async () => {
    const { callbacks, timers, queue } = await running();
    callbacks.scripts.set([{}]);
    callbacks.reset();
    await nextTurn();
    expect([callbacks.pending, timers.waits, callbacks.scripts.get()]).toEqual([0, [], []]);
    queue({});
    expect(callbacks.pending).toBe(1);
  });

  test('ends those that wait for others', async () => {
    const { callbacks, entries } = callbacksOf(() => new Promise(() => {}));
    const source = { account: 'account-1', timers: REAL_TIMERS };
    const { account } = source;
    for (let n = 0; n < MOST_IN_FLIGHT; n++) {
      callbacks.queue({ url: URL_OF_APP }, { ...source, account: 'account-2' });
    }
    callbacks.queue({ url: URL_OF_APP }, source);
    await vi.waitUntil(async () => (await entries()).length === MOST_IN_FLIGHT);
    expect(await entries({ account })).toEqual([]);
    callbacks.reset(account);
    await nextTurn();
    expect(callbacks.pending).toBe(MOST_IN_FLIGHT);
    expect(await entries({ account })).toEqual([]);
  });

  test('is final when the mock is closed', async () => {
    const { callbacks, queue, timers } = await running();
    callbacks.close();
    queue({});
    expect([callbacks.pending, timers.waits]).toEqual([0, []]);
    expect(await callbacks.sendAgain(1)).toBeUndefined();
  });
});

describe('an attempt that is made again', () => {
  test('has the next number, whatever is scripted, and a time of its own', async () => {
    const { callbacks, queue, timers, sent } = callbacksOf();
    queue({ body: 'again', retry: [1] });
    await timers.run();
    callbacks.scripts.set([{ lose: true }]);
    expect(await callbacks.sendAgain(1, 'account-1')).toMatchObject({ attempt: 2, status: 200 });
    expect(sent.map(({ body }) => body.toString())).toEqual(['again', 'again']);
    expect(await callbacks.sendAgain(1, 'account-2')).toBeUndefined();
    expect(await callbacks.sendAgain(3)).toBeUndefined();
    expect([callbacks.pending, timers.waits]).toEqual([0, []]);
  });
});

describe('the journal of callbacks shows no secret', () => {
  const REDACTED_URL = 'http://localhost:1';

  test.each([
    ['http://localhost:1/a?token=t0ken&b=1', `${REDACTED_URL}/a?token=[redacted]&b=1`],
    ['http://localhost:1/a?b=t0ken&b=2&token=t0ken', /b=\[redacted\]&b=2&token=\[redacted\]$/],
    ['http://localhost:1/alice-key/x', `${REDACTED_URL}/[redacted]/x`],
    ['http://localhost:1/?x=an%20alice%2Dkey', `${REDACTED_URL}/?x=an+[redacted]`],
    ['http://localhost:1/x#alice-key', `${REDACTED_URL}/x`],
    ['http://user:t0ken@localhost:1/x', 'http://[redacted]@localhost:1/x'],
    ['http://user:t%30ken@localhost:1/x?y=t0ken', 'http://[redacted]@localhost:1/x?y=[redacted]'],
    ['nothing://u:t0ken@a/?secret=b', '[invalid URL]'],
    ['http://localhost:1/%zz?a=1,2&b', 'http://localhost:1/%zz?a=1,2&b'],
  ])('of the URL %s', async (url, shown) => {
    const { queue, timers, entries } = callbacksOf();
    queue({ url });
    await timers.run();
    expect(await entries()).toMatchObject([
      { url: typeof shown === 'string' ? shown : expect.stringMatching(shown) },
    ]);
  });

  test('of headers and bodies, by name and by value', async () => {
    const { queue, timers, entries, sent } = callbacksOf();
    queue({
      url: `${URL_OF_APP}?password=w0rd`,
      headers: { authorization: 'Bearer t0ken', 'x-note': 'w0rd alice-key' },
      body: { pin: 't0ken', secret: 's3cret', note: 's3cret w0rd' },
      sign: { header: 'x-signature', secret: 'signed' },
    });
    await timers.run();
    expect(await entries()).toMatchObject([
      {
        headers: {
          authorization: '[redacted]',
          'x-note': '[redacted] [redacted]',
          'x-signature': '[redacted]',
        },
        body: '{"pin":"[redacted]","secret":"[redacted]","note":"[redacted] [redacted]"}',
      },
    ]);
    expect(sent[0]?.headers).toMatchObject({ authorization: 'Bearer t0ken' });
  });

  test('of a long body, which is cut', async () => {
    const { queue, timers, entries } = callbacksOf();
    queue({ body: `${'x'.repeat(65_530)}alice-key` });
    await timers.run();
    expect((await entries())[0]?.body).toBe(`${'x'.repeat(65_530)}[redacted]`);
  });
});

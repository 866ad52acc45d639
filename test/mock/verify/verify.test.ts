import { describe, expect, it, test } from 'vitest';
import type { JournalRecord } from '../../../src/mock/journal/journal-record.ts';
import type { Mock } from '../../../src/mock/mock.ts';
import type { Expectation, Expected } from '../../../src/mock/verify/expectation.ts';
import { EXPECTED } from '../../../src/mock/verify/expectation.ts';
import type { NotVerifiedError } from '../../../src/mock/verify/verify.ts';
import { mockOf } from '../mock-of.ts';

type Received = Partial<Omit<JournalRecord, 'body'>> & { readonly body?: string };

const BALANCE = { operation: 'GET /momo/balance', target: '/momo/balance', status: 200 };
const OTHER = {
  method: 'POST',
  path: '/momo/collect',
  status: 404,
  reason: 'unknown-path',
} as const;

/** A mock that received requests, in order. */
function received(...requests: Received[]) {
  const { controller, mock } = mockOf(undefined, 1500);
  const receive = ({ method = 'GET', headers = {}, body, ...more }: Received) => {
    const record = mock.journal.open({ method, headers });
    const bytes = body === undefined ? null : Buffer.from(body);
    mock.journal.note(record, { durationMs: 1, ended: true, ...more, body: bytes });
    return record;
  };
  for (const request of requests) receive(request);
  const verify = async (expected: unknown, timeout = 0, key?: string) => {
    await controller.verify(key, controller.check(EXPECTED, expected as Expected), { timeout });
  };
  /** What is said of requests that are not as expected; `undefined` where they are. */
  const problem = async (expected: unknown, key?: string): Promise<string | undefined> =>
    await verify(expected, 0, key).then(
      () => undefined,
      ({ code, message }) => {
        expect(code).toBe('MOMO_MOCK_NOT_VERIFIED');
        return message;
      },
    );
  return { mock, controller, receive, verify, problem };
}

describe('an expectation matches', () => {
  const REQUEST: Received = {
    ...BALANCE,
    target: '/momo/balance?page=2&tag=m&tag=n&apikey=secret-of-mine',
    method: 'POST',
    reason: 'key-unknown',
    headers: { 'x-id': '7', accept: '*/*' },
    body: '{"amount":100,"items":[{"id":1,"x":2},{"id":2}],"note":null,"token":"abc123"}',
  };

  it.each<[Expectation]>([
    [{}],
    [{ method: 'POST' }],
    [{ method: 'post' }],
    [{ path: '/momo/balance' }],
    [{ operation: 'GET /momo/balance' }],
    [{ status: 200 }],
    [{ reason: 'key-unknown' }],
    [{ query: { page: '2' } }],
    [{ query: { tag: ['m', 'n'], page: '2' } }],
    [{ query: { apikey: '[redacted]' } }],
    [{ headers: { 'X-Id': '7' } }],
    [{ body: { amount: 100 } }],
    [{ body: { items: [{ id: 1 }, {}] } }],
    [{ body: { note: null } }],
    [{ body: { token: '[redacted]' } }],
    [{ body: '"amount":100' }],
    [{ method: 'POST', path: '/momo/balance', status: 200, body: {} }],
  ])('%j', async (expectation) => {
    expect(await received(REQUEST).problem(expectation)).toBeUndefined();
  });

  it.each<[Expectation, difference: string]>([
    [{ method: 'GET' }, 'method: expected "GET", received "POST"'],
    [{ path: '/momo' }, 'path: expected "/momo", received "/momo/balance"'],
    [{ operation: 'GET /momo' }, 'operation: expected "GET /momo", received "GET /momo/balance"'],
    [{ status: 503 }, 'status: expected 503, received 200'],
    [{ reason: 'key-empty' }, 'reason: expected "key-empty", received "key-unknown"'],
    [{ query: { page: '3' } }, 'query.page: expected "3", received "2"'],
    [{ query: { tag: 'm' } }, 'query.tag: expected "m", received ["m","n"]'],
    [{ query: { tag: ['m', 'o'] } }, 'query.tag[1]: expected "o", received "n"'],
    [{ query: { size: '3' } }, 'query.size: expected "3", received nothing'],
    [{ headers: { 'x-id': '8' } }, 'headers.x-id: expected "8", received "7"'],
    [{ body: { amount: '100' } }, 'body.amount: expected "100", received 100'],
    [{ body: { items: [{ id: 1 }] } }, 'body.items.length: expected 1, received 2'],
    [{ body: { items: [{ id: 1 }, { id: 3 }] } }, 'body.items[1].id: expected 3, received 2'],
    [{ body: { items: {} } }, 'body.items: expected {}, received [{"id":1,"x":2},{"id":2}]'],
    [{ body: { toString: 1 } }, 'body.toString: expected 1, received nothing'],
    [{ body: { amount: { x: 1 } } }, 'body.amount: expected {"x":1}, received 100'],
    [{ body: { note: {} } }, 'body.note: expected {}, received null'],
    [{ body: 7 }, 'body: expected 7, received {"amount":100'],
    [{ body: 'amount=100' }, 'body: expected "amount=100", received "{\\"amount\\":100'],
  ])('and %j does not: the message shows what is different', async (expectation, difference) => {
    const lines = (await received(REQUEST).problem(expectation))?.split('\n');
    expect(lines?.[1]).toBe('The closest is request 1, POST /momo/balance 200 key-unknown:');
    expect(lines?.[2]).toContain(`  ${difference}`);
    expect(lines?.[3]).toMatch(/^ {2}No account has this key/);
    expect(lines?.slice(4)).toEqual([
      'If the request may still arrive, set timeout to wait for it.',
    ]);
  });

  it('a body that is no JSON only as text', async () => {
    const { problem } = received({ ...BALANCE, body: 'x=1&y=2' });
    expect(await problem({ body: 'y=2' })).toBeUndefined();
    expect(await problem({ body: { x: 1 } })).toContain(
      '\n  body: expected {"x":1}, received "x=1&y=2"\n',
    );
  });
});

describe('times', () => {
  it.each<[times: Expectation['times'], counts: number[]]>([
    [undefined, [1, 2, 3]],
    [0, [0]],
    [2, [2]],
    [{}, [0, 1, 2, 3]],
    [{ min: 2 }, [2, 3]],
    [{ max: 1 }, [0, 1]],
    [{ min: 1, max: 2 }, [1, 2]],
  ])('%j allows %j of 0 to 3 requests', async (times, counts) => {
    const allowed = [];
    for (let count = 0; count <= 3; count++) {
      const { problem } = received(OTHER, ...Array<Received>(count).fill(BALANCE));
      const expectation = { status: 200, ...(times !== undefined && { times }) };
      if ((await problem(expectation)) === undefined) allowed.push(count);
    }
    expect(allowed).toEqual(counts);
  });

  it.each([
    [{ times: 2 }, 'a request with status 200 exactly 2 times, but 3 of 4 requests match:'],
    [{ times: 0 }, 'a request with status 200 never, but 3 of 4 requests match:'],
    [{ times: { max: 1 } }, 'a request with status 200 at most once, but 3 of 4'],
    [{ times: { min: 1, max: 2 } }, 'a request with status 200 1 to 2 times, but 3 of 4'],
  ])('%j: the message names those that match', async (times, words) => {
    const { problem } = received(BALANCE, OTHER, BALANCE, BALANCE);
    const message = await problem({ status: 200, ...times });
    expect(message).toBe(
      `Failed to verify: expected ${words.replace(/ 3 of 4$/, ' 3 of 4 requests match:')} request 1, GET /momo/balance 200; request 3, GET /momo/balance 200; request 4, GET /momo/balance 200.`,
    );
  });

  it.each([
    [{ times: 4 }, 'exactly 4 times, but 1 of 1 request matches'],
    [{ times: { min: 2 } }, 'at least 2 times, but 1 of 1 request matches'],
    [{ status: 503 }, 'with status 503 at least once, but 0 of 1 request matches.'],
  ])('%j: the message says how many match', async (expectation, words) => {
    expect(await received(BALANCE).problem({ path: '/momo/balance', ...expectation })).toContain(
      words,
    );
  });

  it('of many requests names ten', async () => {
    const { problem } = received(...Array<Received>(12).fill(BALANCE));
    expect(await problem({ times: 0 })).toMatch(/request 10, GET \/momo\/balance 200; 2 more\.$/);
  });
});

describe('a list is in this order, and others may lie between', () => {
  const REQUESTS = [OTHER, BALANCE, OTHER, { ...BALANCE, status: 503 }, BALANCE];

  it.each([
    [[]],
    [[{ status: 200 }, { status: 503 }]],
    [[{ status: 200, times: 2 }]],
    [[{ status: 404 }, { path: '/momo/balance', times: 3 }]],
  ])('%j', async (expected) => {
    expect(await received(...REQUESTS).problem(expected)).toBeUndefined();
  });

  it.each([
    [
      [{ status: 503 }, { status: 404 }],
      'expected 2 requests in this order, but number 2, a request with status 404, did not arrive after request 4, GET /momo/balance 503.',
    ],
    [
      [{ status: 200, times: 3 }],
      'expected 3 requests in this order, but number 3, a request with status 200, did not arrive after request 5, GET /momo/balance 200.',
    ],
    [
      [{ method: 'PUT', path: '/x' }],
      'expected 1 request in this order, but number 1, PUT /x, did not arrive.',
    ],
  ])('%j has not come', async (expected, words) => {
    expect(await received(...REQUESTS).problem(expected)).toContain(`Failed to verify: ${words}\n`);
  });
});

describe('exactly is these, in this order, and no others', () => {
  it.each([
    [[], []],
    [
      [BALANCE, OTHER],
      [{ status: 200 }, { status: 404 }],
    ],
    [[BALANCE, BALANCE], [{ status: 200, times: 2 }]],
  ])('%j', async (requests, exactly) => {
    expect(await received(...requests).problem({ exactly })).toBeUndefined();
  });

  it.each([
    [[BALANCE], [], 'exactly 0 requests, but 1 request more arrived: request 1, GET'],
    [[BALANCE, OTHER], [{}], '1 request more arrived: request 2, POST /momo/collect 404 unknown'],
    [[BALANCE], [{}, { status: 404 }], 'number 2, a request with status 404, did not arrive.'],
    [
      [BALANCE, OTHER],
      [{ status: 404 }, { status: 200 }],
      'number 1, a request with status 404, is request 1, GET /momo/balance 200.',
    ],
  ])('%j are not %j', async (requests, exactly, words) => {
    expect(await received(...requests).problem({ exactly })).toContain(words);
  });
});

describe('what counts', () => {
  const PREFLIGHT = { ...BALANCE, method: 'OPTIONS', source: 'preflight' } as const;
  const HANDSHAKE = { method: null, reason: 'tls-handshake', durationMs: null } as const;

  it('a preflight only where the method is expected', async () => {
    const { problem } = received(PREFLIGHT);
    expect(await problem({ times: 0 })).toBeUndefined();
    expect(await problem({ exactly: [] })).toBeUndefined();
    expect(await problem({ method: 'OPTIONS' })).toBeUndefined();
  });

  it('a connection without a request only where a reason is expected', async () => {
    const { problem } = received(HANDSHAKE);
    expect(await problem({ times: 0 })).toBeUndefined();
    expect(await problem({ exactly: [] })).toBeUndefined();
    expect(await problem({ reason: 'tls-handshake' })).toBeUndefined();
  });

  it('for an account, its own requests alone', async () => {
    const { mock, receive, problem } = received();
    receive({ ...BALANCE, account: mock.accounts.get('a')?.id ?? null });
    receive({ ...BALANCE, account: mock.accounts.get('b')?.id ?? null });
    expect(await problem({ times: 1 }, 'a')).toBeUndefined();
    expect(await problem({ times: 2 })).toBeUndefined();
  });
});

describe('the message', () => {
  it('says where nothing came, and what to look at', async () => {
    expect(await received().problem({ status: 200 })).toBe(
      'Failed to verify: expected a request with status 200 at least once, but 0 of 0 requests match.\nNo request arrived. Check that the code under test uses the URL and the key of this mock.',
    );
  });

  it('shows the newest of those with the fewest differences', async () => {
    const { problem } = received({ ...BALANCE, status: 503 }, BALANCE, OTHER);
    const message = await problem({ path: '/momo/balance', method: 'GET', status: 201 });
    expect(message).toContain('The closest is request 2, GET /momo/balance 200:');
  });

  it('compares a request without a status, and one that was refused without one', async () => {
    const { problem } = received({ ...BALANCE, status: null });
    expect(await problem({ status: 200 })).toContain(
      'The closest is request 1, GET /momo/balance without a status:',
    );
    const broken = received({ method: null, status: null, reason: 'tls-handshake' });
    expect(await broken.problem({ reason: 'tls-handshake', status: 200 })).toContain(
      'The closest is request 1, tls-handshake:',
    );
  });

  it('does not take what an account did not send for close to what it should', async () => {
    const { mock, receive, problem } = received();
    receive({ ...BALANCE, account: mock.accounts.get('b')?.id ?? null });
    expect(await problem({ status: 503 }, 'a')).not.toContain('The closest');
  });

  it('comes with the three closest requests', async () => {
    const { verify } = received(OTHER, BALANCE, BALANCE, BALANCE, OTHER);
    const error = await verify({ path: '/momo/balance', status: 503 }).catch((error) => error);
    expect((error as NotVerifiedError).closest.map(({ id }) => id)).toEqual([4, 3, 2]);
  });

  it('says how many requests the journal has removed', async () => {
    const { problem } = received(...Array<Received>(1501).fill(BALANCE));
    expect(await problem({ times: 1501 })).toContain(
      'The journal removed 1 older requests. Raise MOMO_MOCK_JOURNAL_SIZE.',
    );
  });

  it('cuts long values', async () => {
    const { problem } = received({ ...BALANCE, body: 'x'.repeat(10_000) });
    expect((await problem({ body: 'y'.repeat(10_000) }))?.length).toBeLessThan(1000);
  });

  it('shows no configured key, wherever the test has put it', async () => {
    const { problem, mock } = received(BALANCE);
    mock.redactor.remember('configured-secret');
    const message = await problem({
      path: '/configured-secret',
      headers: { 'x-id': 'configured-secret' },
      body: { id: 'a configured-secret' },
    });
    expect(message).toContain('[redacted]');
    expect(message).not.toContain('configured-secret');
  });
});

test.each([
  [{ query: { apikey: 'abc' } }, 'query.apikey'],
  [{ headers: { Authorization: 'Bearer abc' } }, 'headers.Authorization'],
  [{ body: { items: [{ pass_phrase: 'abc' }] } }, 'body.items[0].pass_phrase'],
  [[{}, { query: { token: 'abc' } }], 'expected[1].query.token'],
  [{ exactly: [{ query: { token: 'abc' } }] }, 'exactly[0].query.token'],
])('%j is refused: the journal shows no secret', async (expected, place) => {
  await expect(received().verify(expected)).rejects.toMatchObject({
    code: 'MOMO_MOCK_REQUEST_INVALID',
    message: `Failed to read ${place}: is a secret, which the journal does not show. Leave it out, or expect "[redacted]".`,
  });
});

/** After which request each reading of the journal begins. */
function countReads({ journal }: Mock): unknown[] {
  const read = journal.read.bind(journal);
  const since: unknown[] = [];
  journal.read = async (filter, signal) => {
    since.push(filter.since);
    return await read(filter, signal);
  };
  return since;
}

describe('with a timeout', () => {
  it('waits until the requests are as expected, also those that are still running', async () => {
    const { mock, receive, verify } = received(OTHER);
    const reads = countReads(mock);
    const running = receive({ ...BALANCE, status: null, durationMs: null, ended: false });
    const verified = verify([{ status: 200 }, { status: 503 }], 60_000);
    await expect.poll(() => reads.length).toBe(1);
    receive({ ...BALANCE, status: 503 });
    await expect.poll(() => reads.length).toBeGreaterThan(1);
    // The one that runs is looked at again, and what came after it.
    expect(new Set(reads.slice(1))).toEqual(new Set([1]));
    mock.journal.note(running, { status: 200, durationMs: 1, ended: true });
    await verified;
  });

  it('ends where nothing can come any more', async () => {
    const { mock, verify } = received();
    const verified = verify({ status: 200 }, 600_000);
    mock.journal.close();
    await expect(verified).rejects.toMatchObject({ code: 'MOMO_MOCK_NOT_VERIFIED' });
  });

  it('ends where nobody waits any more', async () => {
    const { controller } = received();
    const left = new AbortController();
    const verified = controller.verify(undefined, {}, { timeout: 600_000 }, left.signal);
    left.abort();
    await expect(verified).rejects.toMatchObject({ code: 'MOMO_MOCK_NOT_VERIFIED' });
  });

  it('fails when the time is over', async () => {
    await expect(received().verify({}, 1)).rejects.toMatchObject({
      code: 'MOMO_MOCK_NOT_VERIFIED',
    });
  });

  it('looks at each request that has ended only once', async () => {
    const { mock, receive, verify } = received(...Array<Received>(100).fill(OTHER));
    const since = countReads(mock);
    const verified = verify({ status: 200 }, 60_000);
    await expect.poll(() => since.length).toBe(1);
    receive(BALANCE);
    await verified;
    expect(since[0]).toBe(0);
    expect(since.slice(1)).toEqual(since.slice(1).map(() => 100));
  });
});

describe('scripted responses', () => {
  it('that were all used are as expected, and those for all times too', () => {
    const { controller, ask } = mockOf();
    controller.script('a', [{ status: 503 }], 'append');
    controller.script('a', { operation: 'GET /momo/status/:reference', times: 'always' }, 'append');
    ask('a');
    expect(() => controller.verifyScripts('a')).not.toThrow();
  });

  it('that are left are named, with how many, and without what they hold', () => {
    const { controller, mock, ask } = mockOf();
    mock.redactor.remember('configured-secret');
    controller.script(undefined, { status: 503, times: 3 }, 'append');
    controller.script(undefined, { delay: 5, body: 'configured-secret' }, 'append');
    ask('a');
    expect(() => controller.verifyScripts('a')).not.toThrow();
    expect(() => controller.verifyScripts(undefined)).toThrow(
      expect.objectContaining({
        code: 'MOMO_MOCK_NOT_VERIFIED',
        message:
          'Failed to verify: 2 scripted responses were not used. Send the requests that use them, or script fewer.\n  GET /momo/balance: 2 of 3 left of {"status":503}\n  GET /momo/balance: 1 of 1 left of {"delay":5}',
      }),
    );
  });

  it('of which many are left are named up to ten', () => {
    const { controller } = mockOf();
    controller.script('a', Array(12).fill({ status: 500 }), 'append');
    expect(() => controller.verifyScripts('a')).toThrow(/^Failed to verify: 12 .*\n {2}2 more$/s);
  });
});

import { describe, expect, it } from 'vitest';
import { AS_JSON, ask, control } from '../support/client.ts';
import { sharedMock, startMock } from '../support/mock.ts';

const nested = (count: number) => '['.repeat(count) + ']'.repeat(count);
const TOO_DEEP = [nested(104), nested(20_000), '['.repeat(500_000)];
const WORDS = 'the body: must have at most 100 levels of lists and objects.';
const REFUSED = [400, expect.stringContaining(WORDS)];

const mock = sharedMock({ 'momo/plain.post.json': {} }, { control: true });

/** The status of the response to a call, and its error, if it has one. */
async function call(line: string, body: unknown) {
  const { status = 0, text } = await control(mock(), line, { headers: AS_JSON, body });
  return [status, status < 400 ? '' : (JSON.parse(text).error.message as string)] as const;
}

describe('JSON of more than 100 levels', () => {
  it.each<{ line: string; bodyOf: (json: string) => string; status: number }>([
    { line: 'PUT /balance', bodyOf: (json) => json, status: 204 },
    { line: 'PUT /state/a', bodyOf: (json) => json, status: 204 },
    { line: 'PATCH /state', bodyOf: (json) => `{"set":{"a":${json}}}`, status: 204 },
    {
      line: 'PUT /responses',
      bodyOf: (json) => `[{"operation":"GET /momo/balance","body":${json}}]`,
      status: 200,
    },
    { line: 'POST /verify', bodyOf: (json) => `{"exactly":[{"body":${json}}]}`, status: 422 },
    {
      line: 'POST /accounts',
      bodyOf: (json) => `{"balance":${json},"state":{"a":${json}}}`,
      status: 201,
    },
  ])('is refused by $line', async ({ line, bodyOf, status }) => {
    expect((await call(line, bodyOf(nested(100))))[0]).toBe(status);
    const refused = [400, expect.stringMatching(/at most 100 levels|can be written as JSON/)];
    expect(await call(line, bodyOf(nested(101)))).toEqual(refused);
    for (const json of TOO_DEEP) expect(await call(line, bodyOf(json))).toEqual(REFUSED);
  });

  it('is refused in a body that holds no values, with three more levels for a body that holds them', async () => {
    const notMode = [400, expect.stringContaining('the body: must be an object with mode.')];
    expect(await call('PUT /tls', nested(103))).toEqual(notMode);
    for (const json of TOO_DEEP) expect(await call('PUT /tls', json)).toEqual(REFUSED);
  });

  it('is refused when a test sets it', async () => {
    const { setBalance, respondWith, state, verify } = await startMock();
    const value = JSON.parse(nested(100));
    await setBalance(value);
    await respondWith({ body: value });
    await state.transaction((draft) => draft.set('deep', value));
    expect(await state.get('deep')).toEqual(value);
    for (const refused of [
      () => setBalance([value]),
      () => respondWith({ body: [value] }),
      () => verify({ body: [value] }),
      () => state.set('deep', [value]),
      () => state.transaction((draft) => draft.set('deep', [value])),
    ]) {
      await expect(refused()).rejects.toThrow('100 levels');
    }
  });

  it('is an error when a handler returns it', async () => {
    const mock = await startMock();
    await mock.handle('GET /deep', ({ query }) => ({
      body: JSON.parse(nested(+`${query.levels}`)),
    }));
    const statusOf = async (levels: number) => (await ask(mock, `/deep?levels=${levels}`)).status;
    expect([await statusOf(100), await statusOf(101), await statusOf(100_000)]).toEqual([
      200, 500, 500,
    ]);
  });

  it('can be verified when it was received and nothing read it', async () => {
    await ask(mock(), '/momo/plain', { method: 'POST', body: nested(9000) });
    const failed = [422, expect.stringContaining('a value with more than 100 levels')];
    expect(await call('POST /verify', { body: { a: 1 } })).toEqual(failed);
  });

  it('is refused when it is also broken beyond the depth of the check', async () => {
    const unended = `["\n${'['.repeat(300_000)}`;
    const refused = [400, expect.stringContaining('line 1, column 2')];
    expect(await call('PUT /balance', unended)).toEqual(refused);
    await expect(startMock({ 'momo/balance.get.json': unended })).rejects.toMatchObject({
      code: 'MOMO_MOCK_FIXTURE_INVALID',
    });
  });
});

describe('JSON of many values', () => {
  const values = (piece: string, count: number) => `[${Array(count).fill(piece)}]`;

  it.each([
    { piece: '1.50', count: 249_996 },
    { piece: '[]', count: 124_998 },
  ])(
    'is accepted with $count times $piece, and refused with one more',
    async ({ piece, count }) => {
      const bodyOf = (most: number) => {
        const half = values(piece, Math.floor(most / 2));
        const rest = values(piece, Math.ceil(most / 2));
        return `{"set":{"a":${half},"b":${rest}}}`;
      };
      // The objects and the two lists count, too.
      const most = count - (piece === '[]' ? 2 : 4);
      expect(await call('PATCH /state', bodyOf(most))).toEqual([204, '']);
      const refused = [400, expect.stringContaining('the body: must have at most 250,000 values.')];
      expect(await call('PATCH /state', bodyOf(count + 1))).toEqual(refused);
      expect(await call('PATCH /state', `{"set":{"a":${values(piece, 3_000_000)}}}`)).toEqual(
        refused,
      );
    },
  );

  it.each([
    { what: 'decimals', all: `{"x":${values('1.50', 6_000_000)}}` },
    { what: 'lists', all: `{"x":${values('[]', 10_000_000)}}` },
  ])('is refused in a snapshot of 30 MB of $what', async ({ all }) => {
    const refused = [400, expect.stringContaining('the body: must have at most 250,000 values.')];
    expect(await call('PUT /snapshot', `{"version":1,"timers":0,"all":${all}}`)).toEqual(refused);
  });

  it('counts no text, so a snapshot of 30 MB of state is restored', async () => {
    const account = await mock().createAccount();
    const json = `[${Array(200_000).fill('",,"')}]`;
    const state = Array.from({ length: 13 }, (_, at) => ({ name: `n${at}`, json }));
    await account.restore({ version: 1, timers: 0, account: { state } });
    expect(await account.state.get('n12')).toHaveLength(200_000);
  });
});

describe('an expectation', () => {
  it.each([
    ['times', { times: 1_000_001 }],
    ['times.min', { times: { min: 1_000_001 } }],
    ['[0].times', [{ times: 4_294_967_294 }]],
    ['exactly[0].times', { exactly: [{ times: 4_294_967_294 }] }],
    ['must be a list of at most 100', Array(101).fill({})],
    ['exactly', { exactly: Array(101).fill({}) }],
  ])('that is too large is refused: %s', async (words, body) => {
    for (const path of ['/verify', '/verify/webhooks']) {
      expect(await call(`POST ${path}`, body)).toEqual([400, expect.stringContaining(words)]);
    }
  });

  it('of a million times is compared without a list of a million entries', async () => {
    await ask(mock());
    const many = Array(100).fill({ times: 1_000_000 });
    const total = '100000000 requests';
    await expect(mock().verify(many)).rejects.toThrow(`expected ${total} in this order`);
    await expect(mock().verify({ exactly: many })).rejects.toThrow(`expected exactly ${total}`);
    await expect(mock().verify({ times: 1_000_000 })).rejects.toThrow('exactly 1000000 times');
  });

  it('over 64 KiB is refused', async () => {
    const most = 'x'.repeat(65_536 - '{"body":""}'.length);
    expect((await call('POST /verify', { body: most }))[0]).toBe(422);
    for (const path of ['/verify', '/verify/webhooks']) {
      expect((await call(`POST ${path}`, { body: `${most}x` }))[0]).toBe(413);
    }
    const tooLarge = { code: 'MOMO_MOCK_TOO_LARGE' };
    await expect(mock().verify({ body: `${most}x` })).rejects.toMatchObject(tooLarge);
  });

  it.each([
    { name: 'the first 20 differences', count: 200, length: 20, end: '  180 more differences' },
    {
      name: '8 KiB and a note that it is truncated',
      count: 40,
      length: 900,
      end: 'The message is truncated. It has ',
    },
  ])('that fails has a message with $name', async ({ count, length, end }) => {
    const names = Array.from({ length: count }, (_, id) => `${'x'.repeat(length)}${id}`);
    const bodyOf = (value: string) => Object.fromEntries(names.map((name) => [name, value]));
    await ask(mock(), '/momo/balance', { body: bodyOf('is') });
    const failure = await mock()
      .verify({ body: bodyOf('should be') })
      .catch(({ message }) => message);
    expect(failure).toContain(end);
    expect(Buffer.byteLength(failure)).toBeLessThanOrEqual(8192);
  });
});

it.each([
  ['8 KiB', 'x'.repeat(8192 - 19), 'connection-failed'],
  ['more', 'x'.repeat(8193 - 19), 'bad-url'],
  ['1,000 fields', `?a${'&a'.repeat(999)}`, 'connection-failed'],
  ['1,001 fields', `?a${'&a'.repeat(1000)}`, 'bad-url'],
])(
  'the URL of a webhook can have 8 KiB and 1,000 fields, and not more: %s',
  async (_what, path, reason) => {
    const mock = await startMock();
    await mock.handle(
      'GET /call',
      (_request, { webhook }) => void webhook({ url: `http://127.0.0.1:1/${path}` }),
    );
    expect((await ask(mock, '/call')).status).toBe(200);
    expect(await mock.webhooks({ waitFor: 1 })).toMatchObject([{ reason }]);
  },
);

it('a transaction fails at the value for which the state has no room', async () => {
  const value = 'x'.repeat(1_048_576 - 2);
  let written = 0;
  const full = mock().state.transaction((draft) => {
    // Written again, a value takes no more room.
    for (let times = 0; times < 40; times++) draft.set('first', value);
    for (; written < 100; written++) draft.set(`name-${written}`, value);
  });
  await expect(full).rejects.toMatchObject({
    code: 'MOMO_MOCK_STATE_INVALID',
    message: expect.stringContaining('16 MiB at most'),
  });
  expect(written).toBeLessThan(16);
  expect(await mock().state.list()).toEqual({});
});

it('a snapshot that has more values or accounts than PUT /snapshot takes is refused where it is taken', async () => {
  const own = await startMock({}, { control: true });
  const refusal = async () => (await control(own, 'GET /snapshot')).text;
  const most = 15_000;
  const saved = { lastUsed: '2026-01-01', saved: {} };
  const accounts = Array.from({ length: most - 1 }, (_, index) => {
    return { id: `account-${index + 2}`, key: `created-${index}`, ...saved };
  });
  await own.restore({ version: 1, timers: 0, all: {}, accounts });
  await own.restore(await own.snapshot());
  await own.createAccount();
  expect(await refusal()).toContain('it would have more than 15,000 accounts, the limit');
  await own.reset();
  const state = Object.fromEntries(Array.from({ length: 10_000 }, (_, name) => [name, 1]));
  for (let count = 0; count < 5; count++) await own.createAccount({ state });
  expect(await refusal()).toContain('it would have more than 250,000 values, the limit');
});

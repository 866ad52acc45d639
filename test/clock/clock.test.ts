import { describe, expect, it } from 'vitest';
import { ask, control } from '../support/client.ts';
import { startMock, type TestMock } from '../support/mock.ts';

/** A payment is paid after a minute, and what is asked for later fails. */
const FILES = {
  'momo/pay.post.js': `export default (_request, { state, after, now }) => {
    const began = now();
    after(60_000, () => state.set('paid', now() - began));
  };`,
  'momo/fail.post.js': `export default (_request, { after }) => {
    after(1000, () => { throw new Error('sekret'); });
  };`,
  'momo/time.get.js': `export default ({ query }, { now, after }) => {
    if (query.after !== undefined) after(Number(query.after), () => {});
    return { body: new Date(now()).toISOString() };
  };`,
};

const pay = (of: Pick<TestMock, 'url' | 'ca' | 'apiKey'>, path = '/momo/pay') =>
  ask(of, path, { method: 'POST' });

it('a clock that is moved runs the due timers of all accounts or of one', async () => {
  const mock = await startMock(FILES);
  const account = await mock.createAccount();
  for (const scope of [mock, account]) {
    await scope.freeze();
    await pay(account);
    await scope.advance(59_999);
    expect(await account.state.get('paid')).toBeUndefined();
    await scope.advance(1);
    expect(await account.state.get('paid')).toBe(60_000);
    await account.state.delete('paid');
    await pay(account);
    await scope.advance('idle');
    expect(await account.state.get('paid')).toBe(60_000);
    await account.state.delete('paid');
    await scope.unfreeze();
  }
});

it('a clock also runs while it is not frozen, and each account has its own', async () => {
  const mock = await startMock(FILES);
  const [one, other] = [await mock.createAccount(), await mock.createAccount()];
  for (const account of [one, other]) await pay(account);
  await one.advance(60_000);
  const isPaid = async ({ state }: typeof one) => Number(await state.get('paid')) >= 60_000;
  expect([await isPaid(one), await isPaid(other)]).toEqual([true, false]);
  await mock.advance(60_000);
  expect(await isPaid(other)).toBe(true);
});

it('a reset or the removal of an account drops its timers', async () => {
  const mock = await startMock(FILES);
  const [reset, removed] = [await mock.createAccount(), await mock.createAccount()];
  for (const account of [reset, removed]) await pay(account, '/momo/fail');
  await reset.reset();
  await removed.remove();
  await mock.advance('idle');
  await expect(removed.advance(1)).rejects.toMatchObject({ code: 'MOMO_MOCK_ACCOUNT_UNKNOWN' });
});

it('advance reports after the last timer that one failed and where, without its message', async () => {
  const mock = await startMock(FILES);
  const account = await mock.createAccount();
  await account.freeze();
  await pay(account, '/momo/fail');
  await pay(account);
  const error = await account.advance(60_000).catch((thrown) => thrown);
  expect(error).toMatchObject({ code: 'MOMO_MOCK_TIMER_FAILED' });
  expect(error.message).toMatch(
    /fail\.post\.js:2:\d+: it threw an Error\. Correct the handler that set it/,
  );
  expect(error.message).not.toContain('sekret');
  expect(await account.state.get('paid')).toBe(60_000);
});

it.each([undefined, -1, 0.5, '10', 'Idle', null])(
  'a clock refuses to be moved by %s',
  async (by) => {
    const mock = await startMock();
    await expect(mock.advance(by as never)).rejects.toMatchObject({
      code: 'MOMO_MOCK_REQUEST_INVALID',
      message: 'Failed to read advance: must be a whole number from 0 to 3153600000000 or "idle".',
    });
    await expect((mock.freeze as (on: boolean) => Promise<unknown>)(false)).rejects.toThrow(
      'freeze takes no argument. Call unfreeze() to let the clock run again.',
    );
  },
);

it('an advance ends with the mock', async () => {
  const mock = await startMock();
  await mock.close();
  const closed = { code: 'MOMO_MOCK_CLOSED' };
  await expect(mock.advance('idle')).rejects.toMatchObject(closed);
  await expect(mock.freeze()).rejects.toMatchObject(closed);
});

interface Clock {
  readonly now: number;
}

describe('the clock over HTTP', () => {
  const start = async () => {
    const mock = await startMock(FILES, { control: true, apiKeys: ['alice', 'bob'] });
    const clock = async (body?: object, headers: Record<string, string> = {}) => {
      const line = body === undefined ? 'GET /clock' : 'POST /clock';
      const { status, json } = await control(mock, line, { body, headers });
      return { status, ...(json as Clock) };
    };
    return { mock, clock };
  };
  const ALICE = { apikey: 'alice' };

  it('ends with the year 9999, and handlers can still read and format it', async () => {
    const { mock, clock } = await start();
    const [last, century] = [Date.UTC(10_000, 0, 1) - 1, 3_153_600_000_000];
    let { now } = await clock({ freeze: true }, ALICE);
    while (now + century <= last) ({ now } = await clock({ advance: century }, ALICE));
    const beyond = await control(mock, 'POST /clock', {
      headers: ALICE,
      body: { advance: last - now + 1, freeze: false },
    });
    expect([beyond.status, beyond.text]).toEqual([
      400,
      expect.stringContaining('advance: the clock ends with the year 9999'),
    ]);
    // Nothing of the refused change was made.
    expect(await clock({}, ALICE)).toMatchObject({ now, frozen: true });
    expect(await clock({ advance: last - now }, ALICE)).toMatchObject({ now: last });
    // The clock of the service moves that of the account no further.
    expect(await clock({ advance: century })).toMatchObject({ status: 200 });
    const end = { status: 200, text: '9999-12-31T23:59:59.999Z' };
    expect(await ask(mock, '/momo/time')).toMatchObject(end);
    expect(await ask(mock, '/momo/time?after=0')).toMatchObject(end);
    expect(await ask(mock, '/momo/time?after=1')).toMatchObject({ status: 500 });
  });
});

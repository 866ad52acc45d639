import { describe, expect, it } from 'vitest';
import { controlApp, refused } from './control-app.ts';

const ALICE = { apikey: 'alice-key' };
const BOB = { apikey: 'bob-key' };

describe('the clock of handlers', () => {
  it('is shown, frozen, moved and let go', async () => {
    const { send, mock } = await controlApp();
    const before = Date.now();
    const running = await send('GET /clock');
    expect(running).toMatchObject({ status: 200, json: { frozen: false, pending: 0, next: null } });
    expect((running.json as { now: number }).now).toBeGreaterThanOrEqual(before);
    const frozen = await send('POST /clock', { body: { freeze: true } });
    const { now } = frozen.json as { now: number };
    mock.accounts.get('alice-key')?.clock.after(1500, () => {});
    expect((await send('GET /clock')).json).toEqual({
      now,
      frozen: true,
      pending: 1,
      next: now + 1500,
    });
    const moved = await send('POST /clock', { body: { advance: 1000 } });
    expect(moved.json).toEqual({ now: now + 1000, frozen: true, pending: 1, next: now + 1500 });
    const idle = await send('POST /clock', { body: { advance: 'idle' } });
    expect(idle.json).toEqual({ now: now + 1500, frozen: true, pending: 0, next: null });
    const free = await send('POST /clock', { body: { freeze: false } });
    expect(free.json).toMatchObject({ frozen: false });
  });

  it('is frozen before it is moved', async () => {
    const { send } = await controlApp();
    const { now } = (await send('POST /clock', { body: { freeze: true } })).json as { now: number };
    const body = { advance: 1000, freeze: true };
    expect((await send('POST /clock', { body })).json).toMatchObject({ now: now + 1000 });
  });

  it('of an account is its own, and that of the service is of all', async () => {
    const { send } = await controlApp();
    await send('POST /clock', { body: { freeze: true } });
    const nows = async () =>
      await Promise.all(
        [{}, ALICE, { account: 'account-2' }].map(async (headers) => {
          const { json } = await send('GET /clock', { headers });
          return (json as { now: number }).now;
        }),
      );
    const [now = 0] = await nows();
    await send('POST /clock', { headers: ALICE, body: { advance: 10 } });
    expect(await nows()).toEqual([now, now + 10, now]);
    await send('POST /clock', { body: { advance: 100 } });
    expect(await nows()).toEqual([now + 100, now + 110, now + 100]);
  });

  it('is normal after a reset, without timers', async () => {
    const { send, mock } = await controlApp();
    let ran = 0;
    for (const key of ['alice-key', 'bob-key']) {
      mock.accounts.get(key)?.clock.after(1000, () => ran++);
    }
    await send('POST /clock', { headers: ALICE, body: { freeze: true } });
    await send('POST /reset', { headers: ALICE });
    const alice = await send('GET /clock', { headers: ALICE });
    expect(alice.json).toMatchObject({ frozen: false, pending: 0 });
    expect((await send('GET /clock')).json).toMatchObject({ pending: 1 });
    await send('POST /reset');
    await send('POST /clock', { body: { advance: 'idle' } });
    expect(ran).toBe(0);
  });

  it('takes no timer of an account that was removed', async () => {
    const { send, mock } = await controlApp();
    const bob = mock.accounts.get('bob-key');
    const alice = mock.accounts.get('alice-key');
    bob?.clock.after(1000, () => {});
    for (const headers of [ALICE, BOB]) await send('DELETE /accounts', { headers });
    bob?.clock.after(1000, () => {});
    alice?.clock.after(1000, () => {});
    expect((await send('GET /clock')).json).toMatchObject({ pending: 0 });
  });

  it('tells that a timer failed, without what it says', async () => {
    const { send, mock } = await controlApp();
    mock.accounts.get('alice-key')?.clock.after(1000, () => {
      throw new Error('sekret');
    });
    const reply = await send('POST /clock', { headers: ALICE, body: { advance: 1000 } });
    expect(reply).toMatchObject(refused(422, 'MOMO_MOCK_TIMER_FAILED'));
    expect(reply.body).not.toContain('sekret');
    expect((await send('GET /clock', { headers: BOB })).json).toMatchObject({ pending: 0 });
  });
});

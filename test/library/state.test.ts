import { expect, it } from 'vitest';
import { describeBothWays } from './both-ways.ts';
import { get } from './client.ts';

const INVALID = { name: 'MomoMockError', code: 'MOMO_MOCK_STATE_INVALID' };

describeBothWays((open) => {
  it('sets, gets, lists and deletes values, of the service and of an account', async () => {
    const mock = await open();
    const account = await mock.createAccount({ state: { 'phones/1': { fails: true }, own: 1 } });
    await mock.state.set('phones/1', { fails: false });
    await mock.state.set('phones/2', null);
    expect(await account.state.list()).toEqual([
      ['own', 1],
      ['phones/1', { fails: true }],
      ['phones/2', null],
    ]);
    expect(await mock.state.list('phones/')).toEqual([
      ['phones/1', { fails: false }],
      ['phones/2', null],
    ]);
    await account.state.delete('phones/2');
    expect(await account.state.get('phones/2')).toBeUndefined();
    expect(await mock.state.get('phones/2')).toBeNull();
    await account.reset();
    expect(await account.state.get('phones/2')).toBeNull();
  });

  it('updates a value, and removes it with undefined', async () => {
    const { state } = await open();
    const add = (n = 0) => n + 1;
    expect(await state.update('n', add)).toBe(1);
    expect(await state.update('n', add)).toBe(2);
    expect(await state.get('n')).toBe(2);
    expect(await state.update('n', () => undefined)).toBeUndefined();
    expect(await state.list()).toEqual([]);
  });

  it('makes several changes in a transaction, or none', async () => {
    const { state } = await open();
    await state.set('a', 1);
    const result = await state.transaction((draft) => {
      draft.set('b', draft.get('a') + 1);
      draft.delete('a');
      return draft.list().length;
    });
    expect([result, await state.list()]).toEqual([1, [['b', 2]]]);
    const failing = state.transaction((draft) => {
      draft.delete('b');
      throw new Error('on purpose');
    });
    await expect(failing).rejects.toThrow('on purpose');
    await expect(state.transaction(async (draft) => draft.delete('b'))).rejects.toMatchObject(
      INVALID,
    );
    expect(await state.get('b')).toBe(2);
  });

  it.each(['a/b', '../a', 'a//', '%2F', 'é?#&= +', '__proto__', 'n'.repeat(512)])(
    'takes the name %s',
    async (name) => {
      const { state } = await open();
      await state.set(name, { name });
      expect(await state.get(name)).toEqual({ name });
      expect(await state.list()).toEqual([[name, { name }]]);
      await state.update(name, (value) => [value]);
      expect(await state.get(name)).toEqual([{ name }]);
      await state.delete(name);
      expect(await state.list()).toEqual([]);
    },
  );

  it.each<[string, name: string, value: unknown]>([
    ['no name', '', 1],
    ['a long name', 'n'.repeat(513), 1],
    ['a name that is no text', 1 as never, 1],
    ['a value that is no JSON', 'a', undefined],
    ['a value that is too long', 'a', 'x'.repeat(1_048_575)],
  ])('refuses %s', async (_what, name, value) => {
    const { state } = await open();
    await expect(state.set(name, value)).rejects.toMatchObject(INVALID);
    expect(await state.get(name)).toBeUndefined();
  });

  it('shows configured keys as [redacted]', async () => {
    const mock = await open();
    await mock.state.set('of', `a ${mock.apikey}`);
    expect(await mock.state.get('of')).toBe('a [redacted]');
    expect(await mock.state.list()).toEqual([['of', 'a [redacted]']]);
  });

  it('does not lose a key by writing back what it shows', async () => {
    const mock = await open();
    const { state } = mock;
    const value = { token: mock.apikey, n: 1 };
    await state.set('of', value);
    await state.set('n', 1);
    const kept = async () => (await get(mock, '/momo/kept/of')).text;
    const redacted = { name: 'MomoMockError', code: 'MOMO_MOCK_STATE_REDACTED' };
    const shown = await state.get('of');
    expect(shown).toEqual({ token: '[redacted]', n: 1 });
    await expect(state.set('of', shown)).rejects.toMatchObject(redacted);
    await expect(state.set('copy', shown.token)).rejects.toMatchObject(redacted);
    await state.transaction((draft) => {
      for (const [name, one] of draft.list()) draft.set(name, one);
      draft.set('n', draft.get('n') + 1);
    });
    await state.update('of', (one) => one);
    expect(await state.list()).toEqual([
      ['n', 2],
      ['of', shown],
    ]);
    expect(await kept()).toBe(JSON.stringify(value));
    await state.set('of', 'whole');
    expect(await kept()).toBe('whole');
  });

  it('fails for an account that was removed, and after close', async () => {
    const mock = await open();
    const account = await mock.createAccount();
    await account.remove();
    const unknown = { code: 'MOMO_MOCK_ACCOUNT_UNKNOWN' };
    await expect(account.state.get('a')).rejects.toMatchObject(unknown);
    await expect(account.advance(1)).rejects.toMatchObject(unknown);
    await mock.close();
    const closed = { code: 'MOMO_MOCK_CLOSED' };
    await expect(mock.state.set('a', 1)).rejects.toMatchObject(closed);
    await expect(mock.state.transaction(() => 1)).rejects.toMatchObject(closed);
    await expect(mock.advance('idle')).rejects.toMatchObject(closed);
    await expect(mock.freeze()).rejects.toMatchObject(closed);
  });
});

describeBothWays((open) => {
  it('moves and freezes the clock of the service or of an account', async () => {
    const mock = await open();
    const account = await mock.createAccount();
    await mock.freeze();
    await account.advance(1000);
    await mock.advance('idle');
    await mock.freeze(false);
  });

  it.each([undefined, -1, 0.5, '10', 'Idle', null])('refuses to advance by %s', async (by) => {
    const mock = await open();
    await expect(mock.advance(by as never)).rejects.toMatchObject({
      code: 'MOMO_MOCK_REQUEST_INVALID',
      message: 'Failed to read advance: must be a whole number from 0 to 3153600000000 or "idle".',
    });
    await expect(mock.freeze(1 as never)).rejects.toMatchObject({
      message: 'Failed to read freeze: must be true or false.',
    });
  });
});

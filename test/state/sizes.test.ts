import { expect, it } from 'vitest';
import { startMock } from '../support/mock.ts';

const invalid = (problem: string) => ({
  name: 'MomoMockError',
  code: 'MOMO_MOCK_STATE_INVALID',
  message: expect.stringContaining(`Failed to write the state: ${problem}`),
});

it('the state of an account and of all accounts has 16 MiB at most, whatever was written before', async () => {
  const mock = await startMock();
  const { state, reset } = await mock.createAccount();
  const value = 'x'.repeat(1_048_574);
  const names = Array.from({ length: 15 }, (_, at) => `name-${at}`);
  const fill = () => Promise.all(names.map((name) => state.set(name, value)));
  await fill();
  await state.set('name-0', value);
  await expect(state.set('last', value)).rejects.toMatchObject(invalid('it can have 16 MiB'));
  const both = state.transaction((draft) => {
    draft.set('small', 1);
    draft.set('large', value);
  });
  await expect(both).rejects.toMatchObject(invalid('it can have 16 MiB'));
  expect(await state.get('small')).toBeUndefined();
  await state.delete('name-0');
  await state.set('last', value);
  await reset();
  await fill();
  await mock.state.set('last', value);
});

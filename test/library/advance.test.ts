import { expect, it } from 'vitest';
import { connectMomoMock } from '../../src/index.ts';
import { ask } from '../support/client.ts';
import { startMock } from '../support/mock.ts';

const PAY = `export default async (_request, { state, after, now }) => {
  const began = now();
  after(60_000, () => state.set('paid', now() - began));
};`;

it.each(['in process', 'over HTTP'])('advance runs what is due, %s', async (way) => {
  const local = await startMock({ 'momo/pay.post.js': PAY }, { control: true });
  const mock = way === 'in process' ? local : await connectMomoMock(`${local.controlUrl}`);
  const account = await mock.createAccount();
  for (const scope of [mock, account]) {
    await scope.freeze();
    await ask(account, '/momo/pay', { method: 'POST' });
    await scope.advance(59_999);
    expect(await account.state.get('paid')).toBeUndefined();
    await scope.advance(1);
    expect(await account.state.get('paid')).toBe(60_000);
    await account.state.delete('paid');
    await scope.freeze(false);
  }
});

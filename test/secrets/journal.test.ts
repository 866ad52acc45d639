import { expect, it } from 'vitest';
import { send } from '../support/client.ts';
import { startMock } from '../support/mock.ts';

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

import { expect, it } from 'vitest';
import { RequestRecord } from '../../src/mock/journal/record.ts';
import { journals } from '../support/store-listener.ts';

it('drops its oldest records also when ids count from 1 again, as after a store lost its data', () => {
  const { requests } = journals(2);
  const add = (id: number) =>
    requests.add(Object.assign(new RequestRecord({ method: 'GET', headers: {} }), { id }));
  for (let id = 1; id <= 5; id++) add(id);
  requests.restore(0);
  for (let id = 1; id <= 4; id++) add(id);
  expect(Array.from(requests.all, ({ id }) => id)).toEqual([3, 4]);
});

import { expect, it } from 'vitest';
import { LAST_TIME, LONGEST_STEP } from '../../src/mock/limits.ts';
import { runTree } from './run-tree.ts';

const TREE = {
  'momo/time.get.js': `export default ({ query }, { now, after }) => {
    if (query.after !== undefined) after(Number(query.after), () => {});
    return { body: new Date(now()).toISOString() };
  };`,
};

it('the clock ends with the year 9999, and handlers can still read and show it', async () => {
  const mock = await runTree(TREE);
  const change = async (body: object, headers: Record<string, string> = {}) => {
    const reply = await fetch(`${mock.controlUrl}/clock`, {
      method: 'POST',
      headers: { 'content-type': 'application/json', ...headers },
      body: JSON.stringify(body),
    });
    const json = (await reply.json()) as { now: number; error: { message: string } };
    return { status: reply.status, json };
  };
  const time = (query = '') => mock.get(`/momo/time?apikey=good${query}`);
  const refused = {
    status: 400,
    json: { error: { code: 'MOMO_MOCK_REQUEST_INVALID', message: expect.any(String) } },
  };
  const own = { apikey: 'good' };
  let { now } = (await change({ freeze: true }, own)).json;
  while (now + LONGEST_STEP <= LAST_TIME)
    ({ now } = (await change({ advance: LONGEST_STEP }, own)).json);

  const beyond = await change({ advance: LAST_TIME - now + 1, freeze: false }, own);
  expect(beyond).toMatchObject(refused);
  expect(beyond.json.error.message).toContain('advance: the clock ends with the year 9999');
  // Nothing of the refused change was made.
  expect((await change({}, own)).json).toMatchObject({ now, frozen: true });
  expect(await change({ advance: LAST_TIME - now }, own)).toMatchObject({ status: 200 });
  // The clock of the service moves that of the account no further.
  expect(await change({ advance: LONGEST_STEP })).toMatchObject({ status: 200 });
  const end = { status: 200, body: '9999-12-31T23:59:59.999Z' };
  expect(await time()).toMatchObject(end);
  expect(await time('&after=0')).toMatchObject(end);
  expect(await time('&after=1')).toMatchObject({ status: 500 });
  expect(JSON.stringify(mock.records)).toContain('the time of after: the clock ends with');
});

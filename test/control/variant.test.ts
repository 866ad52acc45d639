import { describe, expect, it } from 'vitest';
import { controlApp, refused } from './control-app.ts';

const FILE = '{"balance":[1]}';
const EMPTY = '{"balance":[]}';

describe('the variant', () => {
  it('that is set is served, until it is removed', async () => {
    const { send, ask } = await controlApp();
    const put = await send('PUT /variant', { body: { variant: 'empty' } });
    expect(put).toMatchObject({ status: 200, json: { variant: 'empty' } });
    expect((await send('GET /variant')).json).toEqual({ variant: 'empty' });
    expect(ask('alice-key').body).toBe(EMPTY);
    expect(await send('DELETE /variant')).toMatchObject({ status: 204, body: '' });
    expect((await send('GET /variant')).json).toEqual({ variant: null });
    expect(ask('alice-key').body).toBe(FILE);
  });

  it('of one account applies to that account only', async () => {
    const { send, ask } = await controlApp();
    await send('PUT /variant', { headers: { apikey: 'bob-key' }, body: { variant: 'empty' } });
    expect([ask('alice-key').body, ask('bob-key').body]).toEqual([FILE, EMPTY]);
    expect((await send('GET /variant')).json).toEqual({ variant: null });
  });

  it('is removed by a reset', async () => {
    const { send, ask } = await controlApp();
    await send('PUT /variant', { body: { variant: 'empty' } });
    await send('POST /reset');
    expect(ask('alice-key').body).toBe(FILE);
  });

  it.each([
    ['without a file', { variant: 'sekret' }, 422, 'MOMO_MOCK_VARIANT_UNKNOWN'],
    ['that is no text', { variant: 1 }, 400, 'MOMO_MOCK_REQUEST_INVALID'],
    ['without a name', {}, 400, 'MOMO_MOCK_REQUEST_INVALID'],
  ])('%s is refused, and nothing is changed', async (_what, body, status, code) => {
    const { send } = await controlApp();
    await send('PUT /variant', { body: { variant: 'empty' } });
    const reply = await send('PUT /variant', { body });
    expect(reply).toMatchObject(refused(status, code));
    expect(reply.body).not.toContain('sekret');
    expect((await send('GET /variant')).json).toEqual({ variant: 'empty' });
  });
});

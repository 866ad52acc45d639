import { describe, expect, it } from 'vitest';
import { controlApp, refused } from './control-app.ts';

const BALANCE = {
  name: 'GET /momo/balance',
  schema: 'balance.get.schema.json',
  fixtures: [
    { variant: null, file: 'default.json', status: 200 },
    { variant: 'empty', file: 'empty.json', status: 200 },
  ],
};

describe('GET /operations', () => {
  it('lists the operations with their files', async () => {
    const { send } = await controlApp();
    expect((await send('GET /operations')).json).toEqual({
      operations: [BALANCE, { ...BALANCE, name: 'GET /momo/status/:reference', schema: null }],
    });
  });

  it('shows the responses of the files of one operation', async () => {
    const { send } = await controlApp();
    const bodies = ['{"balance":[1]}', '{"balance":[]}'];
    expect((await send('GET /operations/GET%20%2Fmomo%2Fbalance')).json).toEqual({
      ...BALANCE,
      fixtures: BALANCE.fixtures.map((it, n) => ({ ...it, headers: {}, body: bodies[n] })),
    });
  });

  it('shows no configured key', async () => {
    const { send, mock } = await controlApp();
    const [balance] = mock.operations;
    if (balance === undefined) throw new Error('the tree is empty');
    const body = Buffer.from('{"owner":"alice-key"}');
    const file = { ...balance.default, body, headers: { 'x-owner': 'an alice-key' } };
    mock.tree = { ...mock.tree, operations: [{ ...balance, default: file }] };
    const reply = await send('GET /operations/GET%20%2Fmomo%2Fbalance');
    expect(reply.json).toMatchObject({
      fixtures: [{ body: '{"owner":"[redacted]"}', headers: { 'x-owner': 'an [redacted]' } }, {}],
    });
    expect(reply.body).not.toContain('alice-key');
  });

  it('shows an operation with a long name', async () => {
    const { send, mock } = await controlApp();
    const [balance] = mock.operations;
    if (balance === undefined) throw new Error('the tree is empty');
    const name = `GET /momo/${'long/'.repeat(500)}`;
    mock.tree = { ...mock.tree, operations: [{ ...balance, name }] };
    const reply = await send(`GET /operations/${encodeURIComponent(name)}`);
    expect(reply.json).toMatchObject({ name });
  });

  it('refuses a name that no operation has, and does not repeat it', async () => {
    const { send } = await controlApp();
    const reply = await send('GET /operations/GET%20%2Fsekret');
    expect(reply).toMatchObject(refused(422, 'MOMO_MOCK_OPERATION_UNKNOWN'));
    expect(reply.body).not.toContain('sekret');
  });
});

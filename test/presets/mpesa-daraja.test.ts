import { readdirSync, readFileSync } from 'node:fs';
import { describe, expect, it } from 'vitest';
import { readDocument, rowsBelow } from '../docs/documents.ts';
import { type ReceivedResponse, send } from '../support/client.ts';
import { startMock } from '../support/mock.ts';
import type { MomoAccount } from '../support/momo-mock.ts';
import { respondAsAsked, startWebhook } from '../support/webhook.ts';
import {
  type Body,
  CALLS,
  type Call,
  call,
  callback,
  generate,
  PASSKEY,
  PHONE,
  passwordOf,
  post,
  push,
  query,
  received,
  result,
  SHORTCODE,
  startAccount,
  TEST_PHONE,
  textOf,
  tokenOf,
} from './mpesa-daraja.ts';

const FOLDER = 'presets/mpesa-daraja/fixtures';
const README = readDocument(`${FOLDER}/README.md`);
const codeIn = (cell = '') => cell.replaceAll('`', '');
/** As the state and callbacks have it: most are numbers. */
const resultCode = (code: string) => (/^\d+$/.test(code) ? Number(code) : code);
const balance = async (momo: MomoAccount, shortcode: string) =>
  await momo.state.get(`balances/${shortcode}`);

describe('the README', () => {
  /** By operation, a call that it accepts. */
  const OPERATIONS: Record<string, (momo: MomoAccount) => Promise<ReceivedResponse>> = {
    'GET /oauth/v1/generate': (momo) => generate(momo),
    ...Object.fromEntries(
      Object.values(CALLS).map(([path, body]) => [
        `POST ${path}`,
        (momo: MomoAccount) => post(momo, path, body),
      ]),
    ),
    [`POST ${CALLS.query[0]}`]: async (momo) =>
      await call(momo, 'query', { CheckoutRequestID: await push(momo) }),
    ...Object.fromEntries(
      (['register', 'simulate'] as const).map((name) => {
        const path = CALLS[name][0].replace('v1', 'v2');
        return [`POST ${path}`, (momo: MomoAccount) => post(momo, path, CALLS[name][1])];
      }),
    ),
  };

  it('lists the operations that the preset has', async () => {
    const mock = await startMock({}, { preset: 'mpesa-daraja' });
    const { operations } = await mock.health();
    const listed = rowsBelow(README, 'Operations').map(([operation]) => codeIn(operation));
    expect(listed.sort()).toEqual([...operations].sort());
    expect(listed).toEqual(Object.keys(OPERATIONS).sort());
  });

  it.each(rowsBelow(README, 'Operations'))('%s: %s', async (operation) => {
    const momo = await startAccount();
    expect(await OPERATIONS[codeIn(operation)]?.(momo)).toMatchObject({ status: 200 });
  });

  it.each(rowsBelow(README, 'Numbers'))(
    'the number %s ends as a payer with %s, as a receiver with %s',
    async (number, paying = '', receiving = '') => {
      const momo = await startAccount();
      const phone = codeIn(number);
      const paid = await callback(momo, { PhoneNumber: phone, PartyA: phone });
      expect(paid.ResultCode).toBe(Number.parseInt(paying, 10));
      const sent = await result(momo, 'b2c', { PartyB: phone });
      expect(sent.ResultCode).toBe(Number.parseInt(receiving, 10));
    },
  );

  it('lists the values of state.json, as they are at first', () => {
    const { $schema: _, ...values } = JSON.parse(readFileSync(`${FOLDER}/state.json`, 'utf8'));
    const rows = rowsBelow(README, 'State').map(([name, value]) => [
      codeIn(name),
      JSON.parse(codeIn(value)),
    ]);
    expect(Object.fromEntries(rows)).toEqual(values);
    expect(rows.map(([name]) => name).sort()).toEqual(Object.keys(STATE_WALKS).sort());
  });

  it.each(rowsBelow(README, 'State').map(([name]) => codeIn(name)))(
    'the value %s of the state does what it says',
    async (name) => {
      await STATE_WALKS[name]?.();
    },
  );

  it.each(rowsBelow(README, 'Result codes of a push'))(
    'the push with the result code %s has the text %s, and in the query %s',
    async (cell, text, other) => {
      const code = codeIn(cell);
      const momo = await startAccount({ outcomes: { [PHONE]: resultCode(code) } });
      const app = await startWebhook();
      const id = await push(momo, { CallBackURL: app.url });
      const [called] = (await received(momo, app)) as { Body: { stkCallback: Body } }[];
      const ended = called?.Body.stkCallback;
      if (code === '4999') expect(called).toBeUndefined();
      else expect(ended).toMatchObject({ ResultCode: resultCode(code), ResultDesc: text });
      const state = { ResultCode: code, ResultDesc: other === 'the same' ? text : other };
      expect(await query(momo, id)).toMatchObject({ ResponseCode: '0', ...state });
      expect(ended?.CallbackMetadata !== undefined).toBe(code === '0');
    },
  );

  it.each(
    rowsBelow(README, 'Result codes at ResultURL').flatMap(([code = '', operations = '', text]) =>
      operations.split(', ').map((name) => [name as Call, codeIn(code), text] as const),
    ),
  )('the result of %s with the code %s has the text %s', async (name, code, text) => {
    const momo = await startAccount({ results: { [name]: resultCode(code) } });
    const changes =
      code !== '0' || (name !== 'status' && name !== 'reversal')
        ? {}
        : { TransactionID: (await paid(momo)).receipt };
    const ended = await result(momo, name, changes);
    const sent = name === 'b2b' ? code : resultCode(code);
    expect(ended).toMatchObject({ ResultCode: sent, ResultDesc: text });
  });

  it('has an error for each case, and a case for each error', () => {
    const rows = rowsBelow(README, 'Error codes').map(([code, text, , when]) =>
      keyOf(code, text, when),
    );
    expect(Object.keys(ERRORS).sort()).toEqual(rows.sort());
  });

  it.each(rowsBelow(README, 'Error codes'))(
    'the error %s %s has the status %s: %s, with the reason %s',
    async (cell, text = '', status = '', when = '', reason = '') => {
      const momo = await startAccount({}, { rateLimit: '100/1s' });
      const response = await ERRORS[keyOf(cell, text, when)]?.(momo);
      expect(response).toMatchObject({ status: Number(status) });
      const { requestId, errorCode, errorMessage } = (response?.json ?? {}) as Body;
      const code = codeIn(cell);
      if (code === 'none') expect(errorCode).toBeUndefined();
      else expect({ errorCode, errorMessage }).toEqual({ errorCode: code, errorMessage: text });
      if (code !== 'none') expect(requestId).toMatch(/^[\da-f]{4}-[\da-f]{4}-[\da-f]{4}-[\da-f]+$/);
      const [entry] = await lastRequests.get(momo)?.() ?? (await momo.requests({ limit: 1 }));
      expect(entry?.reason ?? null).toBe(reason.startsWith('none') ? null : codeIn(reason));
      if (!reason.startsWith('none')) expect(entry?.hint).toMatch(/^[A-Z].+\.$/);
    },
  );
});

const keyOf = (code = '', text = '', when = '') => `${codeIn(code)} ${text}: ${codeIn(when)}`;

/** A push that was paid. */
async function paid(momo: MomoAccount, changes: Body = {}): Promise<{ id: string; receipt: string }> {
  const id = await push(momo, changes);
  await momo.advance('idle');
  return { id, receipt: (await momo.state.get(`pushes/${id}`)).receipt };
}

/** Requests without a valid key are in the mock's journal only. */
const lastRequests = new WeakMap<MomoAccount, () => Promise<readonly Entry[]>>();
type Entry = Awaited<ReturnType<MomoAccount['requests']>>[number];

import * as Type from 'typebox';
import { define } from '../json/define.ts';
import type { Definition } from '../json/definition.ts';
import type { LedgerEntry, MomoDrill } from './drill-file.ts';
import type { MomoOperation } from './operation-name.ts';

const closed = <Fields extends Type.TProperties>(fields: Fields, options: object = {}) =>
  Type.Object(fields, { additionalProperties: false, ...options });

/** Whether the function takes and returns what it should shows when it is called. */
const fn = <Of>() =>
  Type.Unsafe<Of>(
    Type.Refine(Type.Unknown({ title: 'a function' }), (value) => typeof value === 'function'),
  );
const values = Type.Unsafe<Readonly<Record<string, unknown>>>(
  Type.Record(Type.String(), Type.Unknown(), { title: 'an object of names and values' }),
);
const texts = Type.Optional(
  Type.Unsafe<Readonly<Record<string, string>>>(
    Type.Record(Type.String(), Type.String(), { title: 'an object of names and texts' }),
  ),
);
const operations = (minItems: number) =>
  Type.Unsafe<readonly MomoOperation[]>(
    Type.Array(Type.String({ pattern: '^[A-Z]+ /' }), {
      title: 'a list of operations such as "POST /payments"',
      minItems,
    }),
  );

const END = closed({
  phone: Type.String({ title: 'a phone number as text', pattern: '^\\S+$' }),
  state: Type.Optional(values),
});

/** The default export of `drill.js`. */
export const DRILL: Definition<MomoDrill> = define(
  closed(
    {
      pay: operations(1),
      status: operations(0),
      amount: Type.Number({ title: 'a number greater than 0', exclusiveMinimum: 0 }),
      currency: Type.String({ title: 'a currency such as "XOF"', pattern: '^[A-Z]{3}$' }),
      ends: closed({
        success: END,
        declined: Type.Optional(END),
        'no-funds': Type.Optional(END),
        expired: Type.Optional(END),
      }),
      state: Type.Optional(values),
      credentials: Type.Optional(
        Type.Unsafe<readonly string[]>(
          Type.Array(Type.String({ pattern: '^[A-Za-z]\\w*$' }), {
            title: 'a list of names such as "apiUser"',
            uniqueItems: true,
          }),
        ),
      ),
      prepare: Type.Optional(fn<NonNullable<MomoDrill['prepare']>>()),
      ledger: fn<MomoDrill['ledger']>(),
      lostPayment: Type.Enum(['status', 'webhook', 'unknown']),
      tokens: Type.Optional(
        closed({
          operations: operations(1),
          seconds: Type.Integer({ minimum: 1, maximum: 86_400 }),
          state: values,
        }),
      ),
      webhooks: Type.Optional(
        closed({
          success: Type.Unknown(),
          pending: Type.Optional(Type.Unknown()),
          of: fn<NonNullable<MomoDrill['webhooks']>['of']>(),
        }),
      ),
      addPaidOrder: Type.Optional(fn<NonNullable<MomoDrill['addPaidOrder']>>()),
      payLess: Type.Optional(fn<NonNullable<MomoDrill['payLess']>>()),
      cannot: texts,
      advice: texts,
    },
    { $id: 'The default export' },
  ),
);

const ENTRY = closed({
  id: Type.String({ minLength: 1 }),
  kind: Type.Enum(['payment', 'payout']),
  amount: Type.Number({ title: 'a number' }),
  currency: Type.String(),
  payer: Type.String(),
  order: Type.Union([Type.String(), Type.Null()]),
  state: Type.Enum(['pending', 'success', 'failed']),
  time: Type.String({ format: 'date-time', title: 'a time such as "2026-01-02T03:04:05.000Z"' }),
});

/** What `ledger` of `drill.js` returns. */
export const LEDGER: Definition<readonly LedgerEntry[]> = define(
  Type.Immutable(Type.Array(ENTRY, { $id: 'Ledger' })),
);

import * as Type from 'typebox';
import { closedObject, define } from '../json/define.ts';
import type { Definition } from '../json/definition.ts';
import type { MomoOperation } from '../operations/operation-name.ts';
import {
  credentialVariable,
  type DrillEnd,
  type DrillFlow,
  type LedgerEntry,
  type MomoDrill,
} from './momo-drill.ts';

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

const END: Definition<DrillEnd> = define(
  closedObject({
    phone: Type.Unsafe<DrillEnd['phone']>(
      Type.Union([Type.String({ pattern: '^\\S+$' }), fn<(order: number) => string>()], {
        title: 'a phone number as text, or a function that returns one',
      }),
    ),
    state: Type.Optional(values),
    atOnce: Type.Optional(Type.Boolean()),
  }),
);

const WEBHOOKS: Definition<NonNullable<DrillFlow['webhooks']>> = define(
  closedObject({
    success: Type.Unknown(),
    pending: Type.Optional(Type.Unknown()),
    of: fn<NonNullable<DrillFlow['webhooks']>['of']>(),
  }),
);

const AMOUNT = Type.Number({ title: 'a number greater than 0', exclusiveMinimum: 0 });

/** Amounts by currency: of `drill.js`, and of a drill that replaces them. */
export const AMOUNTS: Definition<Readonly<Record<string, readonly number[]>>> = define(
  Type.Unsafe<Readonly<Record<string, readonly number[]>>>(
    Type.Record(
      Type.String({ pattern: '^[A-Z]{3}$' }),
      Type.Array(AMOUNT, { title: 'a list of amounts', minItems: 1, maxItems: 100 }),
      {
        title: 'an object of lists of amounts by currency, such as { "XOF": [1000, 730] }',
        minProperties: 1,
        additionalProperties: false,
      },
    ),
  ),
);

const FLOW: Definition<DrillFlow> = define(
  closedObject({
    start: operations(1),
    status: operations(0),
    amounts: AMOUNTS,
    ends: closedObject({
      success: END,
      declined: Type.Optional(END),
      'no-funds': Type.Optional(END),
      expired: Type.Optional(END),
      never: Type.Optional(END),
    }),
    settle: Type.Optional(fn<NonNullable<DrillFlow['settle']>>()),
    lost: Type.Enum(['status', 'webhook', 'unknown']),
    unknown: Type.Optional(
      Type.Unsafe<NonNullable<DrillFlow['unknown']>>(
        Type.Record(Type.String(), Type.Object({}), {
          title: 'an object of scripted responses by operation',
        }),
      ),
    ),
    webhooks: Type.Optional(WEBHOOKS),
    addPaidOrder: Type.Optional(fn<NonNullable<DrillFlow['addPaidOrder']>>()),
    payLess: Type.Optional(fn<NonNullable<DrillFlow['payLess']>>()),
  }),
);

/** With these names, a credential would have a variable of the drill's. */
const OWN_NAMES = ['data', 'flow', 'webhook', 'webhookSecret'];
const OWN_VARIABLES = OWN_NAMES.map(credentialVariable);

const CREDENTIAL = Type.Refine(
  Type.String({
    title: `a name such as "apiUser", and none of ${OWN_NAMES.join(', ')}, whose variables are the drill's`,
    pattern: '^[A-Za-z]\\w*$',
  }),
  (name) => !OWN_VARIABLES.includes(credentialVariable(`${name}`)),
);

/** The default export of `drill.js`. */
export const DRILL: Definition<MomoDrill> = define(
  closedObject(
    {
      flows: closedObject({ payment: Type.Optional(FLOW) }),
      state: Type.Optional(values),
      credentials: Type.Optional(
        Type.Unsafe<readonly string[]>(
          Type.Array(CREDENTIAL, {
            title: 'a list of different names such as "apiUser"',
            uniqueItems: true,
          }),
        ),
      ),
      prepare: Type.Optional(fn<NonNullable<MomoDrill['prepare']>>()),
      ledger: fn<MomoDrill['ledger']>(),
      tokens: Type.Optional(
        closedObject({
          operations: operations(1),
          seconds: Type.Integer({ minimum: 1, maximum: 86_400 }),
          state: values,
        }),
      ),
      cannot: texts,
      advice: texts,
    },
    { $id: 'The default export' },
  ),
);

const ENTRY = closedObject({
  id: Type.String({ minLength: 1 }),
  kind: Type.Enum(['payment', 'payout', 'refund']),
  of: Type.Union([Type.String(), Type.Null()]),
  // JavaScript would already have rounded a larger one.
  amount: Type.Number({
    title: `a number of at most ${Number.MAX_SAFE_INTEGER}`,
    minimum: -Number.MAX_SAFE_INTEGER,
    maximum: Number.MAX_SAFE_INTEGER,
  }),
  currency: Type.String(),
  party: Type.String(),
  order: Type.Union([Type.String(), Type.Null()]),
  state: Type.Enum(['pending', 'success', 'failed', 'reversed']),
  time: Type.String({ format: 'date-time', title: 'a time such as "2026-01-02T03:04:05.000Z"' }),
});

/** What `ledger` of `drill.js` returns. */
export const LEDGER: Definition<readonly LedgerEntry[]> = define(
  Type.Immutable(Type.Array(ENTRY, { $id: 'Ledger' })),
);

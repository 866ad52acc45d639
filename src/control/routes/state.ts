import * as Type from 'typebox';
import type { Account } from '../../mock/account/account.ts';
import { closedObject, define, jsonValue, text } from '../../mock/json/define.ts';
import { MAX_STATE_CHANGE_BYTES } from '../../mock/limits.ts';
import type { MomoStateDraft } from '../../mock/state/state.ts';
import { STATE_CHANGE } from '../../mock/state/state-change.ts';
import { stateInAccount } from '../../mock/state/state-values.ts';
import { ControlError } from '../control-error.ts';
import { type Call, JSON_TYPE, Reply, route } from '../route.ts';

const VALUE = { amount: 500, status: 'success' };
const UNKNOWN =
  'Failed to show the state: there is no value with this name. GET /state lists the names; set a value with PUT.';
const CHANGED = new ControlError(
  'MOMO_MOCK_STATE_CHANGED',
  'Failed to write the state: it has changed since it was read with this ETag. Read it again, and send the new ETag in If-Match.',
);
const NAME = 'The name of the value, percent-encoded. It may contain slashes: deposits/7f3a.';
const REFUSED = [
  'MOMO_MOCK_STATE_REDACTED',
  'MOMO_MOCK_STATE_CHANGED',
  'MOMO_MOCK_STATE_INVALID',
] as const;
/** Headers that make a write conditional. */
const CONDITION = {
  'if-match':
    'The ETag that you read. If the state has changed since, the response is 412 and nothing is written. Without this header, the request always writes.',
};
const VERSION = {
  etag: {
    description: 'The version, which each change of the state renews.',
    schema: { type: 'string' },
  },
};
const PREFIX = define(closedObject({ prefix: text('Show only names that begin with this text.') }));

export const stateRoutes = {
  'GET /state': route({
    summary: 'Get the state',
    description:
      'An account sees its own values first, then the values of all accounts, then the values of state.json.',
    query: PREFIX,
    errors: ['MOMO_MOCK_STATE_IN_ACCOUNT'],
    result: Type.Record(Type.String(), Type.Unknown(), {
      description: 'Names and values. Configured keys are [redacted].',
      headers: VERSION,
      examples: [{ 'deposits/7f3a': VALUE }],
    }),
    run: async ({ account, query }) => {
      const headers = { 'content-type': JSON_TYPE, etag: etagOf(account) };
      const values = await account.redactedState.jsonList(query.prefix);
      const members = values.map(([name, json]) => `${JSON.stringify(name)}:${json}`);
      return new Reply(`{${members.join()}}`, headers);
    },
  }),
  'PATCH /state': route({
    summary: 'Set and delete several values in one step',
    description:
      'Makes all changes, or none. If the new values depend on the old ones, send the ETag of GET /state in If-Match.',
    headers: CONDITION,
    body: STATE_CHANGE,
    maxBodyBytes: MAX_STATE_CHANGE_BYTES,
    errors: REFUSED,
    nothing: 'All changes were made.',
    run: async (call) => {
      const { set = {}, delete: names = [] } = call.body;
      const version = await write(call, (draft) => {
        for (const [name, value] of Object.entries(set)) draft.set(name, value);
        for (const name of names) draft.delete(name);
      });
      return new Reply(undefined, { etag: `"${version}"` });
    },
  }),
  'GET /state/*': route({
    summary: 'Get a value',
    params: { name: NAME },
    errors: ['MOMO_MOCK_STATE_UNKNOWN', 'MOMO_MOCK_STATE_IN_ACCOUNT'],
    result: Type.Unknown({
      description: 'The value. Configured keys in it are [redacted].',
      headers: VERSION,
      examples: [VALUE],
    }),
    run: ({ account, params: { name = '' } }) => {
      const state = account.redactedState;
      const json = state.json(name);
      // Even without a value: with the ETag, a client can write one only if nobody else has.
      const headers = { etag: etagOf(account) };
      if (json !== undefined) return new Reply(json, { 'content-type': JSON_TYPE, ...headers });
      if (!state.isInAccount(name)) {
        throw new ControlError('MOMO_MOCK_STATE_UNKNOWN', UNKNOWN, headers);
      }
      const { message } = stateInAccount();
      throw new ControlError('MOMO_MOCK_STATE_IN_ACCOUNT', message, headers);
    },
  }),
  'PUT /state/*': route({
    summary: 'Set a value',
    headers: CONDITION,
    params: { name: NAME },
    body: jsonValue({ $id: 'the value', description: 'The value.', examples: [VALUE] }),
    errors: REFUSED,
    nothing: 'The value was set.',
    run: async (call) => {
      const { params, body } = call;
      await write(call, (draft) => draft.set(params.name ?? '', body));
    },
  }),
  'DELETE /state/*': route({
    summary: 'Delete a value',
    description: 'In an account, this also hides the value of all accounts.',
    headers: CONDITION,
    params: { name: NAME },
    errors: ['MOMO_MOCK_STATE_CHANGED', 'MOMO_MOCK_STATE_INVALID'],
    nothing: 'The value was deleted.',
    run: async (call) => {
      await write(call, (draft) => draft.delete(call.params.name ?? ''));
    },
  }),
};

function etagOf({ values }: Account): string {
  return `"${values.version}"`;
}

/** Applies changes, unless the call has an `If-Match` without the current `ETag`. */
function write({ account, headers }: Call, work: (draft: MomoStateDraft) => void): Promise<number> {
  const etags = `${headers['if-match'] ?? '*'}`.split(',').map((etag) => etag.trim());
  return account.redactedState.write(work, () => {
    if (!etags.includes('*') && !etags.includes(etagOf(account))) throw CHANGED;
  });
}

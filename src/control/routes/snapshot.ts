import * as Type from 'typebox';
import { SNAPSHOT } from '../../mock/account/restore.ts';
import { type MomoSnapshot, snapshotOf, snapshotTooLarge } from '../../mock/account/snapshot.ts';
import { closedObject } from '../../mock/json/define.ts';
import { hasTooManyValues } from '../../mock/json/json-of.ts';
import { MAX_GIVEN_VALUES, MAX_RESTORED_ACCOUNTS, MAX_SNAPSHOT_BYTES } from '../../mock/limits.ts';
import { route } from '../route.ts';

export const snapshotRoutes = {
  'GET /snapshot': route({
    summary: 'Get a snapshot',
    description:
      'Everything that the mock remembers, or with an account what the account remembers, except the journal, the timers and prompts of handlers, handlers of tests and the TLS mode. It contains the keys that POST /accounts created, and no key from the settings. PUT /snapshot takes what it returns.',
    errors: ['MOMO_MOCK_TOO_LARGE'],
    result: SNAPSHOT,
    run: ({ server, account }) => restorable(snapshotOf(server.mock, account)),
  }),
  'PUT /snapshot': route({
    summary: 'Restore a snapshot',
    description:
      'Replaces everything that the mock remembers, or with an account what the account remembers. If anything in the snapshot is wrong or does not fit the fixtures, nothing changes. An account keeps its key, so its snapshot can be restored into another account. It also keeps its id, unless this mock gave that to another account.',
    body: SNAPSHOT,
    maxBodyBytes: MAX_SNAPSHOT_BYTES,
    errors: ['MOMO_MOCK_SNAPSHOT_INVALID'],
    result: closedObject(
      {
        leftOut: Type.Array(Type.String(), {
          description:
            'The ids in the snapshot of the accounts whose keys are not in the settings.',
        }),
      },
      { description: 'The snapshot was restored, without these accounts.' },
    ),
    run: async ({ server, account, body }) => {
      return { leftOut: await server.restore(account, body) };
    },
  }),
  'POST /reset': route({
    summary: 'Restore the initial state',
    description:
      'Removes the balance, the variant, the rate limit, the scripted responses, the journals, the timers and the webhook script. Restores the initial state of handlers and the system time. Without an account, it also removes the accounts that tests created, and sets TLS to normal. Handlers and timers that still run change nothing afterwards.',
    nothing: 'The initial state is restored.',
    run: ({ server, account }) => server.reset(account),
  }),
};

/** Refuses what PUT /snapshot would refuse. */
function restorable(snapshot: MomoSnapshot): MomoSnapshot {
  const { accounts = [] } = snapshot;
  if (accounts.length > MAX_RESTORED_ACCOUNTS) {
    throw snapshotTooLarge(`${MAX_RESTORED_ACCOUNTS.toLocaleString('en')} accounts`);
  }
  if (hasTooManyValues(JSON.stringify(snapshot))) {
    throw snapshotTooLarge(`${MAX_GIVEN_VALUES.toLocaleString('en')} values`);
  }
  return snapshot;
}

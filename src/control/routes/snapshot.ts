import { SNAPSHOT } from '../../mock/account/restore.ts';
import { snapshotOf } from '../../mock/account/snapshot.ts';
import { MAX_SNAPSHOT_BYTES } from '../../mock/limits.ts';
import { route } from '../route.ts';

export const snapshotRoutes = {
  'GET /snapshot': route({
    summary: 'Get a snapshot',
    description:
      'Everything that the mock remembers, or with an account what the account remembers, except the journal, the timers of handlers, handlers of tests and the TLS mode. It contains the keys that POST /accounts created, and no key from the settings.',
    result: SNAPSHOT,
    run: ({ server, account }) => snapshotOf(server.mock, account),
  }),
  'PUT /snapshot': route({
    summary: 'Restore a snapshot',
    description:
      'Replaces everything that the mock remembers, or with an account what the account remembers. If anything in the snapshot is wrong or does not fit the fixtures, nothing changes. An account keeps its key and its id, so its snapshot can be restored into another account.',
    body: SNAPSHOT,
    maxBodyBytes: MAX_SNAPSHOT_BYTES,
    errors: ['MOMO_MOCK_SNAPSHOT_INVALID'],
    nothing: 'The snapshot was restored.',
    run: ({ server, account, body }) => server.restore(account, body),
  }),
  'POST /reset': route({
    summary: 'Restore the initial state',
    description:
      'Removes the balance, the variant, the rate limit, the scripted responses, the journals, the timers and the webhook script. Restores the initial state of handlers and the system time. Without an account, it also removes the accounts that tests created, and sets TLS to normal.',
    nothing: 'The initial state is restored.',
    run: ({ server, account }) => server.reset(account),
  }),
};

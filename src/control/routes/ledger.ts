import * as Type from 'typebox';
import { invalid } from '../../errors.ts';
import { define } from '../../mock/json/define.ts';
import { LEDGER } from '../../mock/ledger/drill-definition.ts';
import { ledgerOf } from '../../mock/ledger/ledger.ts';
import { route } from '../route.ts';

const RESULT = define(
  Type.Object(
    { ledger: LEDGER },
    {
      description: 'The payments, payouts and refunds of the account.',
      examples: [
        {
          ledger: [
            {
              id: 'b7c1',
              kind: 'payment',
              of: null,
              amount: 1000,
              currency: 'XOF',
              party: '22951010200',
              order: 'A1',
              state: 'success',
              time: '2026-11-25T12:00:00.000Z',
            },
          ],
        },
      ],
    },
  ),
);

export const ledgerRoutes = {
  'GET /ledger': route({
    summary: "List an account's payments, payouts and refunds",
    description:
      'It shows them as the provider sees them, the oldest first. drill.js of the fixtures reads them from the state. Secrets in id, of, order and party are redacted.',
    errors: ['MOMO_MOCK_FIXTURE_INVALID'],
    result: RESULT,
    run: async ({ account, server: { mock } }) => {
      if (account !== mock.all) return { ledger: await ledgerOf(account, mock) };
      const fix = 'Send the header apikey with its key, or call account().ledger()';
      throw invalid('the ledger', `each account has its own. ${fix}`);
    },
  }),
};

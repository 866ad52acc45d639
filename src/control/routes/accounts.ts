import * as Type from 'typebox';
import { invalid } from '../../errors.ts';
import { ACCOUNT } from '../../mock/account/account-options.ts';
import { route } from '../route.ts';
import { nullableText } from '../schemas.ts';

const CREATED = Type.Object(
  {
    apiKey: Type.String(),
    id: Type.String({ description: 'The name of the account in the log and the journal.' }),
  },
  {
    description: 'The new account. No other response contains its key.',
    examples: [{ apiKey: 'momo_test_Zk9DRlVxYnJvd25fZm94', id: 'account-2' }],
  },
);
const ACCOUNTS = Type.Object(
  {
    accounts: Type.Array(
      Type.Object({
        id: Type.String(),
        variant: nullableText('The variant that was set for it, or its initial variant.'),
      }),
    ),
  },
  {
    description: 'The accounts, in the order of their creation.',
    examples: [{ accounts: [{ id: 'account-1', variant: null }] }],
  },
);

export const accountsRoutes = {
  'GET /accounts': route({
    summary: 'List the accounts',
    description:
      'It shows the ids that the log and the journal use, and never a key. With the key of an account, it lists only this account.',
    result: ACCOUNTS,
    run: ({ server: { mock }, account }) => {
      const accounts = account === mock.all ? mock.accounts : [account];
      return { accounts: accounts.map(({ id = '', variant = null }) => ({ id, variant })) };
    },
  }),
  'POST /accounts': route({
    summary: 'Create an account',
    description: 'The body is optional.',
    account: 'Send the key of the new account in the body',
    body: ACCOUNT,
    isBodyOptional: true,
    errors: [
      'MOMO_MOCK_ACCOUNT_EXISTS',
      'MOMO_MOCK_BODY_REJECTED',
      'MOMO_MOCK_OPERATION_UNKNOWN',
      'MOMO_MOCK_VARIANT_UNKNOWN',
      'MOMO_MOCK_STATE_INVALID',
    ],
    status: 201,
    result: CREATED,
    run: ({ server, body = {} }) => {
      const { key: apiKey, id } = server.mock.createAccount(body);
      return { apiKey, id };
    },
  }),
  'DELETE /accounts': route({
    summary: 'Remove an account',
    description: 'Its key becomes invalid. Its requests stay in the journal.',
    nothing: 'The account was removed.',
    run: ({ server, account }) => {
      if (account !== server.mock.all) return server.mock.removeAccount(account);
      throw invalid('the header apikey', 'must be the key of the account to remove');
    },
  }),
};

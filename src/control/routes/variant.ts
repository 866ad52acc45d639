import * as Type from 'typebox';
import { VARIANT } from '../../mock/account/account-options.ts';
import { closedObject, define } from '../../mock/json/define.ts';
import { route } from '../route.ts';
import { nullableText } from '../schemas.ts';

const CURRENT = Type.Object(
  { variant: nullableText() },
  {
    description: 'The variant. null if none is set.',
    examples: [{ variant: 'empty' }],
  },
);

export const variantRoutes = {
  'GET /variant': route({
    summary: 'Get the variant that was set',
    result: CURRENT,
    run: ({ account }) => ({ variant: account.variantSet.value ?? null }),
  }),
  'PUT /variant': route({
    summary: 'Set the variant',
    description:
      'Each operation that has a file for the variant serves it. It overrides the initial variant of an account.',
    body: define(closedObject({ variant: VARIANT }, { examples: [{ variant: 'empty' }] })),
    errors: ['MOMO_MOCK_VARIANT_UNKNOWN'],
    result: CURRENT,
    run: ({ account, body }) => {
      account.variantSet.set(body.variant);
      return body;
    },
  }),
  'DELETE /variant': route({
    summary: 'Remove the variant that was set',
    nothing: 'No variant is set.',
    run: ({ account }) => account.variantSet.set(undefined),
  }),
};

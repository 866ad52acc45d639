import { REQUESTS_OPTIONS } from '../../mock/journal/filter-schema.ts';
import { ControlError } from '../control-error.ts';
import { numberOf, route } from '../route.ts';
import { DETAILS, matchingEntries, notVerified, REQUEST, TOO_FEW } from '../schemas.ts';

export const requestsRoutes = {
  'GET /requests': route({
    summary: 'List the received requests',
    description: 'In order of arrival. Requests in flight are included, without a status.',
    query: REQUESTS_OPTIONS,
    result: matchingEntries('requests', REQUEST),
    unverified: notVerified('requests', REQUEST, TOO_FEW),
    run: async ({ account, query, signal }) => {
      const { entries, dropped, total } = await account.requests.find(query, signal);
      return { requests: entries, dropped, total };
    },
  }),
  'DELETE /requests': route({
    summary: 'Empty the journal',
    nothing: 'The journal is empty.',
    run: ({ account }) => account.requests.clear(),
  }),
  'GET /requests/:id': route({
    summary: 'Get a received request and its response',
    description:
      'The response is the one that the mock decided on. A fault may have changed or prevented it.',
    params: { id: 'The id in the journal.' },
    errors: ['MOMO_MOCK_REQUEST_UNKNOWN'],
    result: DETAILS,
    run: ({ account, params: { id } }) => {
      const request = account.requests.get(numberOf(id));
      if (request !== undefined) return request;
      const text =
        'Failed to find the request: the journal has none with this id. It may have been removed for a newer one; GET /requests lists those that are kept.';
      throw new ControlError('MOMO_MOCK_REQUEST_UNKNOWN', text);
    },
  }),
};

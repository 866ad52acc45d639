import type { FastifyRequest } from 'fastify';
import { invalid } from '../mock/invalid.ts';
import { isKeyName } from '../mock/secret-names.ts';

/** The schema of the headers of what is for one account or for the whole service. */
export const ACCOUNT_HEADER = {
  type: 'object',
  properties: {
    apikey: {
      type: 'string',
      description: 'The account that is meant. Left out: the whole service.',
    },
  },
} as const;

/**
 * The key of the account that a request is about; `undefined` is the whole service.
 *
 * @throws MomoMockError `MOMO_MOCK_REQUEST_INVALID` where a key is in the query: left unseen, what
 *   was meant for one account would be done to all
 */
export function accountOf({ headers, query }: FastifyRequest): string | undefined {
  if (Object.keys(query as object).some(isKeyName)) {
    throw invalid('the query', 'the key of the account in the header apikey');
  }
  const { apikey } = headers;
  // Node reads headers as latin1, and keys may be UTF-8.
  return typeof apikey === 'string' ? Buffer.from(apikey, 'latin1').toString() : undefined;
}

/**
 * Refuses an account where there can be none.
 *
 * @param wanted what to do instead
 * @throws MomoMockError `MOMO_MOCK_REQUEST_INVALID`
 */
export function refuseAccount(request: FastifyRequest, wanted: string): void {
  if (accountOf(request) !== undefined) throw invalid('the header apikey', wanted);
}

import type { FastifyInstance } from 'fastify';
import type { Director } from '../core/director.ts';
import { ACCOUNT_HEADER, accountOf } from './account-header.ts';
import { empty, errors, json } from './answers.ts';
import { FILTER_SCHEMA } from './request-schema.ts';

const headers = ACCOUNT_HEADER;
const unknown = errors('MOMO_MOCK_REQUEST_INVALID', 'MOMO_MOCK_ACCOUNT_UNKNOWN');
const JOURNAL = {
  type: 'object',
  required: ['requests', 'dropped'],
  properties: {
    requests: { type: 'array', items: { $ref: 'Request#' } },
    dropped: {
      type: 'integer',
      minimum: 0,
      description: 'How many entries had to make room, of all accounts.',
    },
  },
};
const get = {
  summary: 'What was received',
  description: 'In order of arrival. What is in flight is there too, without its status.',
  headers,
  querystring: FILTER_SCHEMA,
  response: {
    ...json('What the filter lets through.', JOURNAL, { requests: [], dropped: 0 }),
    ...unknown,
  },
};
const del = {
  summary: 'Forget what was received',
  headers,
  response: { ...empty('It is forgotten.'), ...unknown },
};

/**
 * `/requests`: the journal.
 *
 * @param closing ends the waiting of those who asked with `waitFor`
 */
export function requestsRoutes(
  app: FastifyInstance,
  director: Director,
  closing: AbortSignal | undefined,
): void {
  app.get('/requests', { schema: get }, async (request) => {
    const key = accountOf(request);
    const options = numbersOf(request.query as Query);
    const waited = director.requests(key, options);
    const entries =
      closing === undefined || options.waitFor === undefined
        ? await waited
        : await untilEnd(waited, closing, () => director.requests(key, { ...options, waitFor: 0 }));
    return { requests: entries, dropped: director.dropped };
  });
  app.delete('/requests', { schema: del }, (request, reply) => {
    director.clearRequests(accountOf(request));
    return reply.code(204).send();
  });
}

type Query = Readonly<Record<string, string | string[]>>;

/** A query has only text: what looks like a number is one, but where text is asked for. */
function numbersOf(query: Query): Record<string, unknown> {
  const convert = ([name, value]: [string, string | string[]]) => {
    const isNumber = name !== 'path' && typeof value === 'string' && /^\d+$/.test(value);
    return [name, isNumber ? Number(value) : value];
  };
  return Object.fromEntries(Object.entries(query).map(convert));
}

/** What a promise gives, or what is there already when a signal comes first. */
async function untilEnd<Value>(
  waited: Promise<Value>,
  signal: AbortSignal,
  now: () => Promise<Value>,
): Promise<Value> {
  let stop = (): void => {};
  const stopped = new Promise<void>((done) => {
    stop = () => done();
    if (signal.aborted) stop();
    else signal.addEventListener('abort', stop);
  });
  try {
    return await Promise.race([waited, stopped.then(now)]);
  } finally {
    signal.removeEventListener('abort', stop);
  }
}

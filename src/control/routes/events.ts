import { Readable } from 'node:stream';
import type { FastifyPluginAsyncTypebox } from '@fastify/type-provider-typebox';
import * as Type from 'typebox';
import type { Controller } from '../../mock/controller/controller.ts';
import type { JournalBatch } from '../../mock/controller/journal-events.ts';
import { MOST_PENDING } from '../../mock/limits.ts';
import { clientLeft } from '../client-left.ts';
import { ACCOUNT_HEADER, accountOf } from '../plugins/account.ts';
import { errors } from '../schemas/error.ts';

const TYPE = 'text/event-stream';
/** The type for the schema; the response itself is a stream. */
const STREAM = Type.Unsafe<Readable>(Type.String({ examples: [':\nid: 1b9d6bcd-7\n\n'] }));
/** The definition of what a reader can choose. */
const EVENTS_OPTIONS = Type.Object(
  {
    limit: Type.Optional(
      Type.Integer({
        description:
          'The maximum number of requests in 100 ms. The newest are sent, and dropped counts the others.',
        minimum: 1,
        maximum: MOST_PENDING,
        default: MOST_PENDING,
      }),
    ),
  },
  { additionalProperties: false },
);
const schema = {
  summary: 'Follow what happens',
  description:
    'Server-sent events, until the client closes the connection. request: a request that began or ended, as in GET /requests but without headers and body. callback: an attempt that began or ended, as in GET /callbacks but without headers and body. change: {"what": …}, where what is balance, responses, requests, callbacks, accounts, state, clock, tls, fixtures or health. dropped: {"count": …} requests that were not sent, because the reader is slow or set a limit. With the header last-event-id, the events after it are sent first, if this mock sent it.',
  headers: Type.Intersect([
    ACCOUNT_HEADER,
    Type.Object({
      'last-event-id': Type.Optional(
        Type.String({ description: 'The id of the last event that arrived.' }),
      ),
    }),
  ]),
  querystring: EVENTS_OPTIONS,
  response: {
    ...errors('MOMO_MOCK_ACCOUNT_UNKNOWN'),
    200: {
      description: 'The events.',
      content: { [TYPE]: { schema: STREAM } },
    },
  },
};

/** `GET /events`: server-sent events of everything that happens. */
export const eventsRoutes: FastifyPluginAsyncTypebox<{ controller: Controller }> = async (
  app,
  { controller },
) => {
  app.get('/events', { schema }, async (request, reply) => {
    const options = { since: request.headers['last-event-id'], limit: request.query.limit };
    reply.header('cache-control', 'no-store').type(TYPE);
    // Fastify would read a stream for HEAD to its end, which does not come.
    if (request.method === 'HEAD') return reply.send(Readable.from([]));
    const batches = controller.follow(accountOf(request), options, clientLeft(request, reply));
    return reply.send(Readable.from(streamOf(batches), { objectMode: false }));
  });
};

/** The batches as server-sent events. The id comes last, so that a reader misses no part of one. */
async function* streamOf(batches: AsyncIterable<JournalBatch>): AsyncGenerator<string> {
  for await (const { requests, callbacks, changes, dropped, position } of batches) {
    const events = [
      ...(dropped > 0 ? [eventOf('dropped', { count: dropped })] : []),
      ...requests.map((request) => eventOf('request', request)),
      ...callbacks.map((attempt) => eventOf('callback', attempt)),
      ...changes.map((what) => eventOf('change', { what })),
    ];
    // Without an event, a comment shows that the connection works.
    yield `${events.join('') || ':\n'}id: ${position}\n\n`;
  }
}

function eventOf(name: string, data: object): string {
  return `event: ${name}\ndata: ${JSON.stringify(data)}\n\n`;
}

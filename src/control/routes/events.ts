import type { JournalBatch } from '../../mock/journal/feed.ts';
import { closedObject, define, integer } from '../../mock/json/define.ts';
import { MAX_PENDING_EVENTS } from '../../mock/limits.ts';
import { Reply, route } from '../route.ts';
import { textResult } from '../schemas.ts';

const TYPE = 'text/event-stream';
const OPTIONS = define(
  closedObject({
    limit: integer(
      'The maximum number of requests in 100 ms, the newest ones. dropped counts the others.',
      { minimum: 1, maximum: MAX_PENDING_EVENTS, default: MAX_PENDING_EVENTS },
    ),
  }),
);

export const eventsRoutes = {
  'GET /events': route({
    summary: 'Follow what happens',
    description:
      'Server-sent events, until the client closes the connection. request: a request that began or ended, as in GET /requests but without headers and body. webhook: an attempt that began or ended, as in GET /webhooks but without headers and body. change: {"what": …}, where what is balance, variant, rate-limit, responses, requests, webhooks, accounts, state, clock, prompts, tls, fixtures or health. dropped: {"count": …} requests that were not sent, because the reader was slow or set a limit. After a reconnect, read GET /requests and GET /webhooks again.',
    query: OPTIONS,
    result: textResult(TYPE, 'Server-sent events.', ':\n\n'),
    run: async ({ account, query: { limit }, signal }) => {
      const events = streamOf(account.follow({ limit }, signal));
      return new Reply(events, { 'cache-control': 'no-store', 'content-type': TYPE });
    },
  }),
};

async function* streamOf(batches: AsyncIterable<JournalBatch>): AsyncGenerator<Buffer> {
  for await (const batch of batches) yield bytesOf(batch);
}

function bytesOf({ requests, webhooks, changes, dropped }: JournalBatch): Buffer {
  const events = [
    ...(dropped > 0 ? [eventOf('dropped', { count: dropped })] : []),
    ...requests.map((request) => eventOf('request', request)),
    ...webhooks.map((attempt) => eventOf('webhook', attempt)),
    ...changes.map((what) => eventOf('change', { what })),
  ];
  // Without events, a comment shows that the connection works.
  return Buffer.from(events.join('') || ':\n\n');
}

function eventOf(name: string, data: object): string {
  const text = written.get(data) ?? `event: ${name}\ndata: ${JSON.stringify(data)}\n\n`;
  written.set(data, text);
  return text;
}

/** Readers share the objects, and so their text. */
const written = new WeakMap<object, string>();

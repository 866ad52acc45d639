import { once } from 'node:events';
import { createServer, type IncomingHttpHeaders, type RequestListener } from 'node:http';
import type { AddressInfo } from 'node:net';
import { text } from 'node:stream/consumers';
import { onTestFinished } from 'vitest';
import type { MomoTarget } from '../../src/index.ts';
import { ask } from './client.ts';
import type { Over } from './fixture-folder.ts';
import { gate } from './gate.ts';

/** A fixture tree whose handler makes the webhook of its body. */
export const NOTIFY = {
  'momo/notify.post.js': 'export default ({ body }, { webhook }) => webhook(body);',
};

/** A fixture tree whose handler responds once the application at the `url` of its body has responded. */
export const SLOW = {
  'momo/slow.post.js': 'export default async ({ body }) => void (await fetch(body.url));',
};

/** Makes the handler of {@link NOTIFY} call back. */
export async function notify(
  target: Pick<MomoTarget, 'url' | 'ca' | 'apiKey'>,
  webhook: object,
): Promise<void> {
  await ask(target, '/momo/notify', { method: 'POST', body: webhook });
}

/** A call that a webhook got. */
export interface Call {
  readonly method: string | undefined;
  /** The path and the query. */
  readonly target: string | undefined;
  readonly headers: IncomingHttpHeaders;
  readonly body: string;
}

/** An application that receives webhooks. */
export interface Webhook {
  readonly url: string;
  readonly port: number;
  readonly calls: readonly Call[];
}

/** Responds with 500 if the URL asks for it, as in `/hook?status=500`. */
export const respondAsAsked: RequestListener = ({ url = '' }, response) => {
  response.writeHead(url.endsWith('500') ? 500 : 200).end();
};

/**
 * Starts an application that receives webhooks. It is closed when the test is over.
 *
 * @param respond the status of each response, `null` for no response, or a function that responds
 */
export async function startWebhook(
  respond: number | null | RequestListener = 200,
  over: Over = onTestFinished,
): Promise<Webhook> {
  const calls: Call[] = [];
  const server = createServer(async (request, response) => {
    const { method, url: target, headers } = request;
    calls.push({ method, target, headers, body: await text(request) });
    if (typeof respond === 'function') respond(request, response);
    else if (respond !== null) response.writeHead(respond).end();
  });
  await once(server.listen(0, '127.0.0.1'), 'listening');
  over(() => {
    server.close();
    server.closeAllConnections();
  });
  const { port } = server.address() as AddressInfo;
  return { url: `http://127.0.0.1:${port}/hook`, port, calls };
}

/** Starts an application whose responses wait until they are released. */
export async function startHeldWebhook(): Promise<Webhook & { readonly respond: () => void }> {
  const { open: respond, opened } = gate();
  const app = await startWebhook(async (_request, response) => {
    await opened;
    response.end();
  });
  return { ...app, respond };
}

import { once } from 'node:events';
import { createServer, type IncomingHttpHeaders } from 'node:http';
import type { AddressInfo } from 'node:net';
import { text } from 'node:stream/consumers';
import { onTestFinished } from 'vitest';

/** A call that a webhook got. */
export interface Call {
  readonly headers: IncomingHttpHeaders;
  readonly body: string;
}

/** An application that is called back. */
export interface Webhook {
  readonly url: string;
  readonly port: number;
  readonly calls: readonly Call[];
}

/**
 * Starts an application that is called back. It is closed when the test is over.
 *
 * @param answer the status of each answer; `null` for none at all
 */
export async function startWebhook(answer: number | null = 200): Promise<Webhook> {
  const calls: Call[] = [];
  const server = createServer(async (request, response) => {
    calls.push({ headers: request.headers, body: await text(request) });
    if (answer !== null) response.writeHead(answer).end();
  });
  await once(server.listen(0, '127.0.0.1'), 'listening');
  onTestFinished(() => {
    server.close();
    server.closeAllConnections();
  });
  const { port } = server.address() as AddressInfo;
  return { url: `http://127.0.0.1:${port}/hook`, port, calls };
}

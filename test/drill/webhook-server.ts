import { createServer, type IncomingHttpHeaders } from 'node:http';
import type { AddressInfo } from 'node:net';

/**
 * Receives the webhooks of an application. Each gets its response once `receive` has ended: the status that it
 * returns, or 200.
 */
export async function openWebhookServer(
  // biome-ignore lint/suspicious/noExplicitAny: JSON of the provider
  receive: (json: any, path: string, headers: IncomingHttpHeaders) => Promise<unknown>,
): Promise<{ readonly webhook: string; close(): Promise<void> }> {
  const server = createServer((incoming, response) => {
    let text = '';
    incoming.on('data', (chunk) => (text += chunk));
    incoming.on('end', async () => {
      const path = incoming.url ?? '';
      const status = await receive(JSON.parse(text), path, incoming.headers).catch(() => {});
      response.statusCode = typeof status === 'number' ? status : 200;
      response.end();
    });
  });
  await new Promise<void>((done) => server.listen(0, '127.0.0.1', done));
  return {
    webhook: `http://127.0.0.1:${(server.address() as AddressInfo).port}/webhooks`,
    close: async () => {
      server.closeAllConnections();
      await new Promise((done) => server.close(done));
    },
  };
}

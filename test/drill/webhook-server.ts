import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';

/** Receives the webhooks of an application, each of which gets a 200 once `receive` has ended. */
export async function openWebhookServer(
  // biome-ignore lint/suspicious/noExplicitAny: JSON of the provider
  receive: (json: any, path: string) => Promise<void>,
): Promise<{ readonly webhook: string; close(): Promise<void> }> {
  const server = createServer((incoming, response) => {
    let text = '';
    incoming.on('data', (chunk) => (text += chunk));
    incoming.on('end', async () => {
      await receive(JSON.parse(text), incoming.url ?? '').catch(() => {});
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

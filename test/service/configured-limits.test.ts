import { once } from 'node:events';
import { connect as connectPlain, type Socket } from 'node:net';
import { connect } from 'node:tls';
import { expect, it, onTestFinished } from 'vitest';
import { ask } from '../support/client.ts';
import { startMock } from '../support/mock.ts';

/** Less than the default of clientTimeout, in ms: a test that waits for that fails. */
const timeout = 20_000;

/** What comes back for a request whose body never comes. */
async function withoutBody(socket: Socket, line: string): Promise<string> {
  onTestFinished(() => void socket.destroy());
  let text = '';
  socket.on('data', (chunk) => {
    text += chunk;
  });
  socket.write(
    `${line} HTTP/1.1\r\nhost: localhost\r\ncontent-type: application/json\r\ncontent-length: 9\r\n\r\n`,
  );
  await once(socket, 'close');
  return text;
}

it('keeps as many requests as journalSize says, the newest', async () => {
  const mock = await startMock({}, { journalSize: 2 });
  for (let sent = 0; sent < 3; sent++) await ask(mock);
  expect((await mock.requests()).map(({ id }) => id)).toEqual([2, 3]);
});

it('waits for a body as long as clientTimeout says, on both ports', { timeout }, async () => {
  const mock = await startMock({}, { clientTimeout: 100, control: true });
  const { port } = new URL(mock.url);
  const service = connect({ host: 'localhost', port: Number(port), ca: mock.ca });
  const control = connectPlain(Number(new URL(`${mock.controlUrl}`).port), 'localhost');
  const [asked, configured] = await Promise.all([
    withoutBody(service, `POST /momo/balance?apikey=${mock.apikey}`),
    withoutBody(control, 'PUT /balance'),
  ]);
  expect(asked).toContain('HTTP/1.1 408');
  expect(configured).toContain('HTTP/1.1 408');
});

it('lets a handler take as long as clientTimeout says', { timeout }, async () => {
  const never = 'export default () => new Promise(() => {});';
  const mock = await startMock({ 'momo/never.get.js': never }, { clientTimeout: 100 });
  expect((await ask(mock, '/momo/never')).status).toBe(500);
});

it('stops after shutdownTimeout, where a request is still running', async () => {
  const ended: string[] = [];
  const stop = async (name: string, shutdownTimeout: number) => {
    const mock = await startMock({}, { shutdownTimeout });
    await mock.respondWith({ fault: { type: 'dribble', duration: 600_000 } });
    ask(mock).catch(() => {});
    await mock.requests({ status: 200, waitFor: 1 });
    return async () => {
      await mock.close();
      ended.push(name);
    };
  };
  const [late, soon] = [await stop('late', 1000), await stop('soon', 1)];
  const first = late();
  // So that it would also be the first to end if both had the same time.
  await ask(await startMock());
  await Promise.all([first, soon()]);
  expect(ended).toEqual(['soon', 'late']);
});

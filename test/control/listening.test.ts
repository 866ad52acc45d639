import { once } from 'node:events';
import { request } from 'node:http';
import { connect } from 'node:net';
import { expect, it, onTestFinished } from 'vitest';
import { type ControlOptions, startControlServer } from '../../src/control/http-server.ts';
import { MomoMockError } from '../../src/errors.ts';
import { createLogger } from '../../src/logger.ts';
import { Mock } from '../../src/mock/mock.ts';
import { EMPTY_TREE } from '../mock/empty-tree.ts';
import { controlledOf } from './control-app.ts';

async function listen(options: Partial<ControlOptions> = {}) {
  const records: Record<string, unknown>[] = [];
  const stream = { write: (line: string) => void records.push(JSON.parse(line)) };
  const mock = new Mock({ keys: [], tree: EMPTY_TREE, journalSize: 10 });
  const control = await startControlServer({
    host: '127.0.0.1',
    port: 0,
    clientTimeout: 30_000,
    hosts: [],
    target: { isService: () => false, take: () => {}, redact: (text) => text },
    controlled: controlledOf(mock, {
      health: () => {
        throw new MomoMockError('MOMO_MOCK_NOT_READY', 'sekret');
      },
    }),
    version: '1.2.3',
    logger: await createLogger({ level: 'trace', stream }),
    ...options,
  });
  onTestFinished(() => control.close(0));
  return { control, records };
}

it('answers the first requests, which come immediately', async () => {
  const { control } = await listen();
  const replies = await Promise.all(
    Array.from({ length: 8 }, () => fetch(`${control.url}/certificate`)),
  );
  expect(replies.map(({ status }) => status)).toEqual(Array(8).fill(200));
});

it('answers 500 to an error that is not for those who ask', async () => {
  const { control, records } = await listen();
  const reply = await fetch(`${control.url}/health`);
  expect(reply.status).toBe(500);
  expect(await reply.text()).not.toContain('sekret');
  expect(records).toHaveLength(1);
});

it('takes a body that comes in chunks, and one that it has to ask for', async () => {
  const { control } = await listen();
  for (const headers of [{ 'transfer-encoding': 'chunked' }, { expect: '100-continue' }]) {
    const type = { 'content-type': 'application/json' };
    const outgoing = request(`${control.url}/responses`, {
      method: 'PUT',
      headers: { ...type, ...headers },
    });
    outgoing.write('[');
    outgoing.end(']');
    const [incoming] = await once(outgoing, 'response');
    expect(incoming.statusCode).toBe(200);
    incoming.resume();
  }
});

it('repeats nothing of bytes that are no HTTP', async () => {
  const { control } = await listen();
  const socket = connect(Number(new URL(control.url).port), '127.0.0.1');
  socket.end('sekret sekret sekret\r\n\r\n');
  let text = '';
  for await (const chunk of socket) text += chunk;
  expect(text).toMatch(/^HTTP\/1\.1 400 /);
  expect(text).not.toContain('sekret');
});

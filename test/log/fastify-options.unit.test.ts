import { fastify } from 'fastify';
import { expect, onTestFinished, test } from 'vitest';
import { createLogger } from '../../src/log/logger.ts';
import { fastifyOptions } from '../../src/net/fastify-options.ts';

/** An application with the options, whose log goes to `records`. */
async function recordingApp() {
  const records: Record<string, unknown>[] = [];
  const stream = { write: (line: string) => void records.push(JSON.parse(line)) };
  const app = fastify(fastifyOptions(await createLogger({ level: 'trace', stream })));
  onTestFinished(() => app.close());
  return { app, records };
}

test('Fastify does not log requests, whose URLs contain keys', async () => {
  const { app, records } = await recordingApp();
  app.get('/', async () => 'ok');
  expect((await app.inject('/?apikey=sekret')).body).toBe('ok');
  expect((await app.inject('/missing?apikey=sekret')).statusCode).toBe(404);
  expect(records).toEqual([]);
});

test('the log line of a request is from momo-mock, without fields of Fastify', async () => {
  const { app, records } = await recordingApp();
  app.get('/', async ({ log }) => {
    log.warn('careful');
    return 'ok';
  });
  await app.inject('/');
  app.log.warn('careful');
  const line = { level: 40, time: expect.any(Number), msg: 'careful' };
  expect(records).toEqual([line, line]);
});

test('without a logger, an application logs nothing and works', async () => {
  const app = fastify(fastifyOptions());
  app.get('/', async ({ log }) => `logs at ${log.level}`);
  expect((await app.inject('/')).body).toBe('logs at silent');
});

test('a request that arrives while the application closes still gets a response', async () => {
  const { app } = await recordingApp();
  app.get('/', async () => 'ok');
  const statuses: number[] = [];
  app.addHook('preClose', async () => {
    statuses.push((await fetch(app.listeningOrigin)).status);
  });
  await app.listen({ port: 0, host: '127.0.0.1' });
  await app.close();
  expect(statuses).toEqual([200]);
});

test.each(['body', 'response'])(
  'a Fastify schema for a %s is a bug, because nothing would check it',
  async (part) => {
    const { app } = await recordingApp();
    const schema = { [part]: part === 'body' ? { type: 'object' } : { 200: { type: 'object' } } };
    app.post('/', { schema }, async () => ({}));
    await expect(app.ready()).rejects.toThrow('a bug in momo-mock');
  },
);

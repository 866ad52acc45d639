import { Agent } from 'node:https';
import fc from 'fast-check';
import { expect, it } from 'vitest';
import { runs } from '../endurance/scale.ts';
import { ask } from '../support/client.ts';
import { sharedMock } from '../support/mock.ts';

/** Headers that Node itself has an opinion on. */
const KNOWN = ['trailer', 'te', 'upgrade', 'keep-alive', 'expect', 'set-cookie', 'content-type'];
const FRAMING = ['content-length', 'transfer-encoding', 'connection', 'date', '__proto__'];
const INJECTED = ['a\r\nx-injected: 1', 'a\nx-injected: 1', 'a\rx-injected: 1', 'a\0b', 'é→'];
const text = fc.oneof(fc.constantFrom('', 'x', 'chunked', ...INJECTED), fc.string());
const name = fc.oneof(fc.constantFrom(...KNOWN, ...FRAMING, ...INJECTED), fc.string());
const headers = fc.dictionary(name, fc.oneof(text, fc.array(text, { maxLength: 3 })), {
  noNullPrototype: true,
  maxKeys: 3,
});

const mock = sharedMock();

it('scripted headers are refused or sent unchanged, and never inject others', async () => {
  const status = fc.constantFrom(200, 204, 304, 404, 503);
  const each = fc.asyncProperty(headers, status, fc.constantFrom(0, 1), async (...given) => {
    const [headers, status, delay] = given;
    try {
      await mock().respondWith({ headers, status, delay });
    } catch {
      return;
    }
    const response = await ask(mock(), undefined, { agent: mock().agent });
    expect(response.status).toBe(status);
    expect(response.headers).not.toHaveProperty('x-injected');
  });
  await fc.assert(each, runs(20_000, 300));
});

it('a scripted response closes its connection with connection: close', async () => {
  const agent = new Agent({ ca: mock().ca, keepAlive: true, maxSockets: 1 });
  const localPorts: (number | undefined)[] = [];
  agent.on('free', (socket) => localPorts.push(socket.localPort));
  const get = async (headers: Record<string, string>) => {
    await mock().respondWith({ headers });
    return (await ask(mock(), undefined, { agent })).headers.connection;
  };
  expect(await get({})).toBe('keep-alive');
  expect(await get({ connection: 'close' })).toBe('close');
  // The connection was not used again.
  expect(localPorts).toHaveLength(1);
  agent.destroy();
});

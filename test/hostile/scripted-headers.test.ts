import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { parseHttpResponse } from '../../src/fixtures/http-response.ts';
import { RESPONSES, type ScriptedResponse } from '../../src/mock/scripted-response.ts';
import { runs } from '../endurance/scale.ts';
import { type RunningMock, runMock } from '../support/running-mock.ts';

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

/** As the library and the control API do it. */
function script(controller: RunningMock['controller'], response: ScriptedResponse): void {
  controller.script('good', controller.check(RESPONSES, response), 'replace');
}

describe('headers that a test scripts', () => {
  it('are refused, or sent as they are, and never make others', async () => {
    const { controller, get, records } = await runMock();
    const status = fc.constantFrom(200, 204, 304, 404, 503);
    const delay = fc.constantFrom(0, 1);
    const each = fc.asyncProperty(headers, status, delay, async (headers, status, delay) => {
      try {
        script(controller, { headers, status, delay });
      } catch {
        return;
      }
      const reply = await get('/momo/balance?apikey=good');
      expect(reply.status).toBe(status);
      expect(reply.headers).not.toHaveProperty('x-injected');
    });
    await fc.assert(each, runs(20_000, 300));
    expect(JSON.stringify(records)).not.toContain('a bug in momo-mock');
  });

  it.each(KNOWN)('%s does not bring the mock down', async (header) => {
    const { controller, get } = await runMock();
    for (const delay of [0, 1]) {
      try {
        script(controller, { headers: { [header]: 'x' }, delay });
      } catch {}
      expect((await get('/momo/balance?apikey=good')).status).toBe(200);
    }
  });
});

it.each([
  ['a carriage return', 'x: a\rx-injected: 1'],
  ['a NUL', 'x: a\0b'],
  ['a name with a space', 'x y: a'],
  ['no name', ': a'],
  ['a second line', 'x: a\n x-injected: 1'],
])('a header of a .http file with %s is refused', (_what, header) => {
  const file = Buffer.from(`HTTP/1.1 200 OK\n${header}\n\n{}`, 'latin1');
  expect(() => parseHttpResponse('a.get.http', file)).toThrow();
});

import { afterEach, describe, expect, it } from 'vitest';
import { AS_JSON, ask, control } from '../support/client.ts';
import { sharedMock } from '../support/mock.ts';

describe('no prototype is changed or used', () => {
  const POLLUTING = '{"__proto__":{"polluted":1},"constructor":{"prototype":{"polluted":1}}}';
  const mock = sharedMock(
    {
      'constructor/prototype.get.json': POLLUTING,
      // What begins with _ is no operation.
      '__proto__/prototype.get.json': POLLUTING,
    },
    { control: true },
  );
  const names = Object.getOwnPropertyNames(Object.prototype);
  afterEach(async () => {
    expect(Object.getOwnPropertyNames(Object.prototype)).toEqual(names);
    expect((await ask(mock())).status).toBe(200);
  });

  it.each(['PUT /balance', 'PUT /responses', 'POST /accounts', 'PUT /tls'])(
    'by a body of %s',
    async (line) => {
      const bodies = [
        POLLUTING,
        ...['headers', 'body', 'delay', 'state'].map((name) => `{"${name}":${POLLUTING}}`),
        ...['variant', 'operation', 'fault', 'mode'].map((name) => `{"${name}":"constructor"}`),
        '{"fault":{"type":"constructor"}}',
      ];
      for (const body of bodies) {
        expect((await control(mock(), line, { headers: AS_JSON, body })).status, body).toBeLessThan(
          500,
        );
        await mock().reset();
      }
    },
  );

  it('by a balance or a fixture, which is served unchanged', async () => {
    await control(mock(), 'PUT /balance', { headers: AS_JSON, body: POLLUTING });
    const polluting = { status: 200, text: POLLUTING };
    expect(await ask(mock())).toMatchObject(polluting);
    expect(await ask(mock(), '/constructor/prototype')).toMatchObject(polluting);
    expect((await ask(mock(), '/__proto__/prototype')).status).toBe(404);
  });

  it.each(['__proto__[polluted]=1', '__proto__=polluted', 'constructor=1&toString=1'])(
    'by the query %s',
    async (query) => {
      expect((await ask(mock(), `/momo/balance?${query}`)).status).toBe(200);
      expect((await control(mock(), `GET /requests?${query}`)).status).toBeLessThan(500);
    },
  );

  it.each(names)('by the name %s, which is not a key and not an operation', async (name) => {
    expect((await ask({ ...mock(), apiKey: name })).status).toBe(401);
    expect((await ask(mock(), `/${name}`)).status).toBe(404);
    expect((await control(mock(), `GET /${name}`)).status).toBe(404);
  });
});

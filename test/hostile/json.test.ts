import { afterEach, describe, expect, it } from 'vitest';
import { ask, control } from '../support/client.ts';
import { sharedMock, startMock } from '../support/mock.ts';

it('JSON of 100,000 levels is a body or a problem as any other, also for a schema that refers to itself', async () => {
  const deep = `${'{"a":'.repeat(100_000)}1${'}'.repeat(100_000)}`;
  const tree = (balance: string) => ({
    'momo/balance.get.json': balance,
    // To check a body takes as many levels as that has.
    'momo/balance.get.schema.json': {
      type: ['object', 'number'],
      additionalProperties: { $ref: '#' },
    },
  });
  await expect(startMock(tree(deep))).rejects.toThrow('it has more than 100 levels');
  const mock = await startMock(tree('{}'));
  const posted = await ask(mock, '/momo/balance', { method: 'POST', body: deep });
  expect(posted.status).toBe(405);
  expect(await ask(mock)).toMatchObject({ status: 200, text: '{}' });
});

describe('no prototype is reached', () => {
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
    expect({}).not.toHaveProperty('polluted');
    expect((await ask(mock())).status).toBe(200);
  });

  const headers = { 'content-type': 'application/json' };
  const BODIES = [
    POLLUTING,
    ...['headers', 'body', 'balance', 'delay'].map((name) => `{"${name}":${POLLUTING}}`),
    ...['apikey', 'variant', 'operation', 'fault', 'mode'].flatMap((name) =>
      ['__proto__', 'constructor'].map((value) => `{"${name}":"${value}"}`),
    ),
    '{"headers":{"__proto__":"polluted","constructor":"polluted"}}',
    '{"fault":{"type":"constructor"}}',
  ];

  it.each(['PUT /balance', 'PUT /responses', 'POST /accounts', 'PUT /tls'])(
    'by a body of %s',
    async (line) => {
      for (const body of BODIES) {
        expect((await control(mock(), line, { headers, body })).status, body).toBeLessThan(500);
        await mock().reset();
      }
    },
  );

  it('by a balance, which is served as it was set', async () => {
    await control(mock(), 'PUT /balance', { headers, body: POLLUTING });
    expect((await ask(mock())).text).toBe(POLLUTING);
  });

  it.each([
    '__proto__[polluted]=1',
    '__proto__.polluted=1',
    '__proto__=polluted',
    'constructor[prototype][polluted]=1',
    'constructor=1&toString=1&hasOwnProperty=1',
  ])('by the query %s', async (query) => {
    expect((await ask(mock(), `/momo/balance?${query}`)).status).toBe(200);
    expect((await control(mock(), `GET /requests?${query}`)).status).toBeLessThan(500);
  });

  it.each(names)('by the name %s, which is no key and no operation', async (name) => {
    expect((await ask({ ...mock(), apikey: name })).status).toBe(401);
    expect((await ask(mock(), `/${name}`)).status).toBe(404);
    expect((await control(mock(), `GET /${name}`)).status).toBe(404);
  });

  it('by a fixture, by its name or by what is in it', async () => {
    const reply = await ask(mock(), '/constructor/prototype');
    expect(reply).toMatchObject({ status: 200, text: POLLUTING });
    expect((await ask(mock(), '/__proto__/prototype')).status).toBe(404);
  });
});

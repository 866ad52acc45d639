import { afterEach, describe, expect, it } from 'vitest';
import { ask, control } from '../support/client.ts';
import { sharedMock, startMock } from '../support/mock.ts';

const nested = (levels: number) => `${'{"a":'.repeat(levels)}1${'}'.repeat(levels)}`;
const json = (body: string) => ({ body, headers: { 'content-type': 'application/json' } });
const POLLUTING = '{"__proto__":{"polluted":1},"constructor":{"prototype":{"polluted":1}}}';
const SCHEMA = { type: ['object', 'number'], additionalProperties: { $ref: '#' } };

describe('JSON of 100,000 levels', () => {
  const tree = (balance: string) => ({
    'momo/balance.get.json': balance,
    // It refers to itself: to check a body takes as many levels as that has.
    'momo/balance.get.schema.json': SCHEMA,
  });
  const mock = sharedMock(tree('{}'), { control: true });
  const deep = nested(100_000);

  it.each([
    ['PUT /balance', deep],
    ['POST /accounts', `{"balance":${deep}}`],
    ['PUT /responses', `{"body":${deep}}`],
  ])('is refused by %s, which says how many there may be', async (line, body) => {
    const reply = await control(mock(), line, json(body));
    expect(reply.status).toBe(400);
    expect(reply.text).toContain('at most 100 levels');
    expect(await control(mock(), 'PUT /balance', json(nested(100)))).toMatchObject({ status: 204 });
    expect(await ask(mock())).toMatchObject({ status: 200, text: nested(100) });
  });

  it('is a body like any other for the service', async () => {
    const posted = await ask(mock(), '/momo/balance', { method: 'POST', body: deep });
    expect(posted.status).toBe(405);
  });

  it('is a problem of a fixture', async () => {
    await expect(startMock(tree(deep))).rejects.toThrow('it has more than 100 levels');
  });
});

describe('no prototype is reached', () => {
  const folders = { 'constructor/prototype.get.json': POLLUTING };
  // What begins with _ is no operation.
  const files = { ...folders, '__proto__/prototype.get.json': POLLUTING };
  const mock = sharedMock(files, { control: true });
  const before = Object.getOwnPropertyNames(Object.prototype);
  afterEach(async () => {
    expect(Object.getOwnPropertyNames(Object.prototype)).toEqual(before);
    expect({}).not.toHaveProperty('polluted');
    expect((await ask(mock())).status).toBe(200);
  });

  it.each(['PUT /balance', 'PUT /responses', 'POST /accounts', 'PUT /tls'].map((line) => [line]))(
    'by a body of %s',
    async (line) => {
      for (const body of [
        ...['{"__proto__":{"polluted":1}}', '{"constructor":{"prototype":{"polluted":1}}}'],
        ...['headers', 'body', 'balance', 'delay'].map((name) => `{"${name}":${POLLUTING}}`),
        ...['apikey', 'variant', 'operation', 'fault', 'mode'].flatMap((name) => [
          `{"${name}":"__proto__"}`,
          `{"${name}":"constructor"}`,
        ]),
        '{"headers":{"__proto__":"polluted","constructor":"polluted"}}',
        '{"fault":{"type":"constructor"}}',
      ]) {
        const { status } = await control(mock(), line, json(body));
        expect(status, body).toBeLessThan(500);
        await control(mock(), 'POST /reset');
      }
    },
  );

  it('by a balance, which is served as it was set', async () => {
    await control(mock(), 'PUT /balance', json(POLLUTING));
    expect((await ask(mock())).text).toBe(POLLUTING);
    await mock().reset();
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

  it.each(before)('by the name %s, which is no key and no operation', async (name) => {
    const mine = mock();
    expect((await ask({ ...mine, apikey: name })).status).toBe(401);
    expect((await ask(mine, `/${name}`)).status).toBe(404);
    expect((await control(mine, `GET /${name}`)).status).toBe(404);
  });

  it('by a fixture, by its name or by what is in it', async () => {
    const reply = await ask(mock(), '/constructor/prototype');
    expect(reply).toMatchObject({ status: 200, text: POLLUTING });
    expect((await ask(mock(), '/__proto__/prototype')).status).toBe(404);
  });
});

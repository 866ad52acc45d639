import { describe, expect, it } from 'vitest';
import { ask, control } from '../support/client.ts';
import { startMock } from '../support/mock.ts';

const levels = (count: number) => '['.repeat(count) + ']'.repeat(count);
const start = (files = {}) => startMock(files, { control: true });
const refused = (status: number, code: string, message: string) => ({
  status,
  text: expect.stringContaining(JSON.stringify({ code, message }).slice(1, -1)),
});
const INVALID = 'MOMO_MOCK_REQUEST_INVALID';

describe('JSON of more than 100 levels', () => {
  it.each([
    ['PUT /balance', (json: string) => json],
    ['PUT /state/deep', (json: string) => json],
    ['PUT /responses', (json: string) => `{"body":${json}}`],
    ['POST /verify', (json: string) => `{"body":${json}}`],
    ['POST /accounts', (json: string) => `{"balance":${json}}`],
    ['PUT /callbacks/script', (json: string) => json],
    ['PUT /tls', (json: string) => json],
  ])('is refused by %s', async (line, bodyOf) => {
    const mock = await start();
    const headers = { 'content-type': 'application/json' };
    // Just over the limit, the error names the field that is too deep, or of the wrong type.
    const over = await control(mock, line, { headers, body: bodyOf(levels(101)) });
    expect([over.status, JSON.parse(over.text).error.code]).toEqual([400, INVALID]);
    for (const json of [levels(104), levels(20_000), '['.repeat(500_000)]) {
      expect(await control(mock, line, { headers, body: bodyOf(json) })).toMatchObject(
        refused(
          400,
          INVALID,
          'Failed to read the body: must have at most 100 levels of lists and objects.',
        ),
      );
    }
  });

  it('is refused in process, and 100 levels are not', async () => {
    const mock = await start();
    let value: unknown = 1;
    for (let level = 0; level < 100; level++) value = [value];
    const tooDeep = { code: INVALID, message: expect.stringContaining('at most 100 levels') };
    await mock.setBalance(value);
    await mock.state.set('deep', value);
    await mock.respondWith({ body: value });
    await expect(mock.setBalance([value])).rejects.toMatchObject(tooDeep);
    await expect(mock.respondWith({ body: [value] })).rejects.toMatchObject(tooDeep);
    await expect(mock.verify({ body: [value] })).rejects.toMatchObject(tooDeep);
    await expect(mock.state.set('deep', [value])).rejects.toMatchObject({
      code: 'MOMO_MOCK_STATE_INVALID',
      message: expect.stringContaining('more than 100 levels'),
    });
    expect(await mock.state.get('deep')).toEqual(value);
  });

  it('that a handler returns is an error of it', async () => {
    const mock = await start({
      'momo/deep.get.js': `export default ({ query }) => {
        let body = 1;
        for (let level = 0; level < query.levels; level++) body = [body];
        return { body };
      };`,
    });
    expect((await ask(mock, '/momo/deep?levels=100')).status).toBe(200);
    expect((await ask(mock, '/momo/deep?levels=101')).status).toBe(500);
    expect((await ask(mock, '/momo/deep?levels=100000')).status).toBe(500);
  });

  it('in a fixture file stops the start', async () => {
    const starts = start({ 'momo/balance.get.json': levels(101) });
    await expect(starts).rejects.toThrow(
      /momo\/balance\.get\.json:\d+:\d+: it has more than 100 levels of lists and objects\. Use fewer/,
    );
  });
});

describe('an expectation', () => {
  it.each([
    ['times', { times: 1_000_001 }],
    ['times', { times: 4_294_967_294 }],
    ['times.min', { times: { min: 1_000_001 } }],
    ['[0].times', [{ times: 4_294_967_294 }]],
    ['exactly[0].times', { exactly: [{ times: 4_294_967_294 }] }],
    ['expected', Array(101).fill({})],
    ['exactly', { exactly: Array(101).fill({}) }],
  ])('that is too large is refused: %s', async (field, body) => {
    const mock = await start();
    for (const path of ['/verify', '/verify/callbacks']) {
      const { status, text } = await control(mock, `POST ${path}`, { body });
      const { code, message } = JSON.parse(text).error;
      expect([status, code]).toEqual([400, INVALID]);
      expect(message).toContain(field.replace(/^expected$/, 'must be a list of at most 100'));
    }
  });

  it('of a million times is compared without a list of them', async () => {
    const mock = await start();
    await ask(mock);
    const million = { times: 1_000_000 };
    const many = Array(100).fill(million);
    const total = '100000000 requests';
    await expect(mock.verify(many)).rejects.toThrow(
      `expected ${total} in this order, but number 2`,
    );
    await expect(mock.verify({ exactly: many })).rejects.toThrow(
      `expected exactly ${total}, but number 2`,
    );
    await expect(mock.verify({ times: 1_000_000 })).rejects.toThrow('exactly 1000000 times');
  });

  it('of two in a row, then another, is met by just these', async () => {
    const mock = await start({ 'momo/other.get.json': {} });
    for (const path of ['/momo/balance', '/momo/balance', '/momo/other']) await ask(mock, path);
    const [balance, other] = [{ path: '/momo/balance', times: 2 }, { path: '/momo/other' }];
    await mock.verify([balance, other]);
    await mock.verify({ exactly: [balance, other] });
    await expect(mock.verify([other, balance])).rejects.toThrow('number 2');
    await expect(mock.verify({ exactly: [balance] })).rejects.toThrow('1 request more');
    await expect(mock.verify({ exactly: [{ ...balance, times: 3 }] })).rejects.toThrow('number 3');
  });

  it('over 64 KiB is refused', async () => {
    const mock = await start();
    const body = { body: 'x'.repeat(65_536 - '{"body":""}'.length) };
    expect((await control(mock, 'POST /verify', { body })).status).toBe(422);
    const longer = { body: `${body.body}x` };
    const too = [413, 'MOMO_MOCK_TOO_LARGE'];
    for (const path of ['/verify', '/verify/callbacks']) {
      const { status, text } = await control(mock, `POST ${path}`, { body: longer });
      expect([status, JSON.parse(text).error.code]).toEqual(too);
    }
    await expect(mock.verify(longer)).rejects.toMatchObject({ code: too[1] });
  });

  it.each([
    ['the first 20 differences', 200, 20, '  180 more differences'],
    ['8 KiB, and that it is cut', 40, 900, 'bytes, and is cut.'],
  ])('has a message with %s', async (_what, count, length, end) => {
    const mock = await start();
    const names = Array.from({ length: count }, (_, id) => `${'x'.repeat(length)}${id}`);
    const bodyOf = (value: string) => Object.fromEntries(names.map((name) => [name, value]));
    await ask(mock, '/momo/balance', { body: bodyOf('is') });
    const failure = await mock.verify({ body: bodyOf('should be') }).then(
      () => '',
      ({ message }) => String(message),
    );
    expect(failure).toContain(end);
    expect(Buffer.byteLength(failure)).toBeLessThanOrEqual(8192);
  });
});

describe('a callback', () => {
  const files = {
    'momo/call.post.js': 'export default ({ body }, { callback }) => callback(body);',
  };
  it.each([
    ['8 KiB of URL', `http://127.0.0.1:1/${'x'.repeat(8192 - 19)}`, 200],
    ['more', `http://127.0.0.1:1/${'x'.repeat(8193 - 19)}`, 500],
    ['1,000 fields', `http://127.0.0.1:1/?a${'&a'.repeat(999)}`, 200],
    ['1,001 fields', `http://127.0.0.1:1/?a${'&a'.repeat(1000)}`, 500],
  ])('may have a URL of limited size: %s', async (_what, url, status) => {
    const mock = await start(files);
    const reply = await ask(mock, '/momo/call', { method: 'POST', body: { url } });
    expect(reply.status).toBe(status);
  });
});

import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { runs } from '../endurance/scale.ts';
import { AS_JSON, ask, control } from '../support/client.ts';
import { CHANGED_NUMBERS, jsonText } from '../support/exact-json.ts';
import { sharedMock, startMock } from '../support/mock.ts';
import type { MomoMock } from '../support/momo-mock.ts';
import { NOTIFY, startWebhook } from '../support/webhook.ts';

const NUMBERS = `{"id":12345678901234567890,"amounts":[${CHANGED_NUMBERS}],"plain":[5,0.1]}`;
/** A body that is text is sent as it is, also as text. */
const value = jsonText.filter((json) => !json.startsWith('"'));

/** Calls the control API with JSON, which it accepts. */
async function call(
  mock: Pick<MomoMock, 'controlUrl'>,
  line: string,
  body?: string,
): Promise<string> {
  const options = body === undefined ? {} : { headers: AS_JSON, body };
  const { status, text } = await control(mock, line, options);
  expect([200, 201, 204], text).toContain(status);
  return text;
}

describe('numbers that a test sends over HTTP keep their digits:', () => {
  const mock = sharedMock(NOTIFY, { control: true });

  /** A webhook, and the bodies that it has received in this run. */
  interface Hook {
    readonly url: string;
    readonly bodies: () => string[];
  }

  /** Where JSON goes in, and the texts that come out. */
  const PLACES: Record<string, (json: string, hook: Hook) => Promise<string[]>> = {
    'a balance': async (json) => {
      await call(mock(), 'PUT /balance', json);
      return [(await ask(mock())).text, await call(mock(), 'GET /balance')];
    },
    'the balance of an account': async (json) => {
      const { apiKey } = JSON.parse(await call(mock(), 'POST /accounts', `{"balance":${json}}`));
      return [(await ask({ ...mock(), apiKey })).text];
    },
    'a scripted body': async (json) => {
      const list = await call(
        mock(),
        'PUT /responses',
        `{"operation":"GET /momo/balance","status":200.0,"times":2e0,"body":${json}}`,
      );
      expect(list).toContain(`"body":${json}}`);
      expect(await call(mock(), 'GET /responses')).toBe(list);
      return [(await ask(mock())).text, (await ask(mock())).text];
    },
    'the body of an attached webhook': async (json, { url, bodies }) => {
      const webhook = `{"url":${JSON.stringify(url)},"body":${json},"delay":1e0}`;
      await call(mock(), 'POST /clock', '{"freeze":true}');
      const list = await call(mock(), 'POST /responses', `[{"webhook":[${webhook}]}]`);
      expect(list).toContain(`"body":${json},"delay":1}`);
      await ask(mock());
      await call(mock(), 'POST /clock', '{"advance":"idle"}');
      return bodies();
    },
    'the body of a webhook': async (json, { url, bodies }) => {
      await call(mock(), 'POST /webhooks', `{"url":${JSON.stringify(url)},"body":${json}}`);
      const [entry] = await mock().webhooks();
      return [...bodies(), `${entry?.body}`];
    },
    'the state of an account': async (json) => {
      const { id } = JSON.parse(await call(mock(), 'POST /accounts', `{"state":{"a":${json}}}`));
      const options = { headers: { account: id } };
      return [
        (await control(mock(), 'GET /state/a', options)).text,
        (await control(mock(), 'GET /state', options)).text.slice('{"a":'.length, -1),
      ];
    },
    'a value of the state': async (json) => {
      await call(mock(), 'PUT /state/a', json);
      await call(mock(), 'PATCH /state', `{"set":{"b":${json}}}`);
      expect(await call(mock(), 'GET /state')).toBe(`{"a":${json},"b":${json}}`);
      return [await call(mock(), 'GET /state/a'), await call(mock(), 'GET /state/b')];
    },
  };

  it.each(Object.entries(PLACES))('%s', async (_place, outOf) => {
    const { url, calls } = await startWebhook();
    const check = async (json: string) => {
      await mock().reset();
      const since = calls.length;
      const bodies = () => calls.slice(since).map(({ body }) => body);
      const out = await outOf(json, { url, bodies });
      expect(out.length).toBeGreaterThan(0);
      expect(out).toEqual(out.map(() => json));
    };
    await check(NUMBERS);
    await fc.assert(fc.asyncProperty(value, check), runs(1000, 30));
  });

  it('even beside a redacted key', async () => {
    const { apiKey } = mock();
    const body = (key: string) => `{"a":${JSON.stringify(key)},"numbers":${NUMBERS}}`;
    const [given, redacted] = [body(apiKey), body('[redacted]')];
    await call(mock(), 'PUT /balance', given);
    await call(mock(), 'PUT /responses', `{"operation":"GET /momo/balance","body":${given}}`);
    await call(mock(), 'PUT /state/a', given);
    expect(await call(mock(), 'GET /balance')).toBe(redacted);
    expect(await call(mock(), 'GET /responses')).toContain(redacted);
    expect(await call(mock(), 'GET /state/a')).toBe(redacted);
    expect(await call(mock(), 'GET /state')).toBe(`{"a":${redacted}}`);
    expect((await ask(mock())).text).toBe(given);
    await ask(mock(), '/momo/notify', { method: 'POST', body: `{"url":"","extra":${given}}` });
    const [, entry] = await mock().requests();
    expect(entry?.body).toBe(`{"url":"","extra":${redacted}}`);
  });

  it('even for a search that finds a key of digits', async () => {
    const apiKey = '98765432109876543210';
    await mock().createAccount({ apiKey });
    await call(mock(), 'PUT /balance', `{"a":${apiKey},"b":1.00}`);
    expect(await call(mock(), 'GET /balance')).toBe('{"a":"[redacted]","b":1.00}');
  });

  it.each(['{1.00:2}', '[1.00.5]', '[012.00]', '[1.00 "a]', '{"a":1.}', '[1e]', '[-]', '[+1.0]'])(
    'only in valid JSON, unlike %s',
    async (body) => {
      const sent = { headers: AS_JSON, body: `{"status":500,"body":${body}}` };
      expect(await control(mock(), 'PUT /responses', sent)).toMatchObject({ status: 400 });
    },
  );
});

describe('numbers in a fixture file keep their digits', () => {
  const values = fc.sample(value, runs(1000, 100));
  const json = `[${[NUMBERS, ...values]}]`;
  const schema = { type: 'array', items: {}, contains: { type: 'object', required: ['id'] } };

  it('in a response file with a schema and a webhook', async () => {
    const { url, calls } = await startWebhook();
    const scripted = `{ "status": 2e2, "body": ${json}, "webhook": { "url": "${url}", "body": ${json} } }`;
    const mock = await startMock({
      'momo/a.get.json': json,
      'momo/a.get.schema.json': schema,
      'momo/a.get.http.http': `HTTP/1.1 200\n\n${json}`,
      'momo/a.get.scripted.response.json': scripted,
    });
    await mock.freeze();
    expect((await ask(mock, '/momo/a')).text).toBe(json);
    await mock.setVariant('http');
    expect((await ask(mock, '/momo/a')).text).toBe(json);
    await mock.setVariant('scripted');
    expect((await ask(mock, '/momo/a')).text).toBe(json);
    await mock.advance('idle');
    expect(calls.map(({ body }) => body)).toEqual([json]);
  });

  it('in state.json', async () => {
    const mock = await startMock({ 'state.json': `{"a":${json}}` }, { control: true });
    expect(await call(mock, 'GET /state')).toBe(`{"a":${json}}`);
    expect(await call(mock, 'GET /state/a')).toBe(json);
  });
});

describe('a forgery of a body changes one number by one, and no other digit:', () => {
  const mock = sharedMock({}, { control: true });
  const sign = { secret: 'secret', header: 'x-mac' };

  it.each([
    ['{"id":12345678901234567890,"fee":1.00}', '{"id":12345678901234567891,"fee":1.00}'],
    [
      '{"a 1":"1.0","amount": 100.00, "id":9007199254740993}',
      '{"a 1":"1.0","amount":101.00,"id":9007199254740993}',
    ],
    ['[-0.50,1E400]', '[-1.50,1E400]'],
    ['[99.90]', '[100.90]'],
    ['[18999]', '[19000]'],
    ['[899]', '[900]'],
    ['[1E400]', '[2E400]'],
    ['{"1.0":"\\"2.0"}', '{"1.0":"\\"2.00"}'],
  ])('%s', async (body, forged) => {
    const { url, calls } = await startWebhook();
    await mock().scriptWebhooks([{ forge: 'body' }]);
    const text = `{"url":"${url}","sign":${JSON.stringify(sign)},"body":${body}}`;
    await call(mock(), 'POST /webhooks', text);
    expect(calls.map((sent) => sent.body)).toEqual([forged]);
  });
});

const BIG = 12345678901234567890n;

it('a bigint that a test sets is sent with its digits', async () => {
  const mock = await startMock();
  const { url, calls } = await startWebhook();
  const body = { id: BIG, list: [-1n] };
  const json = '{"id":12345678901234567890,"list":[-1]}';
  await mock.respondWith({ body });
  expect((await ask(mock)).text).toBe(json);
  await mock.setBalance(body);
  expect((await ask(mock)).text).toBe(json);
  expect((await ask(await mock.createAccount({ balance: body }))).text).toBe(json);
  await mock.sendWebhook({ url, body });
  expect(calls.map((sent) => sent.body)).toEqual([json]);
});

it('a transaction keeps the digits of values that it does not write', async () => {
  const mock = await startMock(
    { 'state.json': `{"file":${NUMBERS}}`, 'momo/a.get.json': '{}' },
    { control: true },
  );
  const read = (name: string) => call(mock, `GET /state/${name}`);
  await call(mock, 'PUT /state/set', NUMBERS);
  await mock.state.set('big', { id: BIG });
  await mock.state.transaction((draft) => {
    expect(Object.keys(draft.list())).toHaveLength(3);
    draft.set('other', draft.get('set').plain);
    draft.set('more', [BIG]);
  });
  await mock.state.update('count', (count = 0) => count + 1);
  expect(await Promise.all(['file', 'set', 'big', 'other', 'more'].map(read))).toEqual([
    NUMBERS,
    NUMBERS,
    '{"id":12345678901234567890}',
    '[5,0.1]',
    '[12345678901234567890]',
  ]);
});

describe('a handler computes with JavaScript numbers', () => {
  const FILES = {
    ...NOTIFY,
    'momo/pay.post.js': `export default async ({ body, rawBody }, { state, webhook }) => {
      await state.set('paid', { id: BigInt(/"id":(\\d+)/.exec(rawBody)[1]) });
      webhook({ url: body.url, body: { id: 12345678901234567890n } });
      return { body: { type: typeof body.id, sum: body.amount + 1, id: 12345678901234567890n } };
    };`,
  };

  it('and writes a bigint with its digits, in its response, its state and its webhooks', async () => {
    const mock = await startMock(FILES, { control: true });
    const { url, calls } = await startWebhook();
    await mock.freeze();
    const body = `{"url":"${url}","id":12345678901234567891,"amount":100.00}`;
    const { text } = await ask(mock, '/momo/pay', { method: 'POST', body });
    expect(text).toBe('{"type":"number","sum":101,"id":12345678901234567890}');
    await mock.advance('idle');
    expect(calls.map((sent) => sent.body)).toEqual(['{"id":12345678901234567890}']);
    const [{ id }] = JSON.parse(await call(mock, 'GET /accounts')).accounts;
    const state = await control(mock, 'GET /state', { headers: { account: id } });
    expect(state.text).toBe('{"paid":{"id":12345678901234567891}}');
  });
});

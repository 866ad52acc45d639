import fc from 'fast-check';
import { expect, it } from 'vitest';
import { runs, times } from '../endurance/scale.ts';
import { ask, control } from '../support/client.ts';
import { jsonText } from '../support/exact-json.ts';
import { startMock } from '../support/mock.ts';
import { NOTIFY, notify } from '../support/webhook.ts';

const CONFIGURED = 'configured-key';
const CREATED = 'created-key';
const KEYS = [undefined, CONFIGURED, CREATED];

/** JSON as a body, some of it with a configured key in it. */
const json = fc
  .tuple(jsonText, fc.constantFrom('', CONFIGURED, CONFIGURED.toUpperCase(), 'configured%2Dkey'))
  .filter(([text]) => !text.startsWith('"'))
  .map(([text, key]) => (key === '' ? text : `{"${key}":[${text},"x ${key} y"]}`));
const name = fc.string({ minLength: 1, maxLength: 20 }).map(encodeURIComponent);
const count = fc.integer({ min: 1, max: 1_000_000 });

/** A call of the control API, with its body as JSON. */
type Call = readonly [line: string, body: string];

const call: fc.Arbitrary<Call> = fc.oneof(
  json.map((body): Call => ['PUT /balance', body]),
  fc.tuple(name, json).map(([to, body]): Call => [`PUT /state/${to}`, body]),
  name.map((to): Call => [`DELETE /state/${to}`, '']),
  fc
    .constantFrom('empty', 'per-operator')
    .map((variant): Call => ['PUT /variant', `{"variant":"${variant}"}`]),
  fc
    .tuple(count, count)
    .map(([limit, window]): Call => ['PUT /rate-limit', `{"limit":${limit},"window":${window}}`]),
  fc
    .tuple(json, fc.integer({ min: 2, max: 9 }), fc.nat())
    .map(
      ([body, times, seed]): Call => [
        'POST /responses',
        `{"operation":"GET /momo/balance","body":${body},"times":${times},"delay":{"min":0,"max":1,"seed":${seed}},"webhook":{"url":"http://localhost:9/","body":${body}}}`,
      ],
    ),
  fc
    .tuple(fc.boolean(), fc.nat(1000))
    .map(
      ([lose, delay]): Call => [
        'PUT /webhooks/script',
        JSON.stringify([{ lose, delay, repeat: 2 }, {}]),
      ],
    ),
  fc.nat(100_000).map((advance): Call => ['POST /clock', `{"advance":${advance}}`]),
);

/** Webhooks that wait longer than any clock above is moved. */
const webhook = fc.record({
  url: fc.constantFrom('http://localhost:9/', `http://localhost:9/?apikey=${CONFIGURED}`),
  body: fc.jsonValue(),
  delay: fc.integer({ min: 80_000_000, max: 86_400_000 }),
  retry: fc.array(count, { maxLength: 3 }),
  sign: fc.constantFrom(undefined, { header: 'x-signature', secret: 'a secret' }),
});

const step = fc.oneof(
  { weight: 4, arbitrary: fc.record({ key: fc.constantFrom(...KEYS), call }) },
  { weight: 1, arbitrary: fc.record({ key: fc.constantFrom(CONFIGURED, CREATED), webhook }) },
  { weight: 1, arbitrary: fc.record({ key: fc.constantFrom(CONFIGURED, CREATED) }) },
);

it('any snapshot is the same after a restore, over HTTP and in process', async () => {
  const mock = await startMock(NOTIFY, { control: true, apiKeys: [CONFIGURED, 'b'] });
  const asked = async (line: string, body = '', key?: string) => {
    const headers = {
      ...(body !== '' && { 'content-type': 'application/json' }),
      ...(key !== undefined && { apikey: key }),
    };
    const { status, text } = await control(mock, line, { headers, body });
    expect(status, text).toBeLessThan(300);
    return text;
  };
  const trip = fc.asyncProperty(json, fc.array(step, { maxLength: 12 }), async (start, steps) => {
    await mock.reset();
    await mock.freeze();
    await asked(
      'POST /accounts',
      `{"apiKey":"${CREATED}","balance":${start},"state":{"a":${start}}}`,
    );
    for (const { key, ...does } of steps) {
      if ('call' in does) await asked(...(does.call as Call), key);
      else if ('webhook' in does)
        await notify({ ...mock, apiKey: `${key}` }, does.webhook as object);
      else await ask({ ...mock, apiKey: `${key}` });
    }
    const before = await asked('GET /snapshot');
    expect(before).not.toMatch(/configured(-|%2d)key/i);
    await mock.reset();
    await asked('PUT /snapshot', before);
    expect(await asked('GET /snapshot')).toBe(before);
    const snapshot = await mock.snapshot();
    await mock.reset();
    await mock.restore(snapshot);
    expect(JSON.stringify(await mock.snapshot())).toBe(before.trim());
    for (const key of [CONFIGURED, CREATED]) {
      const own = await asked('GET /snapshot', '', key);
      await asked('POST /reset', '', key);
      await asked('PUT /snapshot', own, key);
      expect(await asked('GET /snapshot', '', key)).toBe(own);
    }
  });
  await fc.assert(trip, runs(2000, 60));
});

it('ten thousand accounts are the same after a restore', async () => {
  const most = times(150_000, 10_000);
  const mock = await startMock();
  const accounts = Array.from({ length: most }, (_, index) => ({
    id: `account-${index + 2}`,
    key: `created-${index}`,
    initial: {},
    lastUsed: new Date().toISOString().slice(0, 10),
    saved: { state: [{ name: 'number', json: `${index}` }] },
  }));
  const [configured] = (await mock.snapshot()).accounts ?? [];
  await mock.restore({
    version: 1,
    timers: 0,
    all: {},
    accounts: [...(configured ? [configured] : []), ...accounts],
  });
  const restored = await mock.snapshot();
  // Not the lists, whose difference would fill the screen.
  expect(restored.accounts?.length).toBe(most + 1);
  const changed = restored.accounts?.filter(
    (account, index) =>
      index > 0 && JSON.stringify(account) !== JSON.stringify(accounts[index - 1]),
  );
  expect(changed).toEqual([]);
  expect((await ask({ ...mock, apiKey: `created-${most - 1}` })).status).toBe(200);
  await mock.createAccount();
  expect((await mock.snapshot()).accounts?.at(-1)?.id).toBe(`account-${most + 2}`);
});

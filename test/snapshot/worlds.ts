import { createHash, createHmac } from 'node:crypto';
import fc from 'fast-check';
import { expect } from 'vitest';
import { AS_JSON, ask, control, type ReceivedResponse } from '../support/client.ts';
import { jsonText } from '../support/exact-json.ts';
import type { TestMock } from '../support/mock.ts';
import { type Call, startWebhook, type Webhook } from '../support/webhook.ts';

/** The keys of the settings. The last one is so short that it counts only as a whole word. */
export const CONFIGURED = ['configured-key', 'sek"ret+1', 'a'];
const CREATED = ['created-0', 'created-1'];

/** No snapshot has a key of the settings, up to JSON in JSON in JSON. */
const CONFIGURED_KEYS = /configured(-|%2d)key|sek(\\{0,15}"|%22)ret(\+|%2b)1/i;

export const FILES = {
  'momo/world.post.js': `export default async ({ body = {} }, context) => {
    const { state, after, prompt, webhook, issueToken, account } = context;
    const { webhooks = [], timers = [], prompts = [], tokens = [] } = body;
    for (const each of webhooks) webhook(each);
    // What they write is not compared, because no snapshot has them.
    for (const ms of timers) after(ms, () => state.set('of a timer', ms));
    for (const each of prompts) prompt(each, () => state.set('of a timer', 'prompt'));
    const issued = [];
    for (const each of tokens) issued.push(await issueToken(each));
    return { body: { issued, variant: account.variant } };
  };`,
  'momo/claims.get.js': `export const token = 'bearer';
  export default (_, { claims }) => ({ body: { claims } });`,
  'momo/state.get.js': `export default async (_, { state }) => ({
    body: Object.entries(await state.list()).filter(([name]) => name !== 'of a timer'),
  });`,
  'momo/balance.get.empty.json': '{"balance":[]}',
  'state.json': { shared: 'configured-key', other: 1 },
};

const HOUR = 3_600_000;
/**
 * All long times are whole or half hours, and the others are seconds at most. So nothing comes due by
 * the time that a test takes, and what is left of a time on a running clock differs by much, or not.
 */
const halfHours = fc.nat(23).map((hours) => hours * HOUR + HOUR / 2);
const hours = fc.nat(5).map((hours) => hours * HOUR);

const idOfMark = (key: string) => createHash('sha256').update(key).digest('hex').slice(0, 16);
const text = fc
  .array(
    fc.oneof(
      fc.string({ unit: 'binary', maxLength: 8 }),
      fc.constantFrom(
        ...CONFIGURED.flatMap((key) => [
          key,
          key.toUpperCase(),
          encodeURIComponent(key),
          encodeURIComponent(encodeURIComponent(key)),
          JSON.stringify(key),
          JSON.stringify(JSON.stringify({ [key]: key })),
          ` ${key} `,
          `İ${key}`,
        ]),
        'configured%2Dkey',
        'CONFIGURED%2dKey',
      ),
      fc.constantFrom(
        '[key 0123456789abcdef abc]',
        `[key ${idOfMark('configured-key')} abc]`,
        `[key ${idOfMark('a')} AAAAAAAAAAAAAAAAAAAAAAAA]`,
        '[key ',
        ']',
        '\\',
        '\ud800',
        '__proto__',
        'constructor',
        'toJSON',
      ),
    ),
    { minLength: 1, maxLength: 3 },
  )
  .map((texts) => texts.join(''))
  .filter((joined) => joined !== '');

/** The text of any JSON, with keys and marks as values and as names, and as JSON in JSON. */
const value: fc.Arbitrary<string> = fc.letrec<{ value: string }>((tie) => ({
  value: fc.oneof(
    { maxDepth: 3 },
    { weight: 2, arbitrary: jsonText },
    { weight: 3, arbitrary: text.map((each) => JSON.stringify(each)) },
    {
      weight: 2,
      arbitrary: fc
        .tuple(text, tie('value'))
        .map(([name, json]) => `{${JSON.stringify(name)}:${json}}`),
    },
    { weight: 1, arbitrary: tie('value').map((json) => JSON.stringify(json)) },
    { weight: 1, arbitrary: fc.array(tie('value'), { maxLength: 3 }).map((all) => `[${all}]`) },
  ),
})).value;

/** It becomes the URL of the receiver. */
const RECEIVER = 'http://receiver';
const SIGNATURES = [
  { secret: 'a secret', header: 'x-signature' },
  {
    secret: 'configured-key',
    headers: { 'x-signature': 't={timestamp},v={signature}', 'x-id': '{id}' },
    payload: '{timestamp}.{id}.{body}',
  },
  {
    secret: 'whsec_c2VjcmV0',
    secretEncoding: 'base64',
    algorithm: 'sha1',
    encoding: 'base64',
    header: 'x-signature',
    payload: '{secret} {body}',
  },
];

/** The text of a webhook, with a body of any JSON. */
const webhook = fc
  .tuple(
    fc.record(
      {
        url: fc.constantFrom(
          `${RECEIVER}/ok`,
          `${RECEIVER}/fail`,
          `${RECEIVER}/fail?apikey=configured-key`,
          `${RECEIVER}/ok?k=CONFIGURED%2DKEY&mark=[key 0123456789abcdef abc]`,
          'not a url',
        ),
        method: fc.constantFrom('GET', 'POST', 'put'),
        headers: fc.constantFrom<object>(
          { 'X-Key': 'configured-key' },
          { 'x-mark': '[key 0123456789abcdef abc]', 'user-agent': 'own' },
        ),
        delay: fc.oneof(fc.constant(0), halfHours),
        retry: fc.array(hours, { maxLength: 3 }),
        accept: fc.constantFrom([500], [200, 201]),
        timeout: fc.constantFrom(5000, 60_000),
        sign: fc.constantFrom(...SIGNATURES),
        before: fc.constantFrom(true, false, 5000),
      },
      { requiredKeys: ['url'] },
    ),
    fc.option(value),
  )
  .map(([options, body]) => {
    const json = JSON.stringify(options);
    return body === null ? json : `${json.slice(0, -1)},"body":${body}}`;
  });

const scriptedWebhook = fc.record(
  {
    match: fc.constantFrom<object>(
      { url: `${RECEIVER}/ok` },
      { method: 'POST', body: 'configured-key' },
      { headers: { 'x-key': 'configured-key' } },
    ),
    lose: fc.constantFrom(true, true, false),
    delay: fc.oneof(fc.constant(0), halfHours),
    repeat: fc.integer({ min: 1, max: 3 }),
    forge: fc.constantFrom('signature', 'timestamp', 'body', 'missing'),
    before: fc.constantFrom(true, false, 5000),
  },
  { requiredKeys: [] },
);

const response = fc
  .tuple(
    fc.record(
      {
        operation: fc.constantFrom('GET /momo/balance', 'POST /momo/world'),
        status: fc.constantFrom(400, 429, 503),
        headers: fc.constantFrom<object>(
          { 'x-scripted': 'configured-key' },
          { 'X-Scripted': ['1', '[key 0123456789abcdef abc]'] },
        ),
        delay: fc.record({ min: fc.constant(0), max: fc.constant(2), seed: fc.nat(100) }),
        times: fc.constantFrom<unknown>(1, 2, 3, 5, 'always'),
        afterHandler: fc.boolean(),
        fault: fc.constantFrom('reset', 'close'),
      },
      { requiredKeys: [] },
    ),
    fc.option(value),
    fc.option(webhook),
  )
  .map(([options, body, sent]) => {
    const needsOperation = body !== null && options.status === undefined && !options.operation;
    const given = { ...options, ...(needsOperation && { operation: 'GET /momo/balance' }) };
    const members = [
      ...Object.entries(given).map(([name, member]) => `"${name}":${JSON.stringify(member)}`),
      ...(body === null ? [] : [`"body":{"any":${body}}`]),
      ...(sent === null ? [] : [`"webhook":${sent}`]),
    ];
    return `{${members}}`;
  });

/** Most of it happens in two accounts, so that it comes together. */
const ofKeys = fc.constantFrom(
  ...CONFIGURED,
  ...CREATED,
  'configured-key',
  'created-0',
  'created-0',
);
const stateName = fc.oneof(text, fc.constantFrom('shared', 'other', 'mine', 'mine'));
/** `undefined` concerns all accounts. */
const ofAny = fc.oneof(
  { weight: 1, arbitrary: fc.constant(undefined) },
  { weight: 3, arbitrary: ofKeys },
);
/** @param maxAsks how many requests to the balance may follow */
const onCall = (line: string, body: fc.Arbitrary<string> = fc.constant(''), maxAsks = 0) =>
  fc.record({
    do: fc.constant('call' as const),
    line: fc.constant(line),
    body,
    key: ofAny,
    asks: fc.nat(maxAsks),
  });

/** The initial values of an account. */
export const initial = fc.record({
  variant: fc.option(fc.constant('empty'), { nil: undefined }),
  balance: fc.option(value, { nil: undefined }),
  state: fc.option(fc.tuple(stateName, value), { nil: undefined }),
});

type Initial = typeof initial extends fc.Arbitrary<infer Each> ? Each : never;

/** The body that creates an account. */
export function accountOf(key: string, { variant, balance, state }: Initial): string {
  const members = [
    `"apiKey":${JSON.stringify(key)}`,
    ...(variant === undefined ? [] : [`"variant":"${variant}"`]),
    ...(balance === undefined ? [] : [`"balance":{"any":${balance}}`]),
    ...(state === undefined ? [] : [`"state":{${JSON.stringify(state[0])}:${state[1]}}`]),
  ];
  return `{${members}}`;
}

const create = fc.record({
  do: fc.constant('create' as const),
  key: fc.constantFrom(...CREATED),
  initial,
  /** Whether a test then removes its initial values. */
  isCleared: fc.boolean(),
});

const step = fc.oneof(
  { weight: 1, arbitrary: create },
  {
    weight: 1,
    arbitrary: fc.record({
      do: fc.constant('remove' as const),
      key: fc.constantFrom(...CREATED),
    }),
  },
  {
    weight: 2,
    arbitrary: onCall(
      'PUT /balance',
      value.map((json) => `{"any":${json}}`),
    ),
  },
  { weight: 1, arbitrary: onCall('DELETE /balance') },
  { weight: 1, arbitrary: onCall('PUT /variant', fc.constant('{"variant":"empty"}')) },
  { weight: 1, arbitrary: onCall('DELETE /variant') },
  {
    weight: 2,
    arbitrary: onCall(
      'PUT /rate-limit',
      fc
        .tuple(fc.integer({ min: 1, max: 6 }), fc.nat(3))
        .map(([limit, hours]) => `{"limit":${limit},"window":${hours * HOUR + HOUR / 2}}`),
      3,
    ),
  },
  { weight: 3, arbitrary: onCall('POST /responses', response, 3) },
  {
    weight: 4,
    arbitrary: onCall(
      'PATCH /state',
      fc.tuple(stateName, value).map(([name, json]) => `{"set":{${JSON.stringify(name)}:${json}}}`),
    ),
  },
  {
    weight: 2,
    arbitrary: onCall(
      'PATCH /state',
      stateName.map((name) => JSON.stringify({ delete: [name] })),
    ),
  },
  {
    weight: 3,
    arbitrary: onCall(
      'POST /clock',
      fc.oneof(
        fc.constantFrom('{"freeze":true}', '{"freeze":true}', '{"freeze":false}'),
        fc.constantFrom(1, 1234, HOUR, 24 * HOUR, 876_000 * HOUR).map((advance) => {
          return JSON.stringify({ advance });
        }),
      ),
    ),
  },
  {
    weight: 2,
    arbitrary: onCall(
      'POST /webhooks/script',
      fc.array(scriptedWebhook, { minLength: 1, maxLength: 3 }).map((all) => JSON.stringify(all)),
    ),
  },
  { weight: 1, arbitrary: onCall('POST /webhooks', webhook) },
  {
    weight: 2,
    arbitrary: fc.record({
      do: fc.constant('ask' as const),
      key: ofKeys,
      times: fc.integer({ min: 1, max: 3 }),
    }),
  },
  {
    weight: 6,
    arbitrary: fc
      .record({
        do: fc.constant('handle' as const),
        key: ofKeys,
        webhooks: fc.array(webhook, { maxLength: 3 }),
        timers: fc.array(halfHours, { maxLength: 2 }),
        prompts: fc.array(
          fc.record(
            {
              title: fc.constant('+229'),
              text: fc.constant('Pay?'),
              choices: fc.constant(['approve']),
              timeout: halfHours,
            },
            { requiredKeys: ['title', 'text', 'choices'] },
          ),
          { maxLength: 1 },
        ),
        tokens: fc.array(
          fc.record({ expiresIn: fc.nat(30).map((hours) => hours * 3600 + 1800), claims: value }),
          { maxLength: 2 },
        ),
      })
      .map((given) => ({
        ...given,
        body: JSON.stringify({
          timers: given.timers,
          prompts: given.prompts,
          tokens: given.tokens.map(({ expiresIn, claims }) => ({
            expiresIn,
            claims: JSON.parse(claims),
          })),
        }).replace('{', `{"webhooks":[${given.webhooks}],`),
      })),
  },
  { weight: 2, arbitrary: fc.record({ do: fc.constant('keep' as const), key: ofKeys }) },
);

/** What happens in a mock before its snapshot is taken. */
export type Step = typeof step extends fc.Arbitrary<infer Each> ? Each : never;
export const steps: fc.Arbitrary<Step[]> = fc
  .tuple(fc.option(create), fc.array(step, { maxLength: 16, size: 'max' }))
  .map(([first, others]) => (first === null ? others : [first, ...others]));

/** A mock in which things have happened. */
export interface World {
  readonly mock: TestMock;
  readonly receiver: Webhook;
  /** Of all accounts that there are. */
  readonly keys: readonly string[];
  /** Those that tests created. */
  readonly created: ReadonlyMap<string, Initial>;
  readonly tokens: readonly { readonly key: string; readonly token: string }[];
}

/** An application that receives the webhooks of all worlds, and fails if the URL asks for it. */
export async function startReceiver(): Promise<Webhook> {
  return await startWebhook(({ url = '' }, response) => {
    response.writeHead(url.includes('/fail') ? 500 : 200).end();
  });
}

/** A call of the control API. */
export async function call(
  mock: TestMock,
  line: string,
  { key, body = '' }: { readonly key?: string | undefined; readonly body?: string } = {},
): Promise<ReceivedResponse> {
  const headers = { ...(body !== '' && AS_JSON), ...(key !== undefined && { apikey: key }) };
  return await control(mock, line, { headers, body });
}

/** A call that has to succeed. */
export async function asked(
  mock: TestMock,
  line: string,
  given: { readonly key?: string | undefined; readonly body?: string } = {},
): Promise<string> {
  const { status, text } = await call(mock, line, given);
  expect(status, `${line}: ${text}`).toBeLessThan(300);
  return text;
}

/** Makes all that happens in a world, in a mock that has been reset. */
export async function play(
  mock: TestMock,
  receiver: Webhook,
  all: readonly Step[],
): Promise<World> {
  const created = new Map<string, Initial>();
  const tokens: { key: string; token: string }[] = [];
  const frozen = new Set<string | undefined>();
  const exists = (key: string | undefined) =>
    key === undefined || CONFIGURED.includes(key) || created.has(key);
  const agent = mock.agent;
  const real = (json: string) => json.replaceAll(RECEIVER, new URL(receiver.url).origin);
  for (const each of all) {
    const { key } = each;
    if (each.do === 'create' ? exists(key) : !exists(key)) continue;
    if (each.do === 'create') {
      await asked(mock, 'POST /accounts', { body: accountOf(each.key, each.initial) });
      created.set(each.key, each.initial);
      if (each.isCleared) {
        await asked(mock, 'DELETE /balance', { key });
        const body = JSON.stringify({ delete: [each.initial.state?.[0] ?? 'shared'] });
        await asked(mock, 'PATCH /state', { key, body });
      }
    } else if (each.do === 'remove') {
      await asked(mock, 'DELETE /accounts', { key });
      created.delete(each.key);
      frozen.delete(each.key);
    } else if (each.do === 'call') {
      await asked(mock, each.line, { key, body: real(each.body) });
      if (each.body.includes('"freeze":true')) frozen.add(key);
      if (each.body.includes('"freeze":false')) frozen.delete(key);
      for (let time = 0; time < each.asks; time++) {
        await reached(mock, key ?? 'configured-key', '/momo/balance');
      }
    } else if (each.do === 'keep') {
      const json = await asked(mock, 'GET /snapshot');
      const body = `{"set":{"kept":${json},"as text":${JSON.stringify(json)}}}`;
      await asked(mock, 'PATCH /state', { key, body });
    } else if (each.do === 'ask') {
      for (let time = 0; time < each.times; time++) await reached(mock, each.key, '/momo/balance');
    } else {
      const { json } = await reached(mock, each.key, '/momo/world', {
        method: 'POST',
        headers: AS_JSON,
        body: real(each.body),
        agent,
      });
      const issued = (Object(json) as { issued?: unknown }).issued;
      if (Array.isArray(issued)) {
        tokens.push(...issued.map((token: string) => ({ key: each.key, token })));
      }
    }
    // On a running clock, what is due now would be sent while something else happens.
    if (frozen.has(undefined)) continue;
    if (key === undefined) await asked(mock, 'POST /clock', { body: '{"advance":0}' });
    for (const one of [...CONFIGURED, ...created.keys()]) {
      if (!frozen.has(one)) await asked(mock, 'POST /clock', { key: one, body: '{"advance":0}' });
    }
  }
  const kept = tokens.filter(({ key }) => exists(key));
  return { mock, receiver, keys: [...CONFIGURED, ...created.keys()], created, tokens: kept };
}

/** A request to the service, which a fault may break. */
async function reached(
  mock: TestMock,
  apiKey: string,
  path: string,
  options: Parameters<typeof ask>[2] = {},
): Promise<Partial<ReceivedResponse> & { readonly broken?: string }> {
  const { agent } = mock;
  return await ask({ ...mock, apiKey }, path, { agent, ...options }).catch((error) => {
    return { broken: `${error.code}` };
  });
}

/** What users see of all accounts, or of one, without changing it. */
export interface Seen {
  readonly id: string | undefined;
  readonly shown: Readonly<Record<string, unknown>>;
  readonly clock: Readonly<Record<string, unknown>>;
  /** A range that has the difference between its clock and that of the system, in ms. */
  readonly offset: readonly [number, number];
  readonly timers: number;
  readonly prompts: number;
  readonly snapshot: unknown;
}

/** What users see of all accounts (first) and of each account. */
export async function look(mock: TestMock, keys: readonly string[]): Promise<Seen[]> {
  const seen: Seen[] = [];
  for (const key of [undefined, ...keys]) seen.push(await lookAt(mock, key));
  return seen;
}

const LOOKS = ['GET /balance', 'GET /variant', 'GET /rate-limit', 'GET /state'];
const LISTS = ['GET /responses', 'GET /webhooks/script'];

async function lookAt(mock: TestMock, key: string | undefined): Promise<Seen> {
  const given = { key };
  const accounts = JSON.parse(await asked(mock, 'GET /accounts', given)).accounts as Account[];
  const shown: Record<string, unknown> = {
    'GET /accounts': accounts.map(({ id: _, ...others }) => others),
  };
  for (const line of LOOKS) {
    const { status, text } = await call(mock, line, given);
    shown[line] = `${status} ${redacted(text)}`;
  }
  for (const line of LISTS) {
    // Without their ids, which differ each time.
    const text = (await asked(mock, line, given)).replace(/,"ids":\[[\d,]*\]\}\s*$/, '}');
    shown[line] = redacted(text);
  }
  const before = Date.now();
  const { now, frozen, pending, prompts } = JSON.parse(await asked(mock, 'GET /clock', given));
  const after = Date.now();
  const taken = await asked(mock, 'GET /snapshot', given);
  expect(taken).not.toMatch(CONFIGURED_KEYS);
  const { timers, all, account, accounts: saved } = JSON.parse(taken);
  // No snapshot has prompts and timers of handlers. All other timers are those of webhooks.
  const queued = [all, account, ...(saved ?? []).map((each: Saved) => each.saved)];
  const webhooks = queued.flatMap((each) => each?.webhooks ?? []).length;
  expect(timers, 'what is not in it').toBe(pending - webhooks + prompts);
  return {
    id: key === undefined ? undefined : accounts[0]?.id,
    shown,
    clock: { frozen, webhooks, ...(frozen && { now }) },
    offset: [now - after - 1, now - before + 1],
    timers,
    prompts,
    snapshot: comparable({ all, account, accounts: saved }, frozen),
  };
}

/** The mock shows the key of a removed account once no journal can have it. */
function redacted(text: string): string {
  return CREATED.reduce((shown, key) => shown.replaceAll(key, '[redacted]'), text);
}

interface Account {
  readonly id: string;
}

interface Saved {
  readonly saved: object;
}

/**
 * A snapshot without what may differ: ids, which are compared alone, and the day of the last use. The
 * rest of a time on a clock that runs is in hours.
 */
function comparable(snapshot: object, isFrozen: boolean): unknown {
  const isTime = (name: string) => ['wait', 'left', 'age'].includes(name);
  const within = (isStanding: boolean) =>
    function replace(this: object, name: string, member: unknown): unknown {
      if (name === 'lastUsed' || name === 'id') return '';
      if (typeof member !== 'number' || isStanding || !isTime(name)) return member;
      return `${Math.floor((member + HOUR / 12) / HOUR)} h`;
    };
  const parts = Object.entries(snapshot).map(([name, part]) => {
    if (name === 'account') return [name, JSON.stringify(ofAccount(part ?? {}), within(isFrozen))];
    if (name !== 'accounts') return [name, JSON.stringify(part, within(isFrozen))];
    const list = (part ?? []) as { saved: { clock?: { frozenAt?: number } } }[];
    return list.map((each) => {
      const isStanding = isFrozen || each.saved.clock?.frozenAt !== undefined;
      return JSON.stringify(each, within(isStanding));
    });
  });
  return parts;
}

/** The tokens of an account stay with it, and it has nothing instead of its initial values. */
function ofAccount({ tokens: _, balance, state = [], ...others }: Record<string, unknown>): object {
  return { ...others, balance: balance ?? null, state };
}

/** Says that a restored account, or all accounts, look as before, apart from what no snapshot has. */
export function expectSame(restored: readonly Seen[], before: readonly Seen[]): void {
  for (const [index, is] of restored.entries()) {
    const was = before[index] as Seen;
    expect({ ...is.shown, clock: is.clock }).toEqual({ ...was.shown, clock: was.clock });
    expect(is.snapshot).toEqual(was.snapshot);
    expect([is.timers, is.prompts]).toEqual([0, 0]);
    if (is.clock.frozen) continue;
    // The ranges have a time in common.
    expect(is.offset[0]).toBeLessThanOrEqual(was.offset[1]);
    expect(was.offset[0]).toBeLessThanOrEqual(is.offset[1]);
  }
}

/** What the accounts do from now on. It uses up what is scripted, and sends all webhooks. */
export async function unfold(
  { mock, receiver, keys, tokens }: World,
  isFrozen: (key: string) => boolean,
): Promise<unknown> {
  const responses: unknown[] = [];
  const asks = async (key: string, path: string, options = {}) => {
    const { status, headers = {}, text, broken } = await reached(mock, key, path, options);
    const { 'x-scripted': scripted, 'retry-after': wait, 'content-type': type } = headers;
    responses.push({ path, status, text, broken, scripted, type, ...(isFrozen(key) && { wait }) });
  };
  await asked(mock, 'DELETE /webhooks');
  let received = receiver.calls.length;
  const arrived = () => {
    const calls = receiver.calls.slice(received).map(arrivedCall);
    received = receiver.calls.length;
    return calls.sort();
  };
  for (const { key, token } of tokens) {
    await asks(key, '/momo/claims', { headers: { authorization: `Bearer ${token}` } });
  }
  for (const key of keys) {
    for (let time = 0; time < 3; time++) await asks(key, '/momo/balance');
    await asks(key, '/momo/world', { method: 'POST' });
  }
  const arrivals: unknown[] = [];
  for (const advance of [0, HOUR, HOUR, 'idle']) {
    await asked(mock, 'POST /clock', { body: JSON.stringify({ advance }) });
    arrivals.push(arrived());
  }
  const { webhooks } = JSON.parse(await asked(mock, 'GET /webhooks?limit=1000'));
  const attempts = (webhooks as Record<string, unknown>[]).map(
    ({ method, url, attempt, status, reason, accepted }) =>
      JSON.stringify({ method, url, attempt, status, reason, accepted }),
  );
  const states: unknown[] = [];
  for (const key of [undefined, ...keys]) {
    await asked(mock, 'DELETE /responses', { key });
    await asked(mock, 'DELETE /rate-limit', { key });
  }
  for (const key of keys) {
    // More than any account has asked for.
    await asked(mock, 'PUT /rate-limit', { key, body: '"1000/h"' });
    states.push((await reached(mock, key, '/momo/state')).text);
  }
  return { responses, arrivals, attempts: attempts.sort(), states };
}

/** A webhook that arrived, without what differs each time. */
function arrivedCall({ method, target, headers, body }: Call): string {
  const { host: _, 'x-signature': signature, 'x-id': id, ...others } = headers;
  const signed = signature === undefined ? undefined : verdict(`${signature}`, `${id}`, body);
  return JSON.stringify({ method, target, others, body, signed });
}

function verdict(signature: string, id: string, body: string): string {
  const [, time = '', signed = ''] = /^t=(\d+),v=(\w+)$/.exec(signature) ?? [];
  const age = Date.now() / 1000 - Number(time) > 600 ? 'old' : 'new';
  const hmac = (secret: string | Buffer, payload: string, algorithm = 'sha256') =>
    createHmac(algorithm, secret).update(payload);
  if (time !== '') {
    const right = hmac('configured-key', `${time}.${id}.${body}`).digest('hex');
    return `${age} ${signed === right}`;
  }
  if (signature === hmac('a secret', body).digest('hex')) return 'plain true';
  const key = Buffer.from('c2VjcmV0', 'base64');
  const right = hmac(key, `whsec_c2VjcmV0 ${body}`, 'sha1').digest('base64');
  return `${signature === right}`;
}

const DEEP = `${'['.repeat(5000)}${']'.repeat(5000)}`;
/** What may come in the place of a member of a snapshot, as JSON. */
const REPLACEMENTS: Readonly<Record<string, string>> = {
  'a deep list': DEEP,
  'text of a deep list': JSON.stringify(DEEP),
  ...Object.fromEntries(
    [
      ...['null', 'true', '"text"', '""', '"{}"', '[]', '{}', '[[]]', '{"__proto__":{}}'],
      ...['0', '-1', '0.5', '1e300', '9007199254740991'],
    ].map((json) => [json, json]),
  ),
};

/** A change of a snapshot at one place: which kind of place, which of them, and what to do there. */
export const damage = fc.record({
  kind: fc.nat(),
  place: fc.nat(),
  instead: fc.constantFrom('nothing', 'another name', ...Object.keys(REPLACEMENTS)),
});

type Damage = typeof damage extends fc.Arbitrary<infer Each> ? Each : never;

/** The snapshot with a change at one place, which may be in JSON that is text in it. */
export function damaged(
  json: string,
  { kind, place, instead }: Damage,
): { readonly changed: string; readonly how: string } {
  const all = placesIn(JSON.parse(json)).map((path) => ({
    path,
    kind: path.map((name) => (/^\d+$/.test(name) ? '*' : name)).join('.'),
  }));
  const kinds = [...new Set(all.map((each) => each.kind))];
  const places = all.filter((each) => each.kind === kinds[kind % kinds.length]);
  const path = places[place % places.length]?.path ?? [];
  return { changed: changed(json, path, instead), how: `${instead} at ${path.join('.')}` };
}

/** What users gave is one place, whatever it has. */
const GIVEN = new Set(['json', 'body', 'claims', 'balance']);

function placesIn(value: unknown, path: readonly string[] = []): string[][] {
  return Object.entries(Object(membersIn(value) ?? {})).flatMap(([name, member]) => {
    const own = [...path, name];
    return [own, ...(GIVEN.has(name) ? [] : placesIn(member, own))];
  });
}

function changed(json: string, [name = '', ...rest]: readonly string[], instead: string): string {
  const value: unknown = JSON.parse(json);
  if (typeof value === 'string') return JSON.stringify(changed(value, [name, ...rest], instead));
  const members = Object.entries(Object(value)).flatMap(([each, member]): [string, string][] => {
    const own = JSON.stringify(member);
    if (each !== name) return [[each, own]];
    if (rest.length > 0) return [[each, changed(own, rest, instead)]];
    if (instead === 'nothing') return [];
    return [instead === 'another name' ? [`${each}x`, own] : [each, REPLACEMENTS[instead] ?? '']];
  });
  if (Array.isArray(value)) return `[${members.map(([, member]) => member)}]`;
  return `{${members.map(([each, member]) => `${JSON.stringify(each)}:${member}`)}}`;
}

/** A value with members, which may be JSON as text. */
function membersIn(value: unknown): object | undefined {
  if (typeof value === 'object' && value !== null) return value;
  if (typeof value !== 'string' || !/^[[{]/.test(value)) return undefined;
  try {
    return JSON.parse(value);
  } catch {
    return undefined;
  }
}

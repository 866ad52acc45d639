import { Ajv2020 } from 'ajv/dist/2020.js';
import formats from 'ajv-formats';
import { expect, it } from 'vitest';
import {
  AS_JSON,
  ask,
  control,
  followEvents,
  type ReceivedResponse,
  type Sent,
} from '../support/client.ts';
import { forSuite, startServer, type TestServer } from '../support/mock.ts';
import { ROUTES } from '../support/program.ts';
import { startWebhook, type Webhook } from '../support/webhook.ts';

/** Keys that are words of closed lists, names of fields, and numbers. The first one is the account's. */
const WORDS = [
  ...['success', '1000', 'pending', 'payment', 'balance', 'momo', 'null', 'true', 'false'],
  ...['account-1', 'status', 'method', 'delay', 'lose', 'body', 'request', 'requests', 'always'],
  ...['fixture', 'handler', 'script', 'reset', 'signature', 'POST', 'lost', 'normal', 'expired'],
  ...['info', 'silent', 'empty', 'amount', 'sha512', 'Failed', 'responses', 'unknown-path'],
  // Shorter than what is searched for in a sentence.
  ...['GET', 'XOF', '200', '402', 'pay', '5'],
];
/** Keys that are no words, of the same lengths. */
const OTHERS = WORDS.map(({ length }, index) =>
  `${index.toString(36).padStart(length, 'z')}`.slice(-length),
);

const isLong = ({ length }: string) => length > 3;

const FILES = {
  'momo/balance.get.json': '{"x":1}',
  'momo/plain.get.json': '{"x":1}',
  'momo/balance.get.empty.json': '{"y":1}',
  'momo/pay.post.js': `export default async ({ body }, { state, webhook, prompt, after, log }) => {
    await state.set('paid', body);
    webhook({ url: body.url, body });
    prompt({ title: body.note, text: body.note, choices: ['agree', 'later'] }, () => {});
    after(60_000, () => state.set('late', body));
    log.info(body.note);
  };`,
  'errors/401.json': '{"x":"UNAUTHORIZED"}',
  'errors/404.json': '{"x":4}',
  'errors/500.json': '{"x":6}',
  'state.schema.json': '{"properties":{"number":{"type":"number"}}}',
  'drill.js': `export default {
    flows: { payment: {
      start: ['POST /momo/pay'], status: [], amounts: { XOF: [5] }, lost: 'unknown',
      ends: { success: { phone: '1' } },
    } },
    ledger: async (state) => {
      const { note } = await state.get('shared');
      const entry = { kind: 'payment', amount: 1000, currency: 'XOF', state: 'success' };
      const time = '2026-11-25T12:00:00.000Z';
      return [{ ...entry, id: note, of: null, party: note, order: note, time }];
    },
  };`,
};

interface Document {
  readonly paths: Readonly<
    Record<string, Readonly<Record<string, { readonly responses: object }>>>
  >;
}

/** What a call is made on. */
interface On {
  readonly mock: TestServer;
  readonly app: Webhook;
  readonly keys: readonly string[];
  /** Text of a client, with all keys in it that are searched for in text. */
  readonly note: string;
  /** The other keys: only a whole value may be one. */
  readonly short: readonly string[];
}

interface Call {
  /** Of an account, or of all. @default both */
  readonly only?: 'all' | 'account';
  /** With the parameters. @default the path of the route */
  readonly path?: string;
  readonly body?: (on: On) => unknown;
  readonly status?: number;
}

/** `{request}` in its path is the id of one, as are `{webhook}` and `{prompt}`. */
interface Row extends Call {
  readonly bad?: Call & { readonly status: number };
  readonly isSecret?: boolean;
}

const SCRIPTED = ({ app, note }: On) => [
  {
    ...{ operation: 'GET /momo/balance', status: 402, delay: 1000, times: 1000, fault: 'reset' },
    headers: { 'x-note': note },
    body: { note },
    webhook: {
      ...{
        url: `${app.url}?note=${encodeURIComponent(note)}`,
        method: 'POST',
        headers: { 'x-note': note },
      },
      ...{ body: { note }, delay: 1000, retry: [1000], accept: [200], timeout: 1000, before: true },
      sign: {
        secret: 's3cret-s3cret',
        algorithm: 'sha512',
        header: 'x-sign',
        payload: note,
      },
    },
  },
  { fault: { type: 'dribble', duration: 1000 }, times: 'always', afterHandler: true },
];
const WEBHOOK_SCRIPT = ({ note }: On) => [
  {
    match: { method: 'POST', body: { note }, headers: { 'x-note': note } },
    ...{ lose: true, delay: 1000, repeat: 5, forge: 'signature', before: true },
  },
  { before: 1000 },
];
const EXPECTED = ({ note }: On) => [
  { operation: 'POST /momo/pay', method: 'POST', status: 200, body: { note }, times: 1 },
  { path: '/x', status: 402, reason: 'unknown-path', fault: 'reset', times: 1000 },
];
/** A call of each route, and one that is refused. */
const ROWS: Readonly<Record<keyof typeof ROUTES, Row>> = {
  'GET /': {},
  'GET /page/app.js': {},
  'GET /page/style.css': {},
  'GET /page/icon.svg': {},
  'GET /health': {},
  'GET /certificate': {},
  'GET /metrics': {},
  'GET /openapi.json': {},
  'GET /tls': {},
  'PUT /tls': {
    only: 'all',
    body: () => ({ mode: 'expired' }),
    bad: { body: ({ note }) => ({ mode: note }), status: 400 },
  },
  'GET /balance': {},
  'PUT /balance': {
    body: ({ note }) => ({ note, x: 1 }),
    status: 204,
    bad: { body: () => undefined, status: 400 },
  },
  'DELETE /balance': { status: 204 },
  'GET /variant': {},
  'PUT /variant': {
    body: () => ({ variant: 'empty' }),
    bad: { body: () => ({ variant: 'emty' }), status: 422 },
  },
  'DELETE /variant': { status: 204 },
  'GET /rate-limit': {},
  'PUT /rate-limit': {
    body: () => ({ limit: 1000, window: 1000 }),
    bad: { body: () => ({ limit: 0, window: 1000 }), status: 400 },
  },
  'DELETE /rate-limit': { status: 204 },
  'GET /responses': {},
  'PUT /responses': {
    body: SCRIPTED,
    bad: { body: () => [{ fault: 'rest', status: 200 }], status: 400 },
  },
  'POST /responses': {
    body: SCRIPTED,
    bad: { body: () => ({ operation: 'GET /momo/balanc' }), status: 422 },
  },
  'DELETE /responses': { status: 204 },
  'DELETE /responses/:id': {
    path: '/responses/1000',
    status: 404,
  },
  'GET /requests': {
    path: '/requests?method=POST&status=200',
    bad: { path: '/requests?status=200&waitFor=1000&timeout=1', status: 422 },
  },
  'DELETE /requests': { status: 204 },
  'GET /requests/:id': {
    path: '/requests/{request}',
    bad: { path: '/requests/1000', status: 404 },
  },
  'POST /verify': {
    body: ({ note }) => ({ method: 'POST', status: 200, body: { note } }),
    bad: { body: EXPECTED, status: 422 },
  },
  'POST /verify/webhooks': {
    body: ({ note }) => ({ method: 'POST', status: 200, body: { note } }),
    bad: {
      body: ({ note }) => ({ method: 'POST', reason: 'lost', body: { note }, times: 1000 }),
      status: 422,
    },
  },
  'POST /verify/used': { status: 422 },
  'GET /webhooks': {
    path: '/webhooks?status=200&waitFor=1',
    bad: { path: '/webhooks?reason=lost&waitFor=1000&timeout=1', status: 422 },
  },
  'DELETE /webhooks': { status: 204 },
  'POST /webhooks': {
    body: ({ app, note }) => ({ url: app.url, body: { note } }),
    bad: { body: () => ({ url: 'http://localhost', method: 'POTS' }), status: 400 },
  },
  'POST /webhooks/:id/send': {
    path: '/webhooks/{webhook}/send',
    bad: { path: '/webhooks/1000/send', status: 404 },
  },
  'GET /webhooks/script': {},
  'PUT /webhooks/script': {
    body: WEBHOOK_SCRIPT,
    bad: { body: () => [{ forge: 'signatur', lose: true }], status: 400 },
  },
  'POST /webhooks/script': {
    body: WEBHOOK_SCRIPT,
    bad: { body: () => [{ lsoe: true }], status: 400 },
  },
  'DELETE /webhooks/script': { status: 204 },
  'DELETE /webhooks/script/:id': { path: '/webhooks/script/1000', status: 404 },
  'GET /events': {},
  'GET /operations': {},
  'GET /operations/:name': {
    path: '/operations/GET%20%2Fmomo%2Fplain',
    bad: { path: '/operations/GET%20%2Fmomo%2Fbalanc', status: 422 },
  },
  'GET /state': {},
  'PATCH /state': {
    body: ({ note }) => ({ set: { number: 1000, [note]: note }, delete: ['late'] }),
    status: 204,
    bad: { body: () => ({ set: { number: 'x' } }), status: 422 },
  },
  'GET /state/*': {
    path: '/state/paid',
    only: 'account',
    bad: { path: '/state/number', status: 404 },
  },
  'PUT /state/*': {
    path: '/state/number',
    body: () => 1000,
    status: 204,
    bad: { path: '/state/number', body: ({ note }) => note, status: 422 },
  },
  'DELETE /state/*': { path: '/state/number', status: 204 },
  'GET /ledger': { only: 'account', bad: { only: 'all', status: 400 } },
  'GET /clock': {},
  'POST /clock': {
    body: () => ({ advance: 1000 }),
    bad: { body: () => ({ advance: -1000 }), status: 400 },
  },
  'POST /finish': {
    body: () => ({ operation: 'POST /momo/pay', method: 'POST', status: 200 }),
    bad: {
      path: '/finish?timeout=1',
      body: () => ({ operation: 'GET /momo/balance', status: 402 }),
      status: 422,
    },
  },
  'GET /prompts': { bad: { path: '/prompts?waitFor=1000&timeout=1', status: 422 } },
  'POST /prompts/:id': {
    path: '/prompts/{prompt}',
    body: () => ({ choice: 'agree' }),
    status: 204,
    bad: { path: '/prompts/{prompt}', body: () => ({ choice: 'agre' }), status: 400 },
  },
  'GET /accounts': {},
  'POST /accounts': {
    only: 'all',
    body: ({ note }) => ({ apiKey: 'created-by-a-test', state: { paid: note } }),
    status: 201,
    bad: { only: 'all', body: ({ keys: [apiKey] }) => ({ apiKey }), status: 409 },
  },
  'DELETE /accounts': { only: 'account', status: 204, bad: { only: 'all', status: 400 } },
  // It has keys, and no other route shows it.
  'GET /snapshot': { isSecret: true },
  'PUT /snapshot': {
    body: () => ({ version: 1000 }),
    status: 400,
  },
  'POST /reset': { status: 204 },
};

/** A mock whose keys are words, and another one. Nothing else differs. */
const servers = forSuite(async (over) =>
  Promise.all([WORDS, OTHERS].map((keys) => startServer(FILES, { API_KEYS: keys.join() }, over))),
);
const app = forSuite(async (over) => {
  for (;;) {
    const app = await startWebhook(200, over);
    // A URL with it in its port is text of a client with a key in it.
    if (!`${app.port}`.includes('1000')) return app;
  }
});

function onOf(mock: TestServer, index: number): On {
  const keys = [WORDS, OTHERS][index] ?? [];
  const [note, short] = [keys.filter(isLong).join(' '), keys.filter((key) => !isLong(key))];
  return { mock, app: app(), keys, note, short };
}

const ajv = new Ajv2020({ strict: false });
formats.default(ajv);

type Ids = Readonly<Record<string, number>>;

/** The mocks that nothing has changed since {@link fill}. */
const filled = new Map<TestServer, Ids>();

/** Does something of everything: for an account, and for all. Returns the ids. */
async function fill(on: On): Promise<Ids> {
  const { mock, app, note, short, keys } = on;
  const [apiKey = ''] = keys;
  const did = async (line: string, headers: Record<string, string>, body?: unknown) => {
    const { status, text, json } = await control(mock, line, sent(headers, body));
    expect(status, `${line} ${text}`).toBeLessThan(300);
    return json as Readonly<Record<string, { id: number }[]>>;
  };
  await did('POST /reset', {});
  for (const headers of [{}, { apikey: apiKey }]) {
    await did('POST /clock', headers, { freeze: true });
    await did('PUT /state/shared', headers, { note, short, [note]: 1 });
    await did('PUT /balance', headers, { note, short });
    await did('PUT /rate-limit', headers, { limit: 1000, window: 1000 });
  }
  const target = { url: mock.url, ca: mock.ca, apiKey };
  const query = `note=${encodeURIComponent(note)}`;
  const body = { url: `${app.url}?${query}`, note, short };
  const headers = { 'x-note': note, 'x-short': `${short[0]}` };
  await ask(target, `/momo/pay?${query}&short=${short[0]}`, { method: 'POST', body, headers });
  await ask(target);
  await ask({ ...target, apiKey: 'nobody' }, '/momo/pay', { method: 'POST' });
  await ask(target, `/other/${encodeURIComponent(note)}`, { method: 'POST', body });
  await did('POST /clock', {}, { advance: 1 });
  const { webhooks } = await did('GET /webhooks?waitFor=1', {});
  const { requests } = await did('GET /requests?waitFor=4&ended=true', {});
  const { prompts } = await did('GET /prompts', {});
  for (const headers of [{}, { apikey: apiKey }]) {
    await did('PUT /responses', headers, SCRIPTED(on));
    await did('PUT /webhooks/script', headers, WEBHOOK_SCRIPT(on));
  }
  const [request, webhook, prompt] = [requests, webhooks, prompts].map((all) => all?.[0]?.id ?? 0);
  return { request, webhook, prompt } as Ids;
}

function sent(headers: Record<string, string>, body: unknown): Sent {
  if (body === undefined) return { headers };
  return { headers: { ...AS_JSON, ...headers }, body: JSON.stringify(body) };
}

/** Without what differs from mock to mock: times, ports, folders and ids that count up. */
function plain(text: string, { folder }: TestServer): string {
  return (
    text
      .replaceAll(folder, 'folder')
      .replaceAll(/(?:\[redacted\](?: |%20|\+))+\[redacted\]/g, '[redacted]…')
      .replaceAll(/"(MOMO_MOCK_[A-Z]+_DIR)","value":"[^"]+"/g, '"$1"')
      // Of metrics: times and bytes.
      .replaceAll(/^((?:process|nodejs|\w+_seconds)_\S+) .*$/gm, '$1')
      .replaceAll(/20\d\d-\d\d-\d\dT[\d:.]+Z/g, 'time')
      .replaceAll(/"(webhookId|user-agent|connection)":"[^"]+"/g, '"$1":""')
      .replaceAll(/localhost:\d+/g, 'localhost')
      .replaceAll(/"(now|next|duration|id|time)":-?[\d.]+/g, '"$1":0')
      .replaceAll(/"ids":\[[\d,]*\]/g, '"ids":[]')
      .replaceAll(/\b(request|webhook) \d+,/g, '$1 0,')
  );
}

/** What a call shows and what is logged meanwhile. */
async function outcome(on: On, method: string, own: string, call: Call, isOfAccount: boolean) {
  const { mock, keys } = on;
  const ids = filled.get(mock) ?? (await fill(on));
  if (method === 'GET') filled.set(mock, ids);
  else filled.delete(mock);
  const path = (call.path ?? own).replace(/\{(\w+)\}/, (_, name) => `${ids[name]}`);
  const logged = mock.records.length;
  const response = await control(
    mock,
    `${method} ${path}`,
    sent(isOfAccount ? { apikey: `${keys[0]}` } : {}, call.body?.(on)),
  );
  const log = JSON.stringify(mock.records.slice(logged));
  return { response, text: plain(response.text, mock), log: plain(log, mock) };
}

const rows = Object.entries(ROWS).flatMap(([route, { bad, ...good }]) =>
  (['all', 'account'] as const).flatMap((target) =>
    [good, ...(bad === undefined ? [] : [bad])].flatMap((call) => {
      const { status = 200, only = target } = call;
      return only === target ? [{ route, target, status, call, isSecret: good.isSecret }] : [];
    }),
  ),
);

/** The schema of a response in the description of the API, which is the same for both mocks. */
async function check(mock: TestServer, route: string, { status, json, headers }: ReceivedResponse) {
  const { json: document } = await control(mock, 'GET /openapi.json');
  if (ajv.getSchema('api') === undefined) ajv.addSchema({ $id: 'api', ...(document as object) });
  const [method = '', path = ''] = route.replace('*', ':name').split(' ');
  const place = path.replaceAll(/:(\w+)/g, '{$1}').replaceAll('/', '~1');
  const at = `api#/paths/${encodeURIComponent(place)}/${method.toLowerCase()}/responses/${status}`;
  const { paths } = document as Document;
  const described = paths[path.replaceAll(/:(\w+)/g, '{$1}')]?.[method.toLowerCase()];
  if (described === undefined) return;
  expect(Object.keys(described.responses)).toContain(`${status}`);
  if (!headers['content-type']?.startsWith('application/json')) return;
  const validate = ajv.getSchema(`${at}/content/application~1json/schema`);
  expect(validate, at).toBeDefined();
  expect(validate?.(json), JSON.stringify(validate?.errors)).toBe(true);
}

it('every route has a row', () => {
  expect(Object.keys(ROWS).sort()).toEqual(Object.keys(ROUTES).sort());
});

it.each(rows)(
  'a key that is a word changes nothing else than what a client wrote: $route, $status, for $target',
  async ({ route, target, status, call, isSecret }) => {
    const [method = '', own = ''] = route.split(' ');
    const [words, others] = await Promise.all(
      servers().map(async (mock, index) => {
        const result = await outcome(onOf(mock, index), method, own, call, target === 'account');
        expect(result.response.status, result.text).toBe(status);
        await check(mock, route, result.response);
        return result;
      }),
    );
    if (isSecret) return;
    expect(words?.text).toBe(others?.text);
    expect(words?.log).toBe(others?.log);
    // A certificate is random.
    const shown = `${others?.text}${others?.log}`.replace(/-----BEGIN[^-]+/g, '');
    expect(shown).not.toMatch(/zzz/);
  },
);

it('a key that is a word changes no event', async () => {
  const [words, others] = await Promise.all(
    servers().map(async (mock, index) => {
      const on = onOf(mock, index);
      await fill(on);
      using events = await followEvents(mock);
      await events.until('\n\n');
      const target = { url: mock.url, ca: mock.ca, apiKey: `${on.keys[0]}` };
      await ask(target, `/momo/plain?note=${encodeURIComponent(on.note)}`);
      const text = await events.until('"ended":true');
      // It may also have the beginning of the request.
      const ended = text.split('\n').filter((line) => line.includes('"ended":true'));
      return plain(ended.join('\n'), mock);
    }),
  );
  expect(words).toContain('"operation":"GET /momo/plain"');
  expect(words).toBe(others);
});

import { expect, it } from 'vitest';
import { ask } from '../support/client.ts';
import { forSuite, startMock, type TestMock } from '../support/mock.ts';
import { connectMomoMock, type MomoAccount, type MomoScope } from '../support/momo-mock.ts';
import type { ROUTES } from '../support/program.ts';
import { startWebhook, type Webhook } from '../support/webhook.ts';

/** A configured key, which nothing may show. */
const KEY = 'sekret-of-a-test';

const FILES = {
  'momo/pay.post.js': `export default async ({ body }, { state, webhook, prompt, after }) => {
    await state.set('paid', body);
    webhook({ url: body.url, body });
    prompt({ title: 'a', text: body.note, choices: ['approve'] }, () => {});
    after(60_000, () => state.set('late', body));
  };`,
  'momo/balance.get.empty.json': '{"balance":[]}',
  'state.schema.json': '{"properties":{"number":{"type":"number"}}}',
  'drill.js': `export default {
    flows: { payment: {
      start: ['POST /pay'], status: [], amounts: { XOF: [5] }, lost: 'unknown',
      ends: { success: { phone: '1' } },
    } },
    ledger: (state) => state.get('entries'),
  };`,
};
const LEDGER = [
  ...[{ id: KEY, kind: 'payment', of: null, amount: 5, currency: 'XOF', party: KEY, order: null }],
].map((entry) => ({ ...entry, state: 'success', time: '2026-11-25T12:00:00.000Z' }));

/** What a call is made on: a mock, or one account of it. */
interface On {
  readonly scope: MomoScope;
  readonly mock: TestMock;
  readonly account: MomoAccount;
  readonly app: Webhook;
}

/** A call, and the code of its error. */
type Refused = readonly [call: (on: On) => Promise<unknown>, code: string];

interface Row {
  /** The method of the library that calls the route. */
  readonly good: (on: On) => Promise<unknown>;
  readonly bad?: Refused;
  /** Whether there is a call for all accounts, one for an account, or both. @default both */
  readonly only?: 'mock' | 'account';
}

const REQUEST = 'MOMO_MOCK_REQUEST_INVALID';
const NOT_VERIFIED = 'MOMO_MOCK_NOT_VERIFIED';
const UNKNOWN = { name: 'unknown' } as never;
const refuse = (method: keyof MomoScope, ...given: unknown[]): Refused => [
  ({ scope }) => (scope[method] as (...all: unknown[]) => Promise<unknown>)(...given),
  REQUEST,
];

/** What the library calls each route with; `null` if it has no method for it. */
const ROWS: Readonly<Record<keyof typeof ROUTES, Row | null>> = {
  'PUT /balance': {
    good: ({ scope }) => scope.setBalance({ note: KEY, amount: '7.00' }),
    bad: refuse('setBalance', () => {}),
  },
  'DELETE /balance': { good: ({ scope }) => scope.clearBalance() },
  'PUT /variant': {
    good: ({ scope }) => scope.setVariant('empty'),
    bad: [({ scope }) => scope.setVariant(KEY), 'MOMO_MOCK_VARIANT_UNKNOWN'],
  },
  'DELETE /variant': { good: ({ scope }) => scope.setVariant(undefined) },
  'PUT /rate-limit': {
    good: ({ scope }) => scope.setRateLimit({ limit: 9, window: 60_000 }),
    bad: refuse('setRateLimit', UNKNOWN),
  },
  'DELETE /rate-limit': { good: ({ scope }) => scope.setRateLimit(undefined) },
  'POST /responses': {
    good: ({ scope }) => scope.respondWith([{ status: 503, body: KEY }, { fault: 'reset' }]),
    bad: [
      ({ scope }) => scope.respondWith({ operation: `GET /${KEY}` }),
      'MOMO_MOCK_OPERATION_UNKNOWN',
    ],
  },
  'GET /responses': { good: ({ scope }) => scope.responses() },
  'DELETE /responses': { good: ({ scope }) => scope.clearResponses() },
  'GET /requests': {
    good: ({ scope }) => scope.requests({ operation: 'POST /momo/pay', waitFor: 1, limit: 5 }),
    bad: refuse('requests', 5),
  },
  'DELETE /requests': { good: ({ scope }) => scope.clearRequests() },
  'POST /verify': {
    good: ({ scope }) => scope.verify({ exactly: [{ method: 'POST', body: { note: KEY } }] }),
    bad: [({ scope }) => scope.verify({ path: `/${KEY}`, times: 2 }), NOT_VERIFIED],
  },
  'POST /verify/webhooks': {
    good: ({ scope }) => scope.verifyWebhooks({ body: { note: KEY } }),
    bad: [({ scope }) => scope.verifyWebhooks([{ body: { note: KEY } }, {}]), NOT_VERIFIED],
  },
  'POST /verify/used': {
    good: ({ scope }) => scope.clearResponses().then(() => scope.verifyUsed()),
    bad: [({ scope }) => scope.verifyUsed(), NOT_VERIFIED],
  },
  'GET /webhooks': {
    good: ({ scope }) => scope.webhooks({ waitFor: 1, status: 200 }),
    bad: [({ scope }) => scope.webhooks({ waitFor: 9, timeout: 1 }), NOT_VERIFIED],
  },
  'DELETE /webhooks': { good: ({ scope }) => scope.clearWebhooks() },
  'POST /webhooks': {
    good: ({ scope, app }) => scope.sendWebhook({ url: app.url, body: { note: KEY } }),
    bad: refuse('sendWebhook', { ulr: KEY }),
  },
  'PUT /webhooks/script': {
    good: ({ scope }) => scope.scriptWebhooks([{ lose: true, match: { body: { note: KEY } } }]),
    bad: refuse('scriptWebhooks', [{ loose: KEY }]),
  },
  'GET /webhooks/script': { good: ({ scope }) => scope.webhookScript() },
  'DELETE /webhooks/script': { good: ({ scope }) => scope.clearWebhookScript() },
  'GET /state': { good: ({ scope }) => scope.state.list() },
  'GET /state/*': {
    good: ({ scope }) => scope.state.get('shared'),
    bad: [({ mock }) => mock.state.get('paid'), 'MOMO_MOCK_STATE_IN_ACCOUNT'],
  },
  'PATCH /state': {
    good: ({ scope }) => scope.state.transaction((draft) => draft.set('a/b', { note: KEY })),
    bad: [({ scope }) => scope.state.set('number', KEY), 'MOMO_MOCK_STATE_INVALID'],
  },
  'GET /ledger': {
    good: ({ account }) =>
      account.state.set('entries', LEDGER).then(async () => await account.ledger()),
    bad: [
      ({ account }) => account.state.set('entries', KEY).then(() => account.ledger()),
      'MOMO_MOCK_FIXTURE_INVALID',
    ],
    only: 'account',
  },
  'GET /clock': { good: ({ scope }) => scope.clock() },
  'POST /clock': {
    good: ({ scope }) => scope.advance(60_000),
    bad: refuse('advance', -1),
  },
  'POST /finish': {
    good: ({ scope }) => scope.finish({ path: '/momo/pay' }),
    bad: [({ scope }) => scope.finish({ path: `/${KEY}`, timeout: 1 }), NOT_VERIFIED],
  },
  'GET /prompts': { good: ({ scope }) => scope.prompts(), bad: refuse('prompts', { wait: KEY }) },
  'POST /prompts/:id': {
    good: async ({ scope }) => {
      const [{ id } = { id: 0 }] = await scope.prompts({ waitFor: 1 });
      await scope.answerPrompt(id, 'approve');
    },
    bad: [({ scope }) => scope.answerPrompt(999, KEY), 'MOMO_MOCK_PROMPT_UNKNOWN'],
  },
  'POST /accounts': {
    good: async ({ mock }) => (await mock.createAccount({ apiKey: 'new', state: { a: KEY } })).id,
    bad: [({ mock }) => mock.createAccount({ apiKey: KEY }), 'MOMO_MOCK_ACCOUNT_EXISTS'],
    only: 'mock',
  },
  'DELETE /accounts': {
    good: ({ account }) => account.remove(),
    bad: [({ mock }) => mock.account().remove(), REQUEST],
    only: 'account',
  },
  'PUT /tls': {
    good: ({ mock }) => mock.setTls('expired'),
    bad: [({ mock }) => mock.setTls(KEY as never), REQUEST],
    only: 'mock',
  },
  'GET /snapshot': { good: ({ scope }) => scope.snapshot() },
  'PUT /snapshot': {
    good: async ({ scope }) => {
      const snapshot = await scope.snapshot();
      await scope.setBalance({ balance: 1 });
      await scope.restore(snapshot);
    },
    bad: refuse('restore', { [KEY]: 1 }),
  },
  'POST /reset': { good: ({ scope }) => scope.reset() },
  'GET /': null,
  'GET /page/app.js': null,
  'GET /page/style.css': null,
  'GET /page/icon.svg': null,
  'GET /health': null,
  'GET /certificate': null,
  'GET /metrics': null,
  'GET /openapi.json': null,
  'GET /events': null,
  'GET /operations': null,
  'GET /operations/:name': null,
  'GET /accounts': null,
  'GET /balance': null,
  'GET /variant': null,
  'GET /rate-limit': null,
  'GET /tls': null,
  'GET /requests/:id': null,
  'PUT /responses': null,
  'DELETE /responses/:id': null,
  'PUT /state/*': null,
  'DELETE /state/*': null,
  'POST /webhooks/script': null,
  'DELETE /webhooks/script/:id': null,
  'POST /webhooks/:id/send': null,
};

/** One mock in this process, and a connection to another one. */
const mocks = forSuite(async (over) => {
  const start = () => startMock(FILES, { control: true, apiKeys: ['good', KEY] }, over);
  const [local, { controlUrl, folder }] = await Promise.all([start(), start()]);
  const remote = await connectMomoMock(`${controlUrl}`, { apiKey: 'good' });
  over(() => remote.close());
  return [local, Object.assign(remote, { folder })];
});
const app = forSuite((over) => startWebhook(200, over));

const rows = Object.entries(ROWS).flatMap(([route, row]) =>
  (['mock', 'account'] as const).flatMap((target) =>
    row === null || (row.only ?? target) !== target ? [] : [{ route, target, ...row }],
  ),
);

/** What a call returns or throws. */
async function outcome(call: Promise<unknown> | undefined): Promise<unknown> {
  return await call?.then(
    (value = null) => ({ value }),
    ({ name, code, message }) => ({ name, code, message }),
  );
}

it.each(rows)(
  'a call does the same over HTTP and in process: $route, for one $target',
  async (row) => {
    const [local, remote] = await Promise.all(
      mocks().map(async (mock) => {
        await mock.reset();
        const account = await mock.createAccount({ apiKey: 'created', state: { own: 1 } });
        const scope = row.target === 'mock' ? mock : account;
        await mock.freeze();
        await mock.state.set('shared', { note: KEY });
        const body = { url: app().url, note: KEY };
        await ask(account, '/momo/pay', { method: 'POST', body, headers: { 'x-note': KEY } });
        await scope.respondWith({ status: 202 });
        await scope.advance(1);
        await account.webhooks({ waitFor: 1, status: 200 });
        const on = { scope, mock, account, app: app() };
        const all = {
          bad: await outcome(row.bad?.[0](on)),
          good: await outcome(row.good(on)),
          after: await outcome(mock.snapshot()),
          requests: await outcome(scope.requests()),
        };
        return shown(all, mock);
      }),
    );
    expect(remote).toEqual(local);
    if (row.bad !== undefined) expect(local?.bad).toMatchObject({ code: row.bad[1] });
    expect(local?.good).toHaveProperty('value');
    expect(JSON.stringify(local)).not.toContain(KEY);
  },
);

/** Without what differs from mock to mock: times, ports, folders and ids that count up. */
function shown(outcomes: Record<string, unknown>, { folder }: TestMock): Record<string, unknown> {
  const text = JSON.stringify(outcomes)
    .replaceAll(folder, 'folder')
    .replaceAll(/20\d\d-\d\d-\d\dT[\d:.]+Z/g, 'time')
    .replaceAll(/"(webhookId|mock|id)":"[^"]{36}"/g, '"$1":""')
    .replaceAll(/localhost:\d+/g, 'localhost')
    .replaceAll(/"(now|next|duration|offset|frozenAt|id)":-?[\d.]+/g, '"$1":0');
  return JSON.parse(text);
}

import type { FastifyInstance, InjectOptions } from 'fastify';
import { expect, onTestFinished } from 'vitest';
import { type ControlAppOptions, createControlApp } from '../../src/control/app.ts';
import type { Controlled } from '../../src/control/route.ts';
import { createLogger } from '../../src/logger.ts';
import { Account } from '../../src/mock/accounts.ts';
import type { CallbackAttempt } from '../../src/mock/callbacks/callback-attempt.ts';
import { decide, decideBeforeKeyCheck } from '../../src/mock/decide.ts';
import { Mock } from '../../src/mock/mock.ts';
import type { FixtureTree, Operation } from '../../src/mock/operation.ts';
import type { TlsSwitch } from '../../src/tls/tls-switch.ts';
import { EMPTY_TREE } from '../mock/empty-tree.ts';
import { segmentsOf } from '../mock/segments-of.ts';
import { type Controller, controllerOf } from '../support/running-mock.ts';

/** What a control API without sockets answered. */
export interface Reply {
  readonly status: number;
  readonly headers: Readonly<Record<string, unknown>>;
  readonly body: string;
  /** The body, parsed; `undefined` where it is empty. */
  readonly json: unknown;
}

/** A control API over a mock, both without sockets. */
export interface ControlApp {
  readonly app: FastifyInstance;
  readonly mock: Mock;
  readonly controller: Controller;
  readonly records: Record<string, unknown>[];
  /** Sends a request, `PUT /balance` for example; an object as its body goes as JSON. */
  readonly send: (request: string, options?: SendOptions) => Promise<Reply>;
  /** What the service answers to a key. */
  readonly ask: (key: string) => { status: number; body: string };
}

interface SendOptions {
  readonly headers?: Record<string, string>;
  /** Text goes as it is. */
  readonly body?: unknown;
}

function operation(method: string, template: string, text: string): Operation {
  const at = (body: string, file: string) => {
    return { status: 200, headers: {}, body: Buffer.from(body), file };
  };
  return {
    method,
    name: `${method} ${template}`,
    template,
    segments: segmentsOf(template),
    default: at(text, 'default.json'),
    variants: new Map([['empty', at('{"balance":[]}', 'empty.json')]]),
  };
}

/** The balance's bodies must have a `balance`. */
const TREE: FixtureTree = {
  ...EMPTY_TREE,
  operations: [
    {
      ...operation('GET', '/momo/balance', '{"balance":[1]}'),
      schema: {
        file: 'balance.get.schema.json',
        schema: {},
        validate: (body) =>
          Object.hasOwn(Object(body), 'balance') ? [] : ["/ must have 'balance'"],
      },
    },
    operation('GET', '/momo/status/:reference', '{"status":"PENDING"}'),
  ],
};

/** What the control API shows of the mock, its certificate and its settings. */
export const OVERVIEW = {
  version: '1.2.3',
  startedAt: '2026-11-22T00:00:00.000Z',
  url: 'https://localhost:8443',
  certificate: { expiresAt: '2027-01-01T00:00:00.000Z', names: ['localhost'], file: null },
  settings: [],
};

/** Makes a control API over a mock with the keys `alice-key`, `bob-key` and `zoë-key`. */
export async function controlApp(
  options: Partial<ControlAppOptions & Controlled> = {},
): Promise<ControlApp> {
  const records: Record<string, unknown>[] = [];
  const keys = [{ key: 'alice-key' }, { key: 'bob-key' }, { key: 'zoë-key' }];
  // An application that responds to a callback as its URL says.
  const sendCallback = async ({ url }: CallbackAttempt) => {
    return { status: Number(url.searchParams.get('status') ?? 200) };
  };
  const mock = new Mock({ keys, tree: TREE, journalSize: 100, sendCallback });
  const controller = controllerOf(mock);
  const stream = { write: (line: string) => void records.push(JSON.parse(line)) };
  const app = await createControlApp({
    controlled: controlledOf(mock, options),
    version: '1.2.3',
    hosts: [],
    logger: await createLogger({ level: 'trace', stream }),
    token: options.token,
  });
  onTestFinished(() => app.close());
  const send = async (request: string, { headers = {}, body }: SendOptions = {}) => {
    const [method, url] = request.split(' ') as [NonNullable<InjectOptions['method']>, string];
    const hasBody = body !== undefined;
    const reply = await app.inject({
      method,
      url,
      headers: {
        host: 'localhost:8480',
        ...(hasBody && { 'content-type': 'application/json' }),
        ...headers,
      },
      ...(hasBody && { payload: typeof body === 'string' ? body : JSON.stringify(body) }),
    });
    const type = `${reply.headers['content-type']}`;
    const isJson = type.startsWith('application/json') && reply.body !== '';
    return {
      status: reply.statusCode,
      headers: reply.headers,
      body: reply.body,
      json: isJson ? reply.json() : undefined,
    };
  };
  const ask = (key: string) => {
    const account = mock.accounts.find([['apikey', key]], {});
    const [balance] = TREE.operations as [Operation];
    const { service } = mock;
    const { errors } = TREE;
    const early = decideBeforeKeyCheck({ operation: balance, service, errors });
    const decided =
      account instanceof Account && decide({ operation: balance, service, account, errors });
    if (decided && 'handler' in decided) throw new Error('a handler decides');
    const { answer } = early ?? (decided || { answer: mock.error(401) });
    return { status: answer.status, body: answer.body.toString() };
  };
  return { app, mock, controller, records, send, ask };
}

/** What the control API shows and changes. */
export function controlledOf(mock: Mock, options: Partial<Controlled> = {}): Controlled {
  let mode = 'normal';
  const tls = {
    get mode() {
      return mode;
    },
    set: async (wanted: string) => {
      mode = wanted;
    },
  };
  return {
    mock,
    tls: tls as unknown as TlsSwitch,
    overview: () => OVERVIEW,
    pageFolder: '/no-such-folder',
    health: () => ({
      ready: true,
      version: '1.2.3',
      url: 'https://localhost:8443',
      operations: [],
      certificate: { expiresAt: '2027-01-01T00:00:00.000Z' },
      logDropped: 0,
      uncaughtErrors: 0,
    }),
    pem: 'PEM',
    reset: async (key) => {
      mock.reset(key);
      if (key === undefined) mode = 'normal';
    },
    ...options,
  };
}

/** The error of a refused request, with its code. */
export function refused(status: number, code: string, message: unknown = expect.any(String)) {
  return { status, json: { error: { code, message } } };
}

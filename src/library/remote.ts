import { once } from 'node:events';
import http, { type IncomingMessage } from 'node:http';
import https from 'node:https';
import { text } from 'node:stream/consumers';
import { toUSVString } from 'node:util';
import { SHARED_STATUSES } from '../control/control-error.ts';
import type { Routes } from '../control/routes.ts';
import { closed, MomoMockError } from '../errors.ts';
import { parseExact, writeJson } from '../mock/json/exact-json.ts';
import { MAX_STATE_ATTEMPTS } from '../mock/limits.ts';
import { REDACTED } from '../mock/redaction/redaction.ts';
import type { MomoState } from '../mock/state/state.ts';
import {
  isName,
  type StateLayer,
  stateInAccount,
  stateInvalid,
} from '../mock/state/state-values.ts';
import { Draft, synchronous } from '../mock/state/state-view.ts';
import type { MomoVerifyOptions } from '../mock/verify/expectation.ts';
import type { Ask } from './client.ts';

/** Trailing slashes of a URL or path. The lookbehind keeps the search linear. */
export const END_SLASHES = /(?<!\/)\/+$/;

interface RemoteCall extends Ask<keyof Routes> {
  readonly ifMatch?: string | undefined;
}

/** In ms. A running mock responds much faster. */
const MAX_CALL = 30_000;

export type RemoteControl = ReturnType<typeof remoteControl>;

/**
 * Calls the control API of a mock that runs elsewhere. Each call uses a new connection, because the
 * server could close an idle one just as the next call starts. `fetch` would give up after 300 s.
 */
export function remoteControl(base: URL, token: string | undefined) {
  const closing = new AbortController();

  const unreachable = (why: string, cause?: unknown): MomoMockError => {
    const text = `Failed to use the control API at ${base.origin}: ${why}`;
    return new MomoMockError('MOMO_MOCK_CONTROL_UNREACHABLE', text, { cause });
  };

  const notMomoMock = (): MomoMockError =>
    unreachable('another program responds there. Use the URL of a control API.');

  /** Parses a JSON object or list. Empty text is an empty object. */
  const jsonOf = (
    text: string,
    parse: (text: string) => unknown = JSON.parse,
  ): Readonly<Record<string, unknown>> => {
    try {
      const value = parse(text || '{}');
      if (typeof value === 'object' && value !== null) return value as Record<string, unknown>;
    } catch {
      // The message below is enough for a body that is not JSON.
    }
    throw notMomoMock();
  };

  const request = async (route: string, call: RemoteCall) => {
    const { apiKey, params = {}, query = {}, json, ifMatch, wait = 0 } = call;
    const [method = '', given = ''] = route.split(' ');
    const path = given.replace(/:(\w+)/g, (_, name) => encodeURIComponent(params[name] ?? ''));
    const url = new URL(base);
    url.pathname = url.pathname.replace(END_SLASHES, '') + path;
    for (const [name, value] of Object.entries(query)) {
      if (value !== undefined) url.searchParams.set(name, String(value));
    }
    const limit = MAX_CALL + wait + ((query as MomoVerifyOptions).timeout ?? 0);
    const timeout = AbortSignal.timeout(limit);
    try {
      const client = url.protocol === 'https:' ? https : http;
      const sent = client.request(url, {
        method,
        agent: false,
        headers: {
          ...(token !== undefined && { authorization: `Bearer ${token}` }),
          ...(apiKey !== undefined && { apikey: apiKey }),
          ...(json !== undefined && { 'content-type': 'application/json' }),
          ...(ifMatch !== undefined && { 'if-match': ifMatch }),
        },
        signal: AbortSignal.any([closing.signal, timeout]),
      });
      // Once there is a response, it reports the errors too.
      sent.on('error', () => {});
      sent.end(json);
      const [response] = (await once(sent, 'response')) as [IncomingMessage];
      const { statusCode: status = 0, headers } = response;
      return { status, text: await text(response), etag: headers.etag };
    } catch (error) {
      if (closing.signal.aborted) throw closed();
      const advice = 'Check that momo-mock is running and its control API is on.';
      const { code, message } = error as NodeJS.ErrnoException;
      // Node's HTTP parser does not understand the response.
      if (code?.startsWith('HPE_')) throw notMomoMock();
      const why = timeout.aborted ? `no response in ${limit / 1000} s` : (code ?? message);
      throw unreachable(`${why}. ${advice}`, error);
    }
  };

  const call = async (route: string, given: RemoteCall = {}) => {
    const { status, text, etag } = await request(route, given);
    if (status >= 200 && status < 300) return { text, etag, isInAccount: false };
    if (status === 401) {
      const problem = token === undefined ? 'the token is missing' : 'the token is wrong';
      throw unreachable(`${problem}. Set the option token to its MOMO_MOCK_CONTROL_TOKEN.`);
    }
    const { error } = jsonOf(text) as { error?: { code?: string; message?: string } };
    const { code = '', message = '' } = error ?? {};
    // Only the caller knows what these codes mean: there is no value.
    if (code === 'MOMO_MOCK_STATE_UNKNOWN') return { text: '', etag, isInAccount: false };
    if (code === 'MOMO_MOCK_STATE_IN_ACCOUNT') return { text: '', etag, isInAccount: true };
    if (Object.hasOwn(SHARED_STATUSES, code)) {
      throw new MomoMockError(code as keyof typeof SHARED_STATUSES, message);
    }
    throw /^MOMO_MOCK_/.test(code) ? unreachable(`${code}. ${message}`) : notMomoMock();
  };

  return { call, jsonOf, notMomoMock, close: () => closing.abort() };
}

interface StateRead {
  readonly values: StateLayer;
  readonly etag?: string | undefined;
  /** Whether only the state of an account has the value. */
  readonly isInAccount?: boolean;
}

/**
 * The state of a mock that runs elsewhere. `update` and `transaction` run their functions here, on
 * the result of one call. Another call writes the changes, unless the state changed in between.
 */
export class RemoteState implements MomoState {
  readonly #control: RemoteControl;
  readonly #apiKey: string | undefined;
  #last: Promise<unknown> = Promise.resolve();

  constructor(control: RemoteControl, apiKey?: string) {
    this.#control = control;
    this.#apiKey = apiKey;
  }

  async get<Value>(name: string): Promise<Value | undefined> {
    const { values, isInAccount } = await this.#inTurn(() => this.#readOne(name));
    if (isInAccount) throw stateInAccount();
    return new Draft([values]).get(name);
  }

  async list<Value>(prefix = ''): Promise<Record<string, Value>> {
    const { values } = await this.#inTurn(() => this.#readAll(prefix));
    return new Draft([values]).list(prefix);
  }

  async set(name: string, value: unknown): Promise<void> {
    await this.#change((draft) => draft.set(name, value));
  }

  async delete(name: string): Promise<void> {
    await this.#change((draft) => draft.delete(name));
  }

  async update<Value>(name: string, change: (value: Value) => unknown): Promise<Value> {
    const work = (draft: Draft) => draft.update(name, change);
    return await this.#transact(() => this.#readOne(name), work);
  }

  async transaction<Result>(work: (draft: Draft) => Result): Promise<Result> {
    return await this.#transact(() => this.#readAll(), work);
  }

  async #change(work: (draft: Draft) => void): Promise<void> {
    const draft = new Draft([]);
    work(draft);
    await this.#inTurn(() => this.#write(draft.changes));
  }

  async #transact<Result>(
    read: () => Promise<StateRead>,
    work: (draft: Draft) => Result,
  ): Promise<Result> {
    return await this.#inTurn(async () => {
      for (let attempt = 1; attempt <= MAX_STATE_ATTEMPTS; attempt++) {
        const since = await read();
        const draft = new Draft([since.values]);
        const result = synchronous(work(draft));
        if (await this.#write(draft.changes, since)) return result;
      }
      const most = MAX_STATE_ATTEMPTS.toLocaleString('en');
      const text = `Failed to write the state: other calls changed it during each of ${most} attempts. Freeze the clock or stop the requests that change it, and try again.`;
      throw new MomoMockError('MOMO_MOCK_STATE_CHANGED', text);
    });
  }

  /** Runs calls one after the other, so that this process does not fail its own writes. */
  #inTurn<Result>(call: () => Promise<Result>): Promise<Result> {
    const done = this.#last.then(call);
    this.#last = done.catch(() => {});
    return done;
  }

  async #readAll(prefix = ''): Promise<StateRead> {
    const call = { apiKey: this.#apiKey, query: { prefix } };
    const { text, etag, isInAccount } = await this.#control.call('GET /state', call);
    if (isInAccount) throw stateInAccount();
    const values = Object.entries(this.#control.jsonOf(text, parseExact));
    return { values: new Map(values.map(([name, value]) => [name, writeJson(value)])), etag };
  }

  async #readOne(name: string): Promise<StateRead> {
    if (!isName(name)) return { values: new Map() };
    const call = { apiKey: this.#apiKey };
    const { text, ...read } = await this.#control.call(`GET ${pathOf(name)}`, call);
    return { ...read, values: new Map(text === '' ? [] : [[name, text]]) };
  }

  /** @returns whether the changes were written, or there are none */
  async #write(changes: StateLayer, since?: StateRead): Promise<boolean> {
    const json = changeOf(changes, since?.values);
    if (json === undefined) return true;
    try {
      const call = { apiKey: this.#apiKey, json, ifMatch: since?.etag };
      await this.#control.call('PATCH /state', call);
      return true;
    } catch (error) {
      if ((error as MomoMockError).code === 'MOMO_MOCK_STATE_CHANGED') return false;
      throw error;
    }
  }
}

/** `undefined` if there are no changes. A redacted value that is written back is not one. */
function changeOf(layer: StateLayer, before?: StateLayer): string | undefined {
  const changes = [...layer].filter(
    ([name, json]) => !(json?.includes(REDACTED) && json === before?.get(name)),
  );
  if (changes.length === 0) return undefined;
  const set = changes.flatMap(([name, json]) => (json === null ? [] : [[name, parseExact(json)]]));
  const removed = changes.flatMap(([name, json]) => (json === null ? [name] : []));
  return writeJson({ set: Object.fromEntries(set), delete: removed });
}

/** The path of a value. Slashes are escaped, so that `..` is an ordinary part of a name. */
function pathOf(name: string): string {
  const hasLoneSurrogate = toUSVString(name) !== name;
  if (!hasLoneSurrogate && !/^\.\.?$/.test(name)) return `/state/${encodeURIComponent(name)}`;
  throw stateInvalid('a URL cannot contain this name. Use another name');
}

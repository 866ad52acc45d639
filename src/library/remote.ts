import { once } from 'node:events';
import http, { type IncomingMessage } from 'node:http';
import https from 'node:https';
import { text } from 'node:stream/consumers';
import { toUSVString } from 'node:util';
import { SHARED_STATUSES } from '../control/control-error.ts';
import type { Routes } from '../control/routes.ts';
import { closed, MomoMockError } from '../errors.ts';
import { parseExact, writeJson } from '../mock/exact-json.ts';
import { REDACTED } from '../mock/redaction/redaction.ts';
import {
  type StateLayer,
  type StateRead,
  StateSource,
  type Wanted,
} from '../mock/state/state-source.ts';
import { isName, stateInvalid } from '../mock/state/state-values.ts';
import type { Ask } from './client.ts';

/** Trailing slashes of a URL or path. The lookbehind keeps the search linear. */
export const END_SLASHES = /(?<!\/)\/+$/;

interface RemoteCall extends Ask<keyof Routes> {
  /** The `ETag` of the state to change. */
  readonly ifMatch?: string | undefined;
}

interface Received {
  readonly text: string;
  readonly etag: string | undefined;
}

/** The time limit of a call, in ms. A running mock responds much faster. */
const MAX_CALL = 30_000;

/**
 * Calls the control API of a mock that runs elsewhere. Each call uses a new connection, because the
 * server could close an idle one just as the next call starts. `fetch` would give up after 300 s.
 */
export class RemoteControl {
  readonly #url: URL;
  readonly #token: string | undefined;
  readonly #closed = new AbortController();

  constructor(url: URL, token: string | undefined) {
    this.#url = url;
    this.#token = token;
  }

  /**
   * @param route method and path, such as `PUT /variant`
   * @throws MomoMockError with the code from the control API, `MOMO_MOCK_CONTROL_UNREACHABLE`,
   *   `MOMO_MOCK_CLOSED`
   */
  async call(route: string, call: RemoteCall = {}): Promise<Received> {
    const { status, text, etag } = await this.#request(route, call);
    if (status >= 200 && status < 300) return { text, etag };
    if (status === 401) {
      const problem = this.#token === undefined ? 'the token is missing' : 'the token is wrong';
      throw this.#unreachable(`${problem}. Set the option token to its MOMO_MOCK_CONTROL_TOKEN.`);
    }
    const { error } = this.jsonOf(text) as { error?: { code?: string; message?: string } };
    const { code = '', message = '' } = error ?? {};
    if (Object.hasOwn(SHARED_STATUSES, code)) {
      throw new MomoMockError(code as keyof typeof SHARED_STATUSES, message);
    }
    // Only the caller knows what this code means: there is no value.
    if (code === 'MOMO_MOCK_STATE_UNKNOWN') return { text: '', etag };
    throw /^MOMO_MOCK_/.test(code) ? this.#unreachable(`${code}. ${message}`) : this.notMomoMock();
  }

  /** Parses a JSON object or list. Empty text is an empty object. */
  jsonOf(
    text: string,
    parse: (text: string) => unknown = JSON.parse,
  ): Readonly<Record<string, unknown>> {
    try {
      const value = parse(text || '{}');
      if (typeof value === 'object' && value !== null) return value as Record<string, unknown>;
    } catch {
      // The message below is enough for a body that is not JSON.
    }
    throw this.notMomoMock();
  }

  /** Aborts the running calls. Every later call fails. */
  close(): void {
    this.#closed.abort();
  }

  async #request(route: string, call: RemoteCall): Promise<Received & { status: number }> {
    const [method = '', path = ''] = route.split(' ');
    const { apikey, query = {}, json, ifMatch, wait = 0 } = call;
    const url = new URL(this.#url);
    url.pathname = url.pathname.replace(END_SLASHES, '') + path;
    for (const [name, value] of Object.entries(query)) {
      if (value !== undefined) url.searchParams.set(name, String(value));
    }
    const timeout = AbortSignal.timeout(MAX_CALL + wait);
    try {
      const { request } = url.protocol === 'https:' ? https : http;
      const sent = request(url, {
        method,
        agent: false,
        headers: {
          ...(this.#token !== undefined && { authorization: `Bearer ${this.#token}` }),
          ...(apikey !== undefined && { apikey }),
          ...(json !== undefined && { 'content-type': 'application/json' }),
          ...(ifMatch !== undefined && { 'if-match': ifMatch }),
        },
        signal: AbortSignal.any([this.#closed.signal, timeout]),
      });
      // Once there is a response, it reports the errors too.
      sent.on('error', () => {});
      sent.end(json);
      const [response] = (await once(sent, 'response')) as [IncomingMessage];
      const { statusCode: status = 0, headers } = response;
      return { status, text: await text(response), etag: headers.etag };
    } catch (error) {
      if (this.#closed.signal.aborted) throw closed();
      const advice = 'Check that momo-mock is running and its control API is on.';
      const { code, message } = error as NodeJS.ErrnoException;
      // Node's HTTP parser does not understand the response.
      if (code?.startsWith('HPE_')) throw this.notMomoMock();
      const why = timeout.aborted
        ? `no response in ${(MAX_CALL + wait) / 1000} s`
        : (code ?? message);
      throw this.#unreachable(`${why}. ${advice}`, error);
    }
  }

  /** The error for a response from another program. */
  notMomoMock(): MomoMockError {
    return this.#unreachable('another program responds there. Use the URL of a control API.');
  }

  #unreachable(why: string, cause?: unknown): MomoMockError {
    const text = `Failed to use the control API at ${this.#url.origin}: ${why}`;
    return new MomoMockError('MOMO_MOCK_CONTROL_UNREACHABLE', text, { cause });
  }
}

/**
 * The state of a mock that runs elsewhere. `update` and `transaction` run their functions here, on
 * the result of one call. Another call writes the changes, unless the state changed in between.
 */
export class RemoteSource extends StateSource {
  readonly #control: RemoteControl;
  readonly #apikey: string | undefined;

  constructor(control: RemoteControl, apikey?: string) {
    super();
    this.#control = control;
    this.#apikey = apikey;
  }

  async read({ name, prefix = '' }: Wanted = {}): Promise<StateRead> {
    const [control, apikey] = [this.#control, this.#apikey];
    if (name === undefined) {
      const { text, etag } = await control.call('GET /state', { apikey, query: { prefix } });
      const values = Object.entries(control.jsonOf(text, parseExact));
      return readOf(
        values.map(([name, value]) => [name, writeJson(value)]),
        etag,
      );
    }
    if (!isName(name)) return readOf([]);
    const { text, etag } = await control.call(`GET ${pathOf(name)}`, { apikey });
    return readOf(text === '' ? [] : [[name, text]], etag);
  }

  async write(changes: StateLayer, since?: StateRead): Promise<string | undefined> {
    const json = changeOf(changes, since);
    if (json === undefined) return '';
    const call = { apikey: this.#apikey, json, ifMatch: since?.version || undefined };
    try {
      return (await this.#control.call('PATCH /state', call)).etag ?? '';
    } catch (error) {
      if ((error as MomoMockError).code === 'MOMO_MOCK_STATE_CHANGED') return undefined;
      throw error;
    }
  }
}

function readOf(values: [name: string, json: string][], version = ''): StateRead {
  return { layers: [new Map(values)], version };
}

/**
 * The body of the call that writes changes; `undefined` if there are none. A redacted value that is
 * written back unchanged is not a change.
 */
function changeOf(layer: StateLayer, since?: StateRead): string | undefined {
  const before = since?.layers[0];
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

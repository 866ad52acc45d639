import * as Type from 'typebox';
import type { Routes } from '../control/routes.ts';
import { MomoMockError } from '../errors.ts';
import { check } from '../mock/json/check.ts';
import { closedObject, define } from '../mock/json/define.ts';
import type { Definition } from '../mock/json/definition.ts';
import { isHttpUrl } from '../mock/webhooks/webhook-url.ts';
import { atCaller } from './caller-stack.ts';
import { type Ask, type ClientOptions, createAccount, openClient, type Send } from './client.ts';
import type { MomoMock, RedirectOptions } from './momo-mock.ts';
import { END_SLASHES, RemoteState, remoteControl } from './remote.ts';

/** Options for connecting to a mock that runs elsewhere. */
export interface MomoConnectOptions extends RedirectOptions {
  /** The mock's `MOMO_MOCK_CONTROL_TOKEN`. */
  readonly token?: string;
  /**
   * A valid API key.
   *
   * @default the key of a new account, which `close` removes
   */
  readonly apiKey?: string;
  /**
   * Base URL of the service, if the reported one is wrong, for example because a container
   * publishes the port under another number.
   *
   * @default the URL that the mock reports, on the host of the control API
   */
  readonly url?: string;
}

const VISIBLE = Type.Optional(
  Type.String({ title: 'visible ASCII characters', pattern: '^[!-~]+$' }),
);

const OPTIONS: Definition<MomoConnectOptions> = define(
  closedObject(
    {
      // A header cannot contain other characters.
      token: VISIBLE,
      apiKey: VISIBLE,
      url: Type.Optional(
        Type.Refine(Type.String({ title: 'a URL such as https://localhost:8443' }), isHttpUrl),
      ),
      redirect: Type.Optional(
        Type.Union([Type.String(), Type.Immutable(Type.Array(Type.String()))]),
      ),
      trust: Type.Optional(Type.Boolean()),
    },
    { $id: 'Options' },
  ),
);

/**
 * Connects to a mock that runs elsewhere, for example in a container or as a command. It returns
 * the same interface as `startMomoMock`, so tests can switch between the two.
 *
 * @param controlUrl base URL of the control API, such as `http://localhost:8480`
 * @throws MomoMockError `MOMO_MOCK_CONTROL_UNREACHABLE`, `MOMO_MOCK_REQUEST_INVALID`,
 *   `MOMO_MOCK_ACCOUNT_UNKNOWN` if the option `apiKey` is not a valid key
 */
export function connectMomoMock(
  controlUrl: string,
  options: MomoConnectOptions = {},
): Promise<MomoMock> {
  return atCaller(connectMomoMock, async () => await connect(controlUrl, options));
}

async function connect(controlUrl: string, options: MomoConnectOptions): Promise<MomoMock> {
  const checked = check(OPTIONS, options, () => false);
  const at = readUrl(controlUrl);
  const control = remoteControl(at, checked.token);
  const send: Send = async <Name extends keyof Routes>(route: Name, ask?: Ask<Name>) =>
    control.jsonOf((await control.call(route, ask)).text) as Routes[Name]['result'];
  const { url: local } = await send('GET /health');
  const { text: ca } = await control.call('GET /certificate');
  if (typeof local !== 'string' || !URL.canParse(local) || !ca.includes('-----BEGIN CERTIFICATE')) {
    throw control.notMomoMock();
  }
  const url = checked.url?.replace(END_SLASHES, '') ?? serviceUrl(local, at);
  let { apiKey, id } = await ownAccount(send, checked.apiKey);
  const client: ClientOptions = {
    url,
    controlUrl: at.href.replace(END_SLASHES, ''),
    apiKey,
    id: () => id,
    ca,
    caFile: null,
    send,
    stateOf: (key) => {
      const state = new RemoteState(control, key);
      return () => state;
    },
    handle: async () => {
      throw new MomoMockError('MOMO_MOCK_REQUEST_INVALID', ELSEWHERE);
    },
    afterReset: async () => {
      if (checked.apiKey === undefined) ({ id } = await createAccount(send, { apiKey }));
    },
    end: async () => {
      // The mock may have stopped already, or a test may have removed the account.
      if (checked.apiKey === undefined) await send('DELETE /accounts', { apiKey }).catch(() => {});
      control.close();
    },
    redirects: checked,
  };
  return await openClient(client);
}

/** The account of a key, or a new one. */
async function ownAccount(send: Send, apiKey?: string): Promise<{ apiKey: string; id: string }> {
  if (apiKey === undefined) return await createAccount(send, {});
  const { accounts } = await send('GET /accounts', { apiKey });
  return { apiKey, id: accounts[0]?.id ?? '' };
}

const ELSEWHERE =
  'Failed to set a handler: this mock runs elsewhere, and a function cannot be sent to it. Put the handler into its fixture folder, script a response with respondWith, or use startMomoMock.';

function readUrl(controlUrl: unknown): URL {
  const text = controlUrl instanceof URL ? controlUrl.href : controlUrl;
  const url = typeof text === 'string' && isHttpUrl(text) ? new URL(text) : undefined;
  // Do not quote the text, because it may contain a password.
  if (url !== undefined && url.username + url.password === '') return url;
  const problem =
    'Failed to connect: controlUrl is not the URL of a control API. Use one such as http://localhost:8480.';
  throw new MomoMockError('MOMO_MOCK_CONTROL_UNREACHABLE', problem);
}

/**
 * The service's base URL for this process. A mock on another machine or in a container may report
 * `localhost`; then this uses the host of its control API.
 */
function serviceUrl(reported: string, control: URL): string {
  const url = new URL(reported);
  if (isLoopback(url.hostname) && !isLoopback(control.hostname)) url.hostname = control.hostname;
  return url.origin;
}

function isLoopback(hostname: string): boolean {
  return hostname === 'localhost' || hostname === '[::1]' || /^127\./.test(hostname);
}

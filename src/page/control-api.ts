import { writeJson } from '../mock/json/exact-json.ts';
import { curlLine } from './curl.ts';

export interface ControlCall {
  readonly method: 'GET' | 'PUT' | 'POST' | 'PATCH' | 'DELETE';
  readonly path: string;
  readonly account?: string | null;
  readonly body?: string | object;
}

const STORED = 'momo-mock-control-token';

/** Asks for the token if necessary. */
export async function send(call: ControlCall, signal?: AbortSignal): Promise<Response> {
  for (;;) {
    const token = sessionStorage.getItem(STORED);
    const response = await fetch(call.path, {
      method: call.method,
      headers: {
        accept: 'application/json',
        ...callHeaders(call),
        ...(token !== null && { authorization: `Bearer ${token}` }),
      },
      body: bodyText(call.body) ?? null,
      cache: 'no-store',
      signal: signal ?? null,
    }).catch(() => {
      throw new Error('Failed to reach momo-mock. Is it running?');
    });
    if (response.ok) return response;
    if (response.status !== 401) throw new Error(await refusalOf(response));
    await renewToken(token);
  }
}

export async function read<Value>(path: string, account: string | null = null): Promise<Value> {
  return (await send({ method: 'GET', path, account })).json();
}

export function commandOf(call: ControlCall): string {
  const token = '"authorization: Bearer $MOMO_MOCK_CONTROL_TOKEN"';
  return curlLine({
    method: call.method,
    url: `${location.origin}${call.path}`,
    options: ['-s', ...(sessionStorage.getItem(STORED) === null ? [] : ['-H', token])],
    headers: Object.entries(callHeaders(call)),
    body: bodyText(call.body),
  });
}

function callHeaders({ account, body }: ControlCall): Record<string, string> {
  return {
    ...(account != null && { account }),
    ...(body !== undefined && { 'content-type': 'application/json' }),
  };
}

function bodyText(body: ControlCall['body']): string | undefined {
  return typeof body === 'object' ? writeJson(body) : body;
}

async function refusalOf(response: Response): Promise<string> {
  const body = await response.json().catch(() => undefined);
  return (
    body?.error?.message ??
    `Failed to use the control API: it responded with status ${response.status}.`
  );
}

let asking: Promise<void> | undefined;

/** Asks for the token once, even if several requests need it. */
async function renewToken(refused: string | null): Promise<void> {
  if (sessionStorage.getItem(STORED) !== refused) return;
  asking ??= askForToken(refused !== null).finally(() => {
    asking = undefined;
  });
  await asking;
}

async function askForToken(wasWrong: boolean): Promise<void> {
  const dialog = document.querySelector<HTMLDialogElement>('#token');
  const input = dialog?.querySelector('input');
  const problem = dialog?.querySelector('.problem');
  if (dialog == null || input == null || problem == null) return;
  problem.textContent = wasWrong ? 'The token is wrong. Check it and try again.' : '';
  input.value = '';
  dialog.showModal();
  await new Promise((closed) => dialog.addEventListener('close', closed, { once: true }));
  // A header consists of bytes. The server decodes them as UTF-8.
  const bytes = new TextEncoder().encode(input.value);
  sessionStorage.setItem(STORED, String.fromCharCode(...bytes));
  input.value = '';
}

import type { MomoClock } from '../mock/clock/clock.ts';
import type { RequestEvent, WebhookEvent } from '../mock/journal/feed.ts';
import { writeJson } from '../mock/json/exact-json.ts';
import type { RequestReason } from '../mock/requests/reason.ts';
import type { ResponseFault } from '../mock/responses/fault.ts';
import { FAULTS, optionsOf } from '../mock/responses/faults.ts';
import type { ScriptedResponse } from '../mock/responses/scripted-response.ts';
import {
  ANY_OPERATION,
  type ResponseSource,
  SOURCE_WORDS,
} from '../mock/responses/source-words.ts';
import type { WebhookForgery } from '../mock/webhooks/signing.ts';
import type { ScriptedWebhook } from '../mock/webhooks/webhook-script.ts';
import { contentOf } from './webhook-content.ts';

const TIME = new Intl.DateTimeFormat('en-GB', {
  ...{ hour: '2-digit', minute: '2-digit', second: '2-digit', fractionalSecondDigits: 3 },
});

/** The local time of day with ms, such as `21:48:04.001`. */
export const timeOfDay = (time: string | number): string => TIME.format(new Date(time));

/** A local date and time, such as `2027-12-23 21:48:04`. Swedish uses this format. */
export const dateTimeOf = (time: string | number): string => new Date(time).toLocaleString('sv');

export const dateOf = (time: string | number): string => dateTimeOf(time).slice(0, 10);

/** Such as `1.2 ms` or `2.00 s`; empty if there is none. */
export function durationText(ms: number | null): string {
  if (ms === null) return '';
  return ms >= 999.95 ? `${(ms / 1000).toFixed(2)} s` : `${ms.toFixed(1)} ms`;
}

/** A limit of requests and ms, such as `5/60000`, in words: `5 requests in 60 s`. */
export function limitWords(limit: string): string {
  const [requests = 0, window = 0] = limit.split('/').map(Number);
  return `${counted(requests, 'request')} in ${window / 1000} s`;
}

/** A number and its noun, such as `1 timer` or `2,000 timers`. */
export function counted(count: number, noun: string): string {
  return `${count.toLocaleString('en')} ${noun}${count === 1 ? '' : 's'}`;
}

export function scopeWords(scope: string | null): string {
  return scope ?? 'all accounts';
}

/** The path of a fixture file in its tree, such as `momo/balance.get.json`. */
export function shortFile(file: string): string {
  const path = file.replaceAll('\\', '/');
  return /.*\/((?:momo|errors)\/.*)$/.exec(path)?.[1] ?? path.split('/').slice(-2).join('/');
}

export interface RowWords {
  readonly what: string;
  /** What a webhook says. */
  readonly content?: string;
  readonly attempt?: number;
  /** `…` in flight, `–` without a response. */
  readonly status: string;
  readonly why: string;
  readonly hint: string;
  /** Whether something went wrong, by accident or on purpose. */
  readonly isProblem: boolean;
}

const CONNECTIONS: Partial<Record<RequestReason, string>> = {
  'tls-handshake': 'TLS handshake',
  'plain-http': 'plain HTTP',
};

export function requestWords(entry: RequestEvent): RowWords {
  const { method, path, status, fault, aborted, ended, reason, hint } = entry;
  const words = [
    reason ?? sourceWords(entry),
    fault && `fault: ${FAULTS[fault].description}`,
    aborted && 'the client left before the end',
    !ended && 'in flight',
  ];
  return {
    what:
      method === null
        ? ((reason && CONNECTIONS[reason]) ?? 'not HTTP')
        : `${method} ${path ?? ''}`.trim(),
    status: statusWords(status, ended),
    why: words.filter(Boolean).join(', '),
    hint: hint ?? '',
    isProblem: reason !== null || fault !== null || aborted || (status ?? 0) >= 400,
  };
}

function sourceWords({ source, file, variant }: RequestEvent): string {
  if (source === null) return '';
  const from = SOURCE_WORDS[source] ?? source;
  const before = source === 'script' ? ' after handler' : '';
  const words = file === null ? from : `${from}${before} ${shortFile(file)}`;
  return variant === null ? words : `${words} (variant ${variant})`;
}

function statusWords(status: number | null, hasEnded: boolean): string {
  return status === null ? (hasEnded ? '–' : '…') : String(status);
}

export function decisionWords(entry: RequestEvent): string[] {
  const { account, source, file, variant, reason, hint, fault, aborted, method, ended } = entry;
  const who = account ?? 'no account';
  const rules: Record<ResponseSource, string> = {
    script: `A scripted response was next, for ${who} or for all accounts. It overrides a set balance and the files.`,
    balance: `A balance was set for ${who} or for all accounts, and no scripted response was left. A set balance overrides the files.`,
    fixture: `No scripted response was left for ${who}, and no balance was set.`,
    handler: `No scripted response with a status or a body was left for ${who}.`,
    error: `The request was refused${reason === null ? '' : ` (${reason})`}.`,
    preflight: 'A browser asks whether a page may send its request. The mock allows it.',
  };
  const ofVariant = variant === null ? '' : ` of the variant ${variant}`;
  const undecided = ended ? 'No response was decided.' : 'The response is not decided yet.';
  const none = method === null ? `No request: ${requestWords(entry).what}.` : undecided;
  return [
    source === null ? none : rules[source],
    source !== 'error' && reason !== null && `The handler refused the request (${reason}).`,
    file !== null && source === 'script' && `The handler${ofVariant} ran before it: ${file}.`,
    file !== null && source !== 'script' && `The file${ofVariant} was served: ${file}.`,
    hint,
    fault && `The response was broken on purpose: ${FAULTS[fault].description} (${fault}).`,
    aborted && 'The client left before it had the whole response.',
  ].filter((sentence) => typeof sentence === 'string');
}

export function hasAttemptEnded({ status, reason, duration }: WebhookEvent): boolean {
  return status !== null || reason !== null || duration !== null;
}

/** @param content what the webhook says */
export function attemptWords(attempt: WebhookEvent, content = ''): RowWords {
  const { method, url, status, accepted, reason, hint } = attempt;
  const hasEnded = hasAttemptEnded(attempt);
  return {
    what: `${method} ${url}`,
    content,
    attempt: attempt.attempt,
    status: statusWords(status, hasEnded),
    why: reason ?? (hasEnded ? '' : 'in flight'),
    hint: hint ?? '',
    isProblem: accepted === false,
  };
}

export function clockWords(
  { frozen, pending, next }: Pick<MomoClock, 'frozen' | 'pending' | 'next'>,
  now: number,
): string {
  const timers = pending === 0 ? 'No timer' : counted(pending, 'timer');
  const due = next === null ? '' : `, the next due at ${dateTimeOf(next)}`;
  return `${dateTimeOf(now)}, ${frozen ? 'frozen' : 'running'}. ${timers} pending${due}.`;
}

function faultWords(fault: ResponseFault): string {
  const { type, ...given } = typeof fault === 'object' ? fault : { type: fault };
  const options = Object.entries(given).map(([name, value]) => optionsOf(type)[name]?.words(value));
  return [FAULTS[type].description, ...options].join(' ');
}

export function responseWords(response: ScriptedResponse): string {
  const { status, headers, body, delay, fault, webhook, afterHandler, beforeKeyCheck } = response;
  const webhooks = [webhook ?? []].flat();
  const early = webhooks.filter(({ before }) => before).length;
  const words = [
    status,
    body !== undefined && 'own body',
    headers && `headers ${Object.keys(headers).join(', ')}`,
    delay !== undefined && delayWords(delay),
    fault && faultWords(fault),
    early > 0 && `${counted(early, 'webhook')} before it`,
    webhooks.length > early && `${counted(webhooks.length - early, 'webhook')} afterwards`,
    afterHandler && 'after the handler',
    beforeKeyCheck && 'before the key check',
  ];
  return words.filter(Boolean).join(', ') || 'the normal response';
}

export function nextWords(response: ScriptedResponse, account: string | null): string {
  const { operation = ANY_OPERATION, times = 1 } = response;
  const repeats = times === 1 ? '' : times === 'always' ? ', always' : `, ${times} times`;
  return `Next for ${operation}, ${scopeWords(account)}: ${responseWords(response)}${repeats}.`;
}

function delayWords(delay: NonNullable<ScriptedResponse['delay']>): string {
  if (typeof delay !== 'object') return `after ${delay} ms`;
  return 'min' in delay
    ? `after ${delay.min} to ${delay.max} ms`
    : `after about ${delay.median} ms`;
}

const FORGERIES: Record<WebhookForgery, string> = {
  signature: 'with a wrong signature',
  timestamp: 'with an old timestamp',
  body: 'with a changed body',
  missing: 'without a signature',
};

/** What happens to a scripted webhook. */
export function webhookScriptWords(script: ScriptedWebhook): string {
  const { lose, delay = 0, repeat = 1, forge, before } = script;
  const words = [
    lose && 'lost',
    before && 'before its response',
    typeof before === 'number' && `which waits ${before} ms at most`,
    delay > 0 && delayWords(delay),
    repeat === 2 && 'twice',
    repeat > 2 && `${repeat} times`,
    forge && FORGERIES[forge],
  ];
  return words.filter(Boolean).join(', ') || 'unchanged';
}

/** Which webhooks a script is for. */
export function webhookMatchWords({ match }: ScriptedWebhook): string {
  if (match === undefined) return 'any webhook';
  const { body, ...others } = match;
  const said = body === undefined ? undefined : contentOf(writeJson(body))?.words;
  const rest = said === undefined ? match : others;
  const words = [said, Object.keys(rest).length > 0 && writeJson(rest)];
  return `one with ${words.filter(Boolean).join(' and ')}`;
}

import type { RequestEvent } from '../../mock/controller/journal-events.ts';
import type { FaultType } from '../../mock/fault.ts';
import type { Reason } from '../../mock/reason.ts';
import { hasEnded } from './kept-requests.ts';

/** What each fault does, in words. */
export const FAULT_WORDS: Readonly<Record<FaultType, string>> = {
  reset: 'connection reset',
  close: 'connection closed without a response',
  truncate: 'half a body',
  malformed: 'a body that does not parse',
  dribble: 'the body in pieces',
  hang: 'no answer',
};

/** What came in place of a request. */
const CONNECTIONS: Partial<Record<Reason, string>> = {
  'tls-handshake': 'TLS handshake',
  'plain-http': 'plain HTTP',
};

/** What was requested, such as `GET /momo/balance` or `TLS handshake`. */
export function requestWords({ method, path, reason }: RequestEvent): string {
  if (method !== null) return `${method} ${path ?? ''}`.trim();
  return (reason && CONNECTIONS[reason]) ?? 'not HTTP';
}

/** The status in words for a row: `…` in flight, `–` without a response. */
export function statusWords(entry: RequestEvent): string {
  if (entry.status !== null) return String(entry.status);
  return hasEnded(entry) ? '–' : '…';
}

/** Whether something went wrong, by accident or on purpose. */
export function isProblem({ status, reason, fault, aborted }: RequestEvent): boolean {
  return reason !== null || fault !== null || aborted || (status !== null && status >= 400);
}

/** The path of a fixture file below its tree, such as `momo/balance.get.json`. */
export function shortFile(file: string): string {
  const path = file.replaceAll('\\', '/');
  return /.*\/((?:momo|errors)\/.*)$/.exec(path)?.[1] ?? path.split('/').slice(-2).join('/');
}

/** Where the response comes from, in a few words. */
function sourceWords({ source, file, variant }: RequestEvent): string {
  const short = file === null ? '' : ` ${shortFile(file)}`;
  switch (source) {
    case 'fixture':
      return `fixture${short}${variant === null ? '' : ` (variant ${variant})`}`;
    case 'handler':
      return `handler${short}`;
    case 'script':
      return 'scripted response';
    case 'override':
      return 'balance that was set';
    case 'error':
      return `error${short}`;
    case 'preflight':
      return 'CORS preflight';
    case null:
      return '';
  }
}

/** Why the response is what it is, in the few words of a row; then what to do about it. */
export function whyWords(entry: RequestEvent): [why: string, hint: string] {
  const { fault, aborted, reason, hint } = entry;
  const words = [
    reason ?? sourceWords(entry),
    fault === null ? '' : `fault: ${FAULT_WORDS[fault]}`,
    aborted ? 'the client left before the end' : '',
    hasEnded(entry) ? '' : 'in flight',
  ];
  return [words.filter((word) => word !== '').join(', '), hint ?? ''];
}

/** Which rule decided, in sentences. */
export function decisionWords(entry: RequestEvent): string[] {
  const { account, source, file, variant, fault, aborted, reason, hint } = entry;
  const who = account ?? 'no account';
  const decided: Record<NonNullable<RequestEvent['source']>, string> = {
    script: `A scripted response was next, for ${who} or for all accounts. It comes before a balance that was set and before the files.`,
    override: `A balance was set for ${who} or for all accounts, and no scripted response was left. A balance that was set comes before the files.`,
    fixture: `No scripted response was left for ${who}, and no balance was set. ${
      variant === null
        ? `No variant with a file applied, so the default file answered: ${file ?? ''}.`
        : `The variant ${variant} applied, so its file answered: ${file ?? ''}.`
    }`,
    handler: `No scripted response with a status or a body was left for ${who}, so the handler answered${file === null ? '' : `: ${file}`}.`,
    error: `The request was refused${reason === null ? '' : ` (${reason})`}${file === null ? '' : `, and the file ${file} answered`}.`,
    preflight: 'A browser asks whether a page may send its request. The mock allows it.',
  };
  return [
    source === null ? withoutResponse(entry) : decided[source],
    hint ?? '',
    fault === null ? '' : `The response was broken on purpose: ${FAULT_WORDS[fault]} (${fault}).`,
    aborted ? 'The client left before it had the whole response.' : '',
  ].filter((sentence) => sentence !== '');
}

function withoutResponse(entry: RequestEvent): string {
  if (entry.method === null) return `The connection sent no request: ${requestWords(entry)}.`;
  return hasEnded(entry) ? 'No response was decided.' : 'The response is not decided yet.';
}

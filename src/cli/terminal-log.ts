import type { WriteStream } from 'node:tty';
import { inspect } from 'node:util';
import type { DestinationStream } from 'pino';
import { type ResponseSource, SOURCE_WORDS } from '../mock/responses/source-words.ts';

/** Its `hasColors` respects `NO_COLOR`, `FORCE_COLOR` and `TERM=dumb`. */
type Terminal = Pick<WriteStream, 'columns' | 'hasColors'>;

type Paint = (color: 'gray' | 'green' | 'cyan' | 'yellow' | 'red', text: string) => string;

/** pino's levels. */
const WARN = 40;
const ERROR = 50;

/** Aligns further lines of a record with its text, after the time. */
const INDENT = ' '.repeat('00:00:00 '.length);

const MIN_PATH_CHARACTERS = 12;

/** @param terminal has no `hasColors` if it is a file or a pipe */
export function painter(terminal: Partial<Terminal>): Paint {
  return (color, text) => {
    const [open, close] = inspect.colors[color] ?? [];
    return terminal.hasColors?.() ? `\x1b[${open}m${text}\x1b[${close}m` : text;
  };
}

/**
 * Writes each log record as one readable line, colored if the terminal has colors. A request's hint
 * follows on a second line, unless the previous request had the same reason.
 *
 * @param output receives the lines. The terminal's own stream blocks while the terminal is stopped
 */
export function terminalStream(terminal: Terminal, output: DestinationStream): DestinationStream {
  const paint = painter(terminal);
  let lastReason: unknown;
  return {
    write(text) {
      const record = harmless(JSON.parse(text));
      const { msg, reason, hint } = record;
      const time = new Date(Number(record.time)).toTimeString().slice(0, 8);
      const isRequest = msg === 'request';
      const line = isRequest ? request(record, terminal.columns, paint) : event(record, paint);
      const below = isRequest && hint && reason !== lastReason ? `\n${INDENT}${hint}` : '';
      if (isRequest) lastReason = reason;
      output.write(`${paint('gray', time)} ${line}${below}\n`);
    },
  };
}

/** Replaces control characters in all strings, which may come from clients or file names. */
function harmless(record: Record<string, unknown>): Record<string, unknown> {
  const cleaned = Object.entries(record).map(([name, value]) => {
    const unwanted = name === 'msg' ? /[^\P{C}\n]/gu : /\p{C}/gu;
    return [name, typeof value === 'string' ? value.replace(unwanted, '\uFFFD') : value];
  });
  return Object.fromEntries(cleaned);
}

function event({ level, msg, signal }: Record<string, unknown>, paint: Paint): string {
  const why = signal === undefined ? '' : ` (${signal})`;
  const text = `${msg}${why}`.replaceAll('\n', `\n${INDENT}`);
  if (Number(level) < WARN) return text;
  return paint(Number(level) < ERROR ? 'yellow' : 'red', `! ${text}`);
}

function request(record: Record<string, unknown>, columns: number, paint: Paint): string {
  const { method, path, account, status, source, variant, fault, reason, cause, aborted } = record;
  const details = [
    reason,
    cause,
    SOURCE_WORDS[String(source) as ResponseSource],
    variant && `variant ${variant}`,
    fault && `fault ${fault}`,
    aborted && 'aborted by the client',
  ];
  const why = joined(details, ', ');
  const parts = [method ?? '(no request)', path, account, status, why];
  // A terminal of unknown width has 0 columns.
  const tooLong = INDENT.length + joined(parts, ' ').length - (columns || Infinity);
  const shortenedParts = [
    parts[0],
    path && shortened(String(path), tooLong),
    account,
    status && paint(colorOf(Number(status)), String(status)),
    why && paint('yellow', why),
  ];
  return joined(shortenedParts, ' ');
}

function joined(parts: readonly unknown[], separator: string): string {
  return parts.filter(Boolean).join(separator);
}

function shortened(path: string, tooLong: number): string {
  const length = Math.max(MIN_PATH_CHARACTERS, path.length - tooLong);
  return length < path.length ? `${path.slice(0, length - 1)}…` : path;
}

function colorOf(status: number): 'green' | 'cyan' | 'yellow' | 'red' {
  if (status < 300) return 'green';
  if (status < 400) return 'cyan';
  return status < 500 ? 'yellow' : 'red';
}

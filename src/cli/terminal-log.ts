import type { DestinationStream } from 'pino';

/** pino's number for the level `warn`. */
const WARN = 40;

/** Writes log records for a person: a line each, as short as it can be. */
export function terminalStream(out: { write(text: string): unknown }): DestinationStream {
  return { write: (record) => out.write(`${line(JSON.parse(record))}\n`) };
}

function line(record: Record<string, unknown>): string {
  const time = new Date(Number(record.time)).toTimeString().slice(0, 8);
  if (record.msg !== 'request') {
    return `${time} ${Number(record.level) >= WARN ? '! ' : ''}${record.msg}`;
  }
  const { method, path, account, status, reason, hint } = record;
  const facts = [method, path, account, status, reason && `${reason}: ${hint}`];
  return [time, ...facts.filter((fact) => fact !== undefined)].join(' ');
}

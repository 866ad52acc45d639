import type { IncomingMessage, RequestListener, ServerResponse } from 'node:http';
import type { Socket } from 'node:net';
import type { Double, Outcome } from '../core/double.ts';
import type { Draft } from '../core/journal-entry.ts';
import { nameOf } from '../core/operation.ts';
import type { Connections } from '../listener/connections.ts';
import { describeBug, type Logger, logExchange } from '../logger.ts';
import type { Cors } from './cors.ts';
import { isSilent, performFault } from './perform-fault.ts';
import { receiveBody } from './receive-body.ts';
import { send } from './send.ts';

/** What requests are answered with. */
export interface ExchangeOptions {
  readonly double: Double;
  readonly cors: Cors;
  readonly connections: Connections;
  /** The TLS mode that a connection began in. */
  readonly tlsOf: (socket: Socket) => string | null;
  /** How long a body may take to arrive, and a client to take a piece of its answer, in ms. */
  readonly clientTimeout: number;
  readonly logger: Logger;
}

/**
 * Answers requests as the double decides: journal, body, decision, delay, fault, answer, log. A
 * body is waited for, so that the journal has it when the client has its answer.
 */
export function exchange(options: ExchangeOptions): RequestListener {
  const { double, cors, connections, tlsOf, clientTimeout, logger } = options;
  const { journal, secrets } = double;

  const decide = ({ method = '', url = '', headers, httpVersion }: IncomingMessage): Outcome => {
    // Stated in HTTP itself: a request of HTTP/1.1 has a host header.
    if (headers.host === undefined && httpVersion === '1.1') {
      return double.refuse('bad-request', 400);
    }
    try {
      return double.answer({ method, target: url, headers });
    } catch (error) {
      logger.error(describeBug(error), 'Failed to answer a request: a bug in momo-mock');
      return { answer: double.error(500), source: 'error' };
    }
  };

  const write = (entry: Draft, outcome: Outcome, body: Buffer | null): void => {
    const { account, operation, target, reason, source, file, variant, fault } = outcome;
    const query = target?.query ?? [];
    // A refused key is a wrong one, but it is still a secret.
    secrets.rememberQuery(query);
    if (body !== null) secrets.rememberText(body.toString());
    journal.note(entry, {
      account: account?.id ?? null,
      path: shownPath(outcome),
      operation: operation ? nameOf(operation) : null,
      query,
      body,
      source,
      file: file ?? null,
      variant: variant ?? null,
      fault: fault?.type ?? null,
      reason: reason ?? null,
    });
  };

  /** Most answers have been taken at once: they need no timer. */
  const limit = (outgoing: ServerResponse): void => {
    if (!outgoing.writableFinished) outgoing.setTimeout(clientTimeout);
  };

  return (incoming: IncomingMessage, outgoing: ServerResponse): void => {
    const began = performance.now();
    const duration = () => Math.round((performance.now() - began) * 10) / 10;
    const { method = '', headers } = incoming;
    const entry = journal.open(method, headers, tlsOf(incoming.socket));
    let path: string | undefined;
    outgoing.on('close', () => {
      const isCut = !outgoing.writableFinished && !CUTTING.includes(entry.fault);
      journal.note(entry, { duration: duration(), aborted: isCut });
      logExchange(logger, entry, path);
    });
    outgoing.on('prefinish', () => setImmediate(limit, outgoing));
    const preflight = cors.preflight(method, headers);
    if (preflight !== undefined) {
      journal.note(entry, { status: 204, source: 'preflight' });
      outgoing.writeHead(204, preflight).end();
      return;
    }
    const conclude = (outcome: Outcome, body: Buffer | null): void => {
      const { answer, fault, delay = 0 } = outcome;
      path = outcome.path;
      write(entry, outcome, body);
      const act = (): void => {
        const more = cors.headers(headers);
        if (fault === undefined || !isSilent(fault)) {
          journal.note(entry, { status: answer.status, duration: duration() });
        }
        if (outcome.reason === 'bad-request') outgoing.setHeader('connection', 'close');
        if (fault === undefined) send(outgoing, answer, more);
        else performFault(fault, { incoming, outgoing, answer, more, connections });
      };
      if (delay === 0) {
        act();
        return;
      }
      const timer = setTimeout(act, delay);
      outgoing.once('close', () => clearTimeout(timer));
    };
    receiveBody(
      incoming,
      clientTimeout,
      (body) => conclude(decide(incoming), body),
      (status, body) => conclude(double.refuse('bad-request', status), body),
    );
  };
}

/** Faults by which the double itself cuts the connection. */
const CUTTING: readonly (string | null)[] = ['reset', 'close', 'truncate'];

/** The path as it was asked for, where an operation has it; else with unknown text left out. */
function shownPath({ operation, target, path }: Outcome): string | null {
  if (operation === undefined || target === undefined) return path ?? null;
  return `/${target.segments.join('/')}`;
}

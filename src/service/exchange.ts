import type { IncomingMessage, RequestListener, ServerResponse } from 'node:http';
import type { Socket } from 'node:net';
import { monotonic } from '../clock.ts';
import { describeBug, type Logger, logExchange } from '../logger.ts';
import type { JournalRecord } from '../mock/journal-record.ts';
import type { Mock, Outcome } from '../mock/mock.ts';
import { resolved } from '../mock/resolve.ts';
import type { Connections } from '../net/connections.ts';
import type { Cors } from './cors.ts';
import { isSilent, performFault } from './perform-fault.ts';
import { announcesBody, receiveBody } from './receive-body.ts';
import { send } from './send.ts';
import type { Seen, Session } from './session.ts';
import { cutOffSlow } from './slow-client.ts';
import { writeOutcome } from './write-outcome.ts';

/** What requests are answered with. */
export interface ExchangeOptions {
  readonly mock: Mock;
  readonly cors: Cors;
  readonly connections: Connections;
  readonly sessionOf: (socket: Socket) => Session;
  /** How long a body may take to arrive, and a client to take a piece of its answer, in ms. */
  readonly clientTimeout: number;
  readonly logger: Logger;
}

interface Parts extends ExchangeOptions {
  readonly awaitTaken: (response: ServerResponse) => void;
}

/**
 * Answers requests as the mock decides: journal, body, decision, delay, fault, answer, log. A
 * body is waited for, so that the journal has it when the client has its answer.
 */
export function exchange(options: ExchangeOptions): RequestListener {
  const parts = { ...options, awaitTaken: cutOffSlow(options.clientTimeout) };
  return (incoming, outgoing) => new Exchange(parts, incoming, outgoing).begin();
}

/** Faults by which the mock itself cuts the connection. */
const CUTTING: readonly (string | null)[] = ['reset', 'close', 'truncate'];

/** A request and its answer. */
class Exchange {
  private readonly began = monotonic();
  private readonly parts: Parts;
  private readonly incoming: IncomingMessage;
  private readonly outgoing: ServerResponse;
  private readonly method: string;
  private readonly seen: Seen;
  private readonly record: JournalRecord;

  constructor(parts: Parts, incoming: IncomingMessage, outgoing: ServerResponse) {
    const { socket, method = '' } = incoming;
    const session = parts.sessionOf(socket);
    this.parts = parts;
    this.incoming = incoming;
    this.outgoing = outgoing;
    this.method = method;
    this.seen = session.read(incoming);
    this.record = parts.mock.journal.open(method, this.seen.headers, session.tls);
  }

  begin(): void {
    const { parts, incoming, outgoing, method, seen } = this;
    const { mock, cors, clientTimeout } = parts;
    outgoing.on('close', () => this.closed());
    const preflight = cors.preflight(method, seen.headers);
    if (preflight !== undefined) {
      mock.journal.note(this.record, { status: 204, source: 'preflight' });
      outgoing.writeHead(204, preflight).end();
      parts.awaitTaken(outgoing);
    } else if (announcesBody(seen.headers)) {
      receiveBody(
        incoming,
        clientTimeout,
        (body) => this.conclude(this.decide(), body),
        (status, body) => this.conclude(mock.refuse('bad-request', status), body),
      );
    } else this.conclude(this.decide(), null);
  }

  private decide(): Outcome {
    const { parts, incoming, method, seen } = this;
    const { mock, logger } = parts;
    const { url: target, headers } = seen;
    // Stated in HTTP itself: a request of HTTP/1.1 has a host header.
    if (headers.host === undefined && incoming.httpVersion === '1.1') {
      return mock.refuse('bad-request', 400);
    }
    try {
      return mock.answer({ method, target, headers });
    } catch (error) {
      logger.error(describeBug(error), 'Failed to answer a request: a bug in momo-mock');
      return resolved(mock.error(500), 'error');
    }
  }

  private conclude(outcome: Outcome, body: Buffer | null): void {
    const { parts, record, seen, outgoing } = this;
    writeOutcome(parts.mock, record, outcome, seen.url, body);
    const { delay = 0 } = outcome;
    if (delay === 0) {
      this.act(outcome);
      return;
    }
    const timer = setTimeout(() => this.act(outcome), delay);
    outgoing.once('close', () => clearTimeout(timer));
  }

  private act({ answer, fault, reason }: Outcome): void {
    const { parts, incoming, outgoing, record, seen } = this;
    const { awaitTaken, connections, cors, mock } = parts;
    const more = cors.headers(seen.headers);
    if (fault === undefined || !isSilent(fault)) {
      record.status = answer.status;
      record.durationMs = this.durationMs();
      mock.journal.changed(record);
    }
    if (reason === 'bad-request') outgoing.setHeader('connection', 'close');
    if (fault === undefined) {
      send(outgoing, answer, more);
      awaitTaken(outgoing);
    } else {
      outgoing.on('prefinish', () => awaitTaken(outgoing));
      performFault(fault, { incoming, outgoing, answer, more, connections });
    }
  }

  private closed(): void {
    const { parts, record, outgoing } = this;
    record.durationMs = this.durationMs();
    record.aborted = !outgoing.writableFinished && !CUTTING.includes(record.fault);
    parts.mock.journal.changed(record);
    logExchange(parts.logger, record);
  }

  /** How long it has taken so far, rounded to 0.1 ms. */
  private durationMs(): number {
    return Math.round((monotonic() - this.began) * 10) / 10;
  }
}

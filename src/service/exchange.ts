import type { IncomingMessage, RequestListener } from 'node:http';
import type { Socket } from 'node:net';
import { monotonic } from '../clock.ts';
import type { Double, Outcome, ServiceRequest } from '../core/double.ts';
import type { Draft } from '../core/journal-entry.ts';
import { resolved } from '../core/resolve.ts';
import type { Connections } from '../listener/connections.ts';
import { describeBug, type Logger, logExchange } from '../logger.ts';
import type { Cors } from './cors.ts';
import { isSilent, performFault } from './perform-fault.ts';
import { receiveBody } from './receive-body.ts';
import { send } from './send.ts';
import type { Session } from './session.ts';
import { cutOffSlow } from './slow-client.ts';

/** What requests are answered with. */
export interface ExchangeOptions {
  readonly double: Double;
  readonly cors: Cors;
  readonly connections: Connections;
  readonly sessionOf: (socket: Socket) => Session;
  /** How long a body may take to arrive, and a client to take a piece of its answer, in ms. */
  readonly clientTimeout: number;
  readonly logger: Logger;
}

/**
 * Answers requests as the double decides: journal, body, decision, delay, fault, answer, log. A
 * body is waited for, so that the journal has it when the client has its answer.
 */
export function exchange(options: ExchangeOptions): RequestListener {
  const { double, cors, connections, sessionOf, clientTimeout, logger } = options;
  const { journal, secrets } = double;
  const awaitTaken = cutOffSlow(clientTimeout);

  const decide = (request: ServiceRequest, { httpVersion }: IncomingMessage): Outcome => {
    // Stated in HTTP itself: a request of HTTP/1.1 has a host header.
    if (request.headers.host === undefined && httpVersion === '1.1') {
      return double.refuse('bad-request', 400);
    }
    try {
      return double.answer(request);
    } catch (error) {
      logger.error(describeBug(error), 'Failed to answer a request: a bug in momo-mock');
      return resolved(double.error(500), 'error');
    }
  };

  const write = (entry: Draft, outcome: Outcome, url: string, body: Buffer | null): void => {
    const { target } = outcome;
    if (target !== undefined) {
      // A refused key is a wrong one, but it is still a secret.
      secrets.rememberQuery(target.query, outcome.account !== undefined);
      entry.target = url;
    }
    if (body !== null) secrets.rememberText(body.toString());
    entry.account = outcome.account?.id ?? null;
    entry.path = outcome.path ?? null;
    entry.operation = outcome.operation?.name ?? null;
    entry.body = body;
    entry.source = outcome.source;
    entry.file = outcome.file ?? null;
    entry.variant = outcome.variant ?? null;
    entry.fault = outcome.fault?.type ?? null;
    entry.reason = outcome.reason ?? null;
    journal.changed();
  };

  return (incoming, outgoing): void => {
    const began = monotonic();
    const duration = () => Math.round((monotonic() - began) * 10) / 10;
    const { method = '', socket } = incoming;
    const session = sessionOf(socket);
    const { url, headers } = session.read(incoming);
    const entry = journal.open(method, headers, session.tls);
    outgoing.on('close', () => {
      entry.duration = duration();
      entry.aborted = !outgoing.writableFinished && !CUTTING.includes(entry.fault);
      journal.changed();
      logExchange(logger, entry);
    });
    const preflight = cors.preflight(method, headers);
    if (preflight !== undefined) {
      journal.note(entry, { status: 204, source: 'preflight' });
      outgoing.writeHead(204, preflight).end();
      awaitTaken(outgoing);
      return;
    }
    const conclude = (outcome: Outcome, body: Buffer | null): void => {
      const { answer, fault, delay = 0 } = outcome;
      write(entry, outcome, url, body);
      const act = (): void => {
        const more = cors.headers(headers);
        if (fault === undefined || !isSilent(fault)) {
          entry.status = answer.status;
          entry.duration = duration();
          journal.changed();
        }
        if (outcome.reason === 'bad-request') outgoing.setHeader('connection', 'close');
        if (fault === undefined) {
          send(outgoing, answer, more);
          awaitTaken(outgoing);
        } else {
          outgoing.on('prefinish', () => awaitTaken(outgoing));
          performFault(fault, { incoming, outgoing, answer, more, connections });
        }
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
      (body) => conclude(decide({ method, target: url, headers }, incoming), body),
      (status, body) => conclude(double.refuse('bad-request', status), body),
    );
  };
}

/** Faults by which the double itself cuts the connection. */
const CUTTING: readonly (string | null)[] = ['reset', 'close', 'truncate'];

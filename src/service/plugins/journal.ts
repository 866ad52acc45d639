import type { IncomingHttpHeaders, IncomingMessage } from 'node:http';
import type { Socket } from 'node:net';
import type { FastifyReply, FastifyRequest } from 'fastify';
import { fastifyPlugin } from 'fastify-plugin';
import type { Logger } from '../../logger.ts';
import type { Journal } from '../../mock/journal/journal.ts';
import { parseTarget, type RequestTarget } from '../../mock/request-target.ts';
import { RequestLifecycle } from '../request-lifecycle.ts';

/** The options of the journal plugin. */
export interface JournalOptions {
  readonly journal: Journal;
  readonly logger: Logger;
  /** The TLS mode when a connection was made. */
  readonly tlsMode: (socket: Socket) => string;
  /** An unknown path in the form for the log. */
  readonly loggablePath: (segments: readonly string[]) => string;
}

/** Begins the lifecycle of each request, before any other hook. */
export const journalPlugin = fastifyPlugin<JournalOptions>((app, options, done) => {
  app.decorateRequest('lifecycle');
  app.addHook('onRequest', (request, reply, next) => {
    beginLifecycle(request, reply, options);
    next();
  });
  done();
});

/** Opens the journal record of a request and begins its lifecycle. */
export function beginLifecycle(
  request: FastifyRequest,
  reply: FastifyReply,
  { journal, logger, tlsMode, loggablePath }: JournalOptions,
): void {
  const { raw, originalUrl } = request;
  const { operation } = request.routeOptions.config;
  const target = targets.get(raw);
  const record = journal.open(raw.method ?? null, headersOf(raw), tlsMode(raw.socket));
  if (target !== undefined) {
    journal.note(record, {
      target: originalUrl,
      operation: operation?.name ?? null,
      path: operation?.template ?? loggablePath(target.segments),
    });
  }
  request.lifecycle = new RequestLifecycle({ reply, record, target, operation, journal, logger });
}

/** The parsed target of each request, which is set when it is routed. */
const targets = new WeakMap<object, RequestTarget>();

/** Parses the target of a request; `undefined` if it is invalid. */
export function readTarget(request: IncomingMessage): RequestTarget | undefined {
  const target = parseTarget(request.url ?? '');
  if (target !== undefined) targets.set(request, target);
  return target;
}

/** The headers of the last request on each connection. */
const latestHeaders = new WeakMap<
  Socket,
  { raw: readonly string[]; parsed: IncomingHttpHeaders }
>();

/**
 * The headers of a request. If they equal those of the previous request on the connection, its
 * object is returned, so that the journal does not keep thousands of copies.
 */
export function headersOf({ socket, rawHeaders, headers }: IncomingMessage): IncomingHttpHeaders {
  const latest = latestHeaders.get(socket);
  if (latest !== undefined && isSame(latest.raw, rawHeaders)) return latest.parsed;
  latestHeaders.set(socket, { raw: rawHeaders, parsed: headers });
  return headers;
}

function isSame(one: readonly string[], other: readonly string[]): boolean {
  return one.length === other.length && one.every((text, at) => text === other[at]);
}

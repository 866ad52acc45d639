import type { IncomingHttpHeaders, IncomingMessage } from 'node:http';
import type { Socket } from 'node:net';
import type { FastifyReply, FastifyRequest } from 'fastify';
import { fastifyPlugin } from 'fastify-plugin';
import type { Logger } from '../../logger.ts';
import type { Journal } from '../../mock/journal.ts';
import { parseTarget, type RequestTarget } from '../../mock/request-target.ts';
import { RequestLifecycle } from '../request-lifecycle.ts';

/** What a request is journaled with. */
export interface JournalOptions {
  readonly journal: Journal;
  readonly logger: Logger;
  /** The TLS mode in which a connection began. */
  readonly tlsMode: (socket: Socket) => string;
  /** The path of no operation as the log may show it. */
  readonly loggablePath: (segments: readonly string[]) => string;
}

/** Begins the lifecycle of each request: the first thing that happens to it. */
export const journalPlugin = fastifyPlugin<JournalOptions>((app, options, done) => {
  app.decorateRequest('lifecycle');
  app.addHook('onRequest', (request, reply, next) => {
    beginLifecycle(request, reply, options);
    next();
  });
  done();
});

/** Opens the journal record of a request. */
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

/** What each request asks for, from its routing on. */
const targets = new WeakMap<object, RequestTarget>();

/** Reads what a request asks for; `undefined` where that cannot be understood. */
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
 * The headers of a request. Clients send the same ones again and again over a connection: then they
 * are the object of the request before, so that the journal holds one of them and not thousands.
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

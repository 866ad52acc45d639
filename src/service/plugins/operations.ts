import type { FastifyReply, FastifyRequest } from 'fastify';
import { fastifyPlugin } from 'fastify-plugin';
import type { ErrorAnswers } from '../../mock/answer.ts';
import { decide } from '../../mock/decide.ts';
import { isNamedIn } from '../../mock/given-body.ts';
import type { Mock } from '../../mock/mock.ts';
import { type Operation, routePattern } from '../../mock/operation.ts';
import type { RequestViolation } from '../../mock/request-schema.ts';
import { nextTurn } from '../../timers.ts';
import { exceededLimit } from '../handler-request.ts';
import type { HandlerRunner } from '../handler-runner.ts';
import type { Responder } from '../reply.ts';

/** The options of the routes. */
export interface OperationsOptions {
  readonly operations: readonly Operation[];
  readonly mock: Mock;
  readonly errors: ErrorAnswers;
  readonly responder: Responder;
  readonly handlers: HandlerRunner;
}

/** Adds a route for each operation. HEAD is answered like GET. */
export const operationsPlugin = fastifyPlugin<OperationsOptions>(async (app, options) => {
  for (const operation of options.operations) {
    app.route({
      method: operation.method === 'GET' ? ['GET', 'HEAD'] : operation.method,
      url: routePattern(operation.segments),
      config: { operation },
      handler: (request, reply) => answer(request, reply, operation, options),
    });
  }
  await nextTurn();
});

function answer(
  request: FastifyRequest,
  reply: FastifyReply,
  operation: Operation,
  { mock, errors, responder, handlers }: OperationsOptions,
): void {
  const { account, lifecycle, headers } = request;
  const { target, body } = lifecycle;
  const { requestSchema } = operation;
  const isRead = body.length > 0 && handlers.longestBody(operation) !== undefined;
  const exceeded = target && exceededLimit({ target, headers, body }, isRead);
  if (exceeded !== undefined) {
    lifecycle.record.detail = `${exceeded.path} ${exceeded.message}`;
    responder.reject(reply, 400, 'request-rejected', {}, [exceeded]);
    return;
  }
  const own = requestSchema && handlers.requestOf(request);
  const problems = (own && requestSchema?.violations(own, own.rawBody.length)) ?? [];
  if (problems.length > 0) {
    lifecycle.record.detail = placesOf(problems, mock, requestSchema?.schema);
    responder.reject(reply, 400, 'request-rejected', {}, problems);
    return;
  }
  const common = { operation, service: mock.service, errors, handlers: mock.handlers };
  const decided = decide({ ...common, ...(account && { account }) });
  if ('handler' in decided) {
    handlers
      .run(request, decided, own)
      .then(({ decision, reason }) => responder.respond(reply, decision, reason))
      .catch((error) => lifecycle.fail(error));
  } else responder.respond(reply, decided);
}

/** The places of problems, without names that only the client can have chosen. */
function placesOf(problems: readonly RequestViolation[], mock: Mock, schema: unknown): string {
  const isNamed = isNamedIn({ query: 0, headers: 0, body: 0, schema });
  const places = problems.map(({ path }) => {
    const names = path.replaceAll(/\[\d+\]/g, '').split('.');
    const known = names.map((name) => (isNamed(name) ? name : '…'));
    return mock.loggablePath(known).slice(1).replaceAll('/', '.');
  });
  return [...new Set(places)].join(', ');
}

import { fastifyPlugin } from 'fastify-plugin';
import type { ErrorAnswers } from '../../mock/answer.ts';
import { decide } from '../../mock/decide.ts';
import type { Mock } from '../../mock/mock.ts';
import { type Operation, routePattern } from '../../mock/operation.ts';
import { nextTurn } from '../../timers.ts';
import type { Responder } from '../reply.ts';

/** The options of the routes. */
export interface OperationsOptions {
  readonly operations: readonly Operation[];
  readonly mock: Mock;
  readonly errors: ErrorAnswers;
  readonly responder: Responder;
}

/** Adds a route for each operation. HEAD is answered like GET. */
export const operationsPlugin = fastifyPlugin<OperationsOptions>(async (app, options) => {
  const { operations, mock, errors, responder } = options;
  for (const operation of operations) {
    app.route({
      method: operation.method === 'GET' ? ['GET', 'HEAD'] : operation.method,
      url: routePattern(operation.segments),
      config: { operation },
      handler: ({ account }, reply) => {
        const { service } = mock;
        const circumstances = { operation, service, errors, ...(account && { account }) };
        responder.respond(reply, decide(circumstances));
      },
    });
  }
  await nextTurn();
});

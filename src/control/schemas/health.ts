import * as Type from 'typebox';
import { BALANCE } from '../../mock/operation.ts';

/** The response of `GET /health`. */
export type Health = Type.Static<typeof HEALTH>;

/** The definition of {@link Health}. */
export const HEALTH = Type.Object(
  {
    ready: Type.Literal(true, { description: 'The service answers requests.' }),
    version: Type.String(),
    url: Type.String({ format: 'uri', description: 'Base URL of the service.' }),
    operations: Type.Array(Type.String(), {
      description: 'The operations of the service, such as GET /momo/balance.',
    }),
    certificate: Type.Object({
      expiresAt: Type.String({
        format: 'date-time',
        description: 'The end of its validity, ISO 8601.',
      }),
    }),
    logDropped: Type.Integer({
      minimum: 0,
      description:
        'The number of log lines that were dropped because the output was full or not read.',
    }),
    uncaughtErrors: Type.Integer({
      minimum: 0,
      description:
        'The number of errors of handlers that nothing caught, such as those of promises that are not awaited. Each is in the log.',
    }),
  },
  {
    description: 'The mock is ready.',
    examples: [
      {
        ready: true,
        version: '0.1.0',
        url: 'https://localhost:8443',
        operations: [BALANCE],
        certificate: { expiresAt: '2027-01-31T00:00:00.000Z' },
        logDropped: 0,
        uncaughtErrors: 0,
      },
    ],
  },
);

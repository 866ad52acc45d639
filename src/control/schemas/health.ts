import * as Type from 'typebox';
import { BALANCE } from '../../mock/operation.ts';

/** What `GET /health` answers. */
export type Health = Type.Static<typeof HEALTH>;

/** Whether the mock is up, and what it serves. */
export const HEALTH = Type.Object(
  {
    ready: Type.Literal(true, { description: 'The service answers requests.' }),
    version: Type.String(),
    url: Type.String({ format: 'uri', description: 'Base URL of the service.' }),
    operations: Type.Array(Type.String(), {
      description: 'What the service answers, such as GET /momo/balance.',
    }),
    certificate: Type.Object({
      expiresAt: Type.String({ format: 'date-time', description: 'ISO 8601.' }),
    }),
    logDropped: Type.Integer({
      minimum: 0,
      description: 'Log lines that were dropped because the output was full or not read.',
    }),
  },
  {
    description: 'It is ready.',
    examples: [
      {
        ready: true,
        version: '0.1.0',
        url: 'https://localhost:8443',
        operations: [BALANCE],
        certificate: { expiresAt: '2027-01-31T00:00:00.000Z' },
        logDropped: 0,
      },
    ],
  },
);

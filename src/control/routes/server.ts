import * as Type from 'typebox';
import { BALANCE } from '../../mock/operation.ts';
import { Reply, route } from '../route.ts';

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

const PEM_TYPE = 'application/x-pem-file';
const PEM = Type.String({ examples: ['-----BEGIN CERTIFICATE-----\n…'] });

/** What a probe, or a client that has no files, needs of the mock server. */
export const serverRoutes = [
  route({
    method: 'GET',
    path: '/health',
    summary: 'Show that the mock is ready, and its operations',
    account: false,
    result: HEALTH,
    run: ({ health }) => health(),
  }),
  route({
    method: 'GET',
    path: '/certificate',
    summary: 'Get the certificate to trust',
    account: false,
    result: { description: 'PEM.', content: { [PEM_TYPE]: { schema: PEM } } },
    run: ({ pem }) => new Reply(pem, { 'content-type': PEM_TYPE }),
  }),
];

/** `POST /reset`: resets an account, or everything. */
export const resetRoutes = [
  route({
    method: 'POST',
    path: '/reset',
    summary: 'Return to the start state',
    description:
      'Removes the set balance and variant, the scripted responses and the journal. Returns the state and the clock of handlers to the start, and removes their timers. Without an account, it also removes the accounts that tests made and sets TLS to normal.',
    account: true,
    nothing: 'The start state is restored.',
    run: ({ reset }, _input, { apikey }) => reset(apikey),
  }),
];

/** `GET /openapi.json`: the description of all routes. */
export const descriptionRoutes = [
  route({
    method: 'GET',
    path: '/openapi.json',
    summary: 'Get the description of this API',
    account: false,
    result: { type: 'object', description: 'An OpenAPI 3.1 document.' },
    run: async ({ health, hasToken }) => {
      const { describeRoutes } = await import('../description.ts');
      return describeRoutes(health().version, hasToken);
    },
  }),
];

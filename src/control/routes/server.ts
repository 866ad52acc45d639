import * as Type from 'typebox';
import { Reply, route } from '../route.ts';
import { HEALTH } from '../schemas.ts';

const PEM_TYPE = 'application/x-pem-file';
/** Prometheus needs the version of its text format. */
const METRICS_TYPE = 'text/plain; version=0.0.4; charset=utf-8';
const METRICS = Type.String({ examples: ['momo_mock_connections 1'] });
const PEM = Type.String({ examples: ['-----BEGIN CERTIFICATE-----\n…'] });

export const serverRoutes = {
  'GET /health': route({
    summary: 'Check that the mock is ready',
    account: false,
    result: HEALTH,
    run: ({ server }) => server.health(),
  }),
  'GET /certificate': route({
    summary: 'Get the certificate to trust',
    account: false,
    result: { description: 'PEM.', content: { [PEM_TYPE]: { schema: PEM } } },
    run: ({ server }) => new Reply(server.certificate.cert, { 'content-type': PEM_TYPE }),
  }),
  'GET /metrics': route({
    summary: 'Get metrics for Prometheus',
    account: false,
    result: {
      description: 'The text format of Prometheus.',
      content: { [METRICS_TYPE]: { schema: METRICS } },
    },
    run: async ({ server }) => {
      const { metricsOf } = await import('../metrics.ts');
      return new Reply(metricsOf(server), { 'content-type': METRICS_TYPE });
    },
  }),
};

export const resetRoutes = {
  'POST /reset': route({
    summary: 'Restore the initial state',
    description:
      'Removes the balance, the variant, the rate limit, the scripted responses, the journals, the timers and the webhook script. Restores the initial state of handlers and the system time. Without an account, it also removes the accounts that tests created, and sets TLS to normal.',
    nothing: 'The initial state is restored.',
    run: ({ server, account }) => server.reset(account),
  }),
};

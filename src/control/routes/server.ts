import * as Type from 'typebox';
import { closedObject, define } from '../../mock/json/define.ts';
import { TLS_MODES } from '../../tls/tls-mode.ts';
import { Reply, route } from '../route.ts';
import { HEALTH, textResult } from '../schemas.ts';

const PEM_TYPE = 'application/x-pem-file';
/** Prometheus needs the version of its text format. */
const METRICS_TYPE = 'text/plain; version=0.0.4; charset=utf-8';

const MODE = define(
  closedObject(
    { mode: Type.Enum([...TLS_MODES]) },
    { description: 'The TLS mode.', examples: [{ mode: 'normal' }] },
  ),
);

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
    result: textResult(PEM_TYPE, 'PEM.', '-----BEGIN CERTIFICATE-----\n…'),
    run: ({ server }) => new Reply(server.certificate.cert, { 'content-type': PEM_TYPE }),
  }),
  'GET /metrics': route({
    summary: 'Get metrics for Prometheus',
    account: false,
    result: textResult(METRICS_TYPE, 'The text format of Prometheus.', 'momo_mock_connections 1'),
    run: async ({ server }) => {
      const { metricsOf } = await import('../metrics.ts');
      return new Reply(metricsOf(server), { 'content-type': METRICS_TYPE });
    },
  }),
  // TLS is of no account, because a client verifies the certificate before it sends its key.
  'GET /tls': route({
    summary: 'Get the TLS mode',
    account: false,
    result: MODE,
    run: ({ server: { tls } }) => ({ mode: tls.mode }),
  }),
  'PUT /tls': route({
    summary: 'Set the TLS mode',
    description: 'It applies to new connections.',
    account: 'TLS is the same for all accounts',
    body: MODE,
    result: MODE,
    run: async ({ server: { tls }, body }) => {
      await tls.set(body.mode);
      return { mode: tls.mode };
    },
  }),
};

import * as Type from 'typebox';
import { closedObject, define } from '../../mock/json/define.ts';
import { TLS_MODES } from '../../tls/tls-mode.ts';
import { route } from '../route.ts';

const MODE = define(
  closedObject(
    { mode: Type.Enum([...TLS_MODES]) },
    { description: 'The TLS mode.', examples: [{ mode: 'normal' }] },
  ),
);

/** They have no account, because a client verifies the certificate before it sends its key. */
export const tlsRoutes = {
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

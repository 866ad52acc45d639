import type { FastifyPluginAsyncTypebox } from '@fastify/type-provider-typebox';
import * as Type from 'typebox';
import { refuseAccount } from '../plugins/account.ts';
import { errors, WRITES } from '../schemas/error.ts';

/** Shows and sets the TLS mode of the service. */
export interface ControlledTls {
  /** All modes. */
  readonly modes: readonly string[];
  /** Returns the current mode. */
  mode(): string;
  /** Sets the mode, one of {@link modes}, for new connections. */
  setMode(mode: string): Promise<void>;
}

/**
 * `/tls`: the TLS mode. It applies to the whole service, because a client verifies the certificate
 * before it sends its key.
 */
export const tlsRoutes: FastifyPluginAsyncTypebox<{ tls: ControlledTls }> = async (
  app,
  { tls },
) => {
  const MODE = Type.Object(
    { mode: Type.Enum([...tls.modes]) },
    { description: 'The TLS mode.', additionalProperties: false, examples: [{ mode: 'normal' }] },
  );
  const get = { summary: 'Show the TLS mode', response: { ...errors(), 200: MODE } };
  const put = {
    summary: 'Set the TLS mode',
    description: 'It applies to new connections.',
    body: MODE,
    response: { ...errors(...WRITES), 200: MODE },
  };
  app.get('/tls', { schema: get }, async () => ({ mode: tls.mode() }));
  app.put('/tls', { schema: put }, async (request) => {
    refuseAccount(request, 'TLS is the same for all accounts');
    await tls.setMode(request.body.mode);
    return { mode: tls.mode() };
  });
};

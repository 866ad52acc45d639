import type { FastifyPluginAsyncTypebox } from '@fastify/type-provider-typebox';
import * as Type from 'typebox';
import { refuseAccount } from '../plugins/account.ts';
import { errors, WRITES } from '../schemas/error.ts';

/** How the service's certificate is made wrong on purpose, and right again. */
export interface ControlledTls {
  /** The modes that there are. */
  readonly modes: readonly string[];
  /** The current mode. */
  mode(): string;
  /** Sets the mode, one of {@link modes}, for connections from now on. */
  setMode(mode: string): Promise<void>;
}

/**
 * `/tls`: the certificate that the service serves, for the whole service alone: a client verifies
 * it before it can send its key.
 */
export const tlsRoutes: FastifyPluginAsyncTypebox<{ tls: ControlledTls }> = async (
  app,
  { tls },
) => {
  const MODE = Type.Object(
    { mode: Type.Enum([...tls.modes]) },
    { description: 'The mode.', additionalProperties: false, examples: [{ mode: 'normal' }] },
  );
  const get = { summary: 'The TLS mode', response: { ...errors(), 200: MODE } };
  const put = {
    summary: 'Make TLS wrong on purpose, or right again',
    description: 'For connections from now on.',
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

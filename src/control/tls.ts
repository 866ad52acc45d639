import type { FastifyInstance } from 'fastify';
import { fieldsOf, invalid } from '../mock/invalid.ts';
import { refuseAccount } from './account-header.ts';
import { errors, json, WRITES } from './answers.ts';
import { jsonOf } from './body.ts';

/** How the service's certificate is made wrong on purpose, and right again. */
export interface ControlledTls {
  /** The modes that there are. */
  readonly modes: readonly string[];
  /** The mode that holds now. */
  mode(): string;
  /** Sets the mode, for connections from now on. */
  setMode(mode: string): Promise<void>;
}

/**
 * `/tls`: the certificate that the service serves, for the whole service alone: a client has to
 * trust before it can show its key.
 */
export function tlsRoutes(app: FastifyInstance, tls: ControlledTls): void {
  const { modes } = tls;
  const body = {
    type: 'object',
    required: ['mode'],
    additionalProperties: false,
    properties: { mode: { type: 'string', enum: modes } },
    examples: [{ mode: modes.at(-1) }],
  };
  const get = {
    summary: 'The TLS mode',
    response: { ...json('The mode.', body, { mode: modes[0] }), ...errors() },
  };
  const put = {
    summary: 'Make TLS wrong on purpose, or right again',
    description: 'For connections from now on.',
    body,
    response: { ...json('The mode.', body, { mode: modes.at(-1) }), ...errors(...WRITES) },
  };
  app.get('/tls', { schema: get }, () => ({ mode: tls.mode() }));
  app.put('/tls', { schema: put }, async (request) => {
    refuseAccount(request, 'no key: TLS is the same for all accounts');
    const { mode } = fieldsOf(jsonOf(request), 'the TLS mode', ['mode']);
    const wanted = modes.find((name) => name === mode);
    if (wanted === undefined) throw invalid('mode', `one of ${modes.join(', ')}`);
    await tls.setMode(wanted);
    return { mode: tls.mode() };
  });
}

import type { FastifyInstance } from 'fastify';

/** What `GET /health` answers. */
export interface Health {
  /** The service answers requests. */
  readonly ready: true;
  readonly version: string;
  /** Base URL of the service. */
  readonly url: string;
  /** What the service answers, such as `GET /momo/balance`. */
  readonly operations: readonly string[];
  readonly certificate: {
    /** ISO 8601. */
    readonly expiresAt: string;
  };
}

/** `GET /health`: for probes, and for tests that wait until the double is up. */
export function healthRoute(app: FastifyInstance, health: () => Health): void {
  app.get('/health', () => health());
}

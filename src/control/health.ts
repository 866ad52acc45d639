import type { FastifyInstance } from 'fastify';
import { BALANCE } from '../mock/operation.ts';
import { errors, json } from './answers.ts';

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

const HEALTH_SCHEMA = {
  type: 'object',
  required: ['ready', 'version', 'url', 'operations', 'certificate'],
  properties: {
    ready: { type: 'boolean', const: true },
    version: { type: 'string' },
    url: { type: 'string', format: 'uri', description: 'Base URL of the service.' },
    operations: { type: 'array', items: { type: 'string' } },
    certificate: {
      type: 'object',
      required: ['expiresAt'],
      properties: { expiresAt: { type: 'string', format: 'date-time' } },
    },
  },
};
const example: Health = {
  ready: true,
  version: '0.1.0',
  url: 'https://localhost:8443',
  operations: [BALANCE],
  certificate: { expiresAt: '2027-01-31T00:00:00.000Z' },
};
const schema = {
  summary: 'Whether the mock is up, and what it serves',
  response: { ...json('It is ready.', HEALTH_SCHEMA, example), ...errors() },
};

/** `GET /health`: for probes, and for tests that wait until the mock is up. */
export function healthRoute(app: FastifyInstance, health: () => Health): void {
  app.get('/health', { schema }, () => health());
}

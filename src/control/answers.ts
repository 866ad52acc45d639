import { type ControlCode, STATUSES } from './refusal.ts';

/** The schema of every error of the control API. */
export const ERROR_SCHEMA = {
  $id: 'Error',
  type: 'object',
  required: ['error'],
  properties: {
    error: {
      type: 'object',
      required: ['code', 'message'],
      properties: {
        code: { type: 'string', enum: Object.keys(STATUSES), description: 'For a program.' },
        message: { type: 'string', description: 'For a person: Failed to X: cause. Do Y.' },
      },
    },
  },
  examples: [
    {
      error: {
        code: 'MOMO_MOCK_REQUEST_INVALID',
        message:
          'Failed to read times: it is not allowed. Give a whole number from 1 to 1000000000.',
      },
    },
  ],
} as const;

/** What every route may answer. */
const ALWAYS: readonly ControlCode[] = [
  'MOMO_MOCK_TOKEN',
  'MOMO_MOCK_HOST_REFUSED',
  'MOMO_MOCK_ORIGIN_REFUSED',
];
/** What every route that reads a body may answer. */
export const WRITES: readonly ControlCode[] = [
  'MOMO_MOCK_REQUEST_INVALID',
  'MOMO_MOCK_TOO_LARGE',
  'MOMO_MOCK_CONTENT_TYPE',
];

/** The description of an answer without a body. */
export function empty(description: string) {
  return { 204: { type: 'null', description } } as const;
}

/** The description of an answer with a JSON body. */
export function json(description: string, schema: object, example: unknown, status = 200) {
  const content = { 'application/json': { schema, examples: { example: { value: example } } } };
  return { [status]: { description, content } };
}

/** The descriptions of the errors that a route may answer besides those of all routes. */
export function errors(...codes: readonly ControlCode[]): Record<number, object> {
  const byStatus = new Map<number, ControlCode[]>();
  for (const code of [...codes, ...ALWAYS]) {
    byStatus.set(STATUSES[code], [...(byStatus.get(STATUSES[code]) ?? []), code]);
  }
  const content = { 'application/json': { schema: { $ref: 'Error#' } } };
  return Object.fromEntries(
    [...byStatus].map(([status, of]) => [status, { description: of.join(', '), content }]),
  );
}

import * as Type from 'typebox';
import { type ControlCode, STATUSES } from '../control-error.ts';

/** The body of every error of the control API. */
export const ERROR = Type.Object(
  {
    error: Type.Object({
      code: Type.Enum(Object.keys(STATUSES), { description: 'The kind of error.' }),
      message: Type.String({ description: 'The error and its fix: Failed to X: cause. Do Y.' }),
    }),
  },
  {
    $id: 'Error',
    examples: [
      {
        error: {
          code: 'MOMO_MOCK_REQUEST_INVALID',
          message: 'Failed to read responses[0].staus: unknown field. Did you mean "status"?',
        },
      },
    ],
  },
);

/** The errors that every route can return. */
const ALWAYS: readonly ControlCode[] = [
  'MOMO_MOCK_REQUEST_INVALID',
  'MOMO_MOCK_TOKEN',
  'MOMO_MOCK_HOST_REFUSED',
  'MOMO_MOCK_ORIGIN_REFUSED',
];
/** The errors of routes that read a body. */
export const WRITES: readonly ControlCode[] = ['MOMO_MOCK_TOO_LARGE', 'MOMO_MOCK_CONTENT_TYPE'];

/** Describes the errors that a route can return, including those of all routes. */
export function errors(...codes: readonly ControlCode[]): object {
  const all = [...codes, ...ALWAYS];
  const content = { 'application/json': { schema: ERROR } };
  const described = all.map((code) => {
    const same = all.filter((other) => STATUSES[other] === STATUSES[code]);
    return [STATUSES[code], { description: same.join(', '), content }];
  });
  return Object.fromEntries(described);
}

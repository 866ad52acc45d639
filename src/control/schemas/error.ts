import * as Type from 'typebox';
import { STATUSES } from '../control-error.ts';

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

import * as Type from 'typebox';
import { MAX_BEFORE_MS } from '../limits.ts';

/** Whether a webhook arrives before its response. */
export const beforeResponse = (description: string) =>
  Type.Optional(
    Type.Union([Type.Boolean(), Type.Integer({ minimum: 1, maximum: MAX_BEFORE_MS })], {
      description,
      default: false,
    }),
  );

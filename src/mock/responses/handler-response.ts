import * as Type from 'typebox';
import { define, withRule } from '../json/define.ts';
import type { Definition } from '../json/definition.ts';
import type { HandlerResponse } from '../operations/handler.ts';
import { HINT, REASON } from '../requests/reason-schema.ts';
import { RESPONSE_FIELDS, type ResponseFile } from './scripted-response.ts';

export const HANDLER_RESPONSE: Definition<ResponseFile & HandlerResponse> = define(
  withRule(
    Type.Object(
      {
        ...RESPONSE_FIELDS,
        reason: Type.Optional(REASON('Why the request is refused.')),
        hint: Type.Optional(HINT),
      },
      { $id: 'Response', additionalProperties: false },
    ),
    ({ status = 200, reason, hint }) => {
      if (reason !== undefined && status < 400) {
        return ['reason', 'must be left out with a status below 400'];
      }
      return hint === undefined || reason !== undefined ? undefined : ['hint', 'needs a reason'];
    },
  ),
);

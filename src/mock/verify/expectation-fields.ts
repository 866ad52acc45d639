import * as Type from 'typebox';
import { MOST_TIMES } from '../limits.ts';
import { jsonValue } from '../scripted-response.ts';

/** The definition of optional names and texts, such as headers. */
export const texts = (description: string) =>
  Type.Optional(
    Type.Record(
      Type.String(),
      Type.Union([Type.String(), Type.Immutable(Type.Array(Type.String()))], {
        title: 'text or a list of texts',
      }),
      { description, title: 'an object of names and texts' },
    ),
  );
const number = (minimum: number, options: object = {}) =>
  Type.Integer({ minimum, maximum: MOST_TIMES, ...options });

/** The definitions of the headers and the body of an expectation. */
export const CONTENT_FIELDS = {
  headers: texts('Headers, of which there may be more.'),
  body: Type.Optional(
    jsonValue({
      description:
        'JSON or text that the body contains. Objects may have more fields than the given ones; lists must have the same items in the same order.',
    }),
  ),
};

/** The definition of `times` of an expectation. */
export const TIMES = Type.Optional(
  Type.Union(
    [
      number(0),
      Type.Refine(
        Type.Object(
          { min: Type.Optional(number(0)), max: Type.Optional(number(0)) },
          { additionalProperties: false },
        ),
        ({ min = 0, max = Infinity }) => min <= max,
        () => 'min: must be at most max',
      ),
    ],
    {
      description: 'The number of matches. The default is at least one.',
      title: `a whole number from 0 to ${MOST_TIMES}, or an object with some of min, max`,
    },
  ),
);

/** The definition of `times` in a list of expectations. */
export const STEP_TIMES = Type.Optional(number(1, { default: 1 }));

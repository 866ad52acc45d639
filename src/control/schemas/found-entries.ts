import * as Type from 'typebox';

/**
 * The definition of the entries of a journal that match a filter.
 *
 * @param name the name of the field with the entries
 */
export function foundEntries(name: 'requests' | 'callbacks', entry: object) {
  return Type.Object(
    {
      [name]: Type.Array(entry as Type.TSchema),
      dropped: Type.Integer({
        description:
          'The number of entries of all accounts that were removed to make room for newer ones.',
        minimum: 0,
      }),
      total: Type.Integer({
        description: 'The number of entries that match, regardless of the limit.',
        minimum: 0,
      }),
    },
    {
      description: `The ${name} that match the filter.`,
      examples: [{ [name]: [], dropped: 0, total: 0 }],
    },
  );
}

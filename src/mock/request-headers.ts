/** Names are in lower case. A repeated header has a list of values. */
export type RequestHeaders = Readonly<Record<string, string | readonly string[] | undefined>>;

/** The fields of a header block, a query or a form, by name. A repeated name has a list of values. */
export function fieldsOf(
  pairs: Iterable<readonly [name: string, value: string]>,
): Record<string, string | string[]> {
  const lists = new Map<string, string[]>();
  for (const [name, value] of pairs) {
    const list = lists.get(name);
    if (list === undefined) lists.set(name, [value]);
    else list.push(value);
  }
  // fromEntries creates an ordinary property even for `__proto__`.
  return Object.fromEntries(
    [...lists].map(([name, list]) => [name, list.length === 1 ? (list[0] ?? '') : list]),
  );
}

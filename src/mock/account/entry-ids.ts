const known = new WeakMap<object, number>();
let newest = 0;

/** The ids of what is scripted. An entry keeps its id, while its place becomes that of another one. */
export function idsOf(entries: readonly object[]): number[] {
  return entries.map((entry) => {
    const id = known.get(entry) ?? ++newest;
    known.set(entry, id);
    return id;
  });
}

/** The candidate that is spelt most like a name. Loaded only when something was misspelt. */
export async function nearest(name: string, candidates: readonly string[]): Promise<string> {
  const { closest } = await import('fastest-levenshtein');
  return closest(name, candidates);
}

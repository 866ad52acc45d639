/** The sentence for a field that is refused: an unknown field is named by its own problem. */
export function refusal(problem: string): string {
  return problem.startsWith('Unknown ') ? problem : `Failed to read ${problem}`;
}

/** What an act throws. */
export function thrown(act: () => unknown): { code: string; message: string } {
  try {
    act();
  } catch (error) {
    return error as { code: string; message: string };
  }
  throw new Error('nothing was thrown');
}

/**
 * A function that runs a task now, or as soon as may be: never twice at a time, and not too often.
 * A task that fails is not run again: without a connection, everything is loaded when it is back.
 *
 * @param gap the shortest time between two runs, in ms
 * @param share the least time between two runs, as a multiple of that of the last run
 */
export function throttled(task: () => Promise<unknown>, gap: number, share = 0): () => void {
  let isBusy = false;
  let isWanted = false;
  const run = async () => {
    isBusy = true;
    while (isWanted) {
      isWanted = false;
      const start = performance.now();
      await task().catch(() => {});
      const pause = Math.max(gap, (performance.now() - start) * share);
      await new Promise((resolve) => setTimeout(resolve, pause));
    }
    isBusy = false;
  };
  return () => {
    isWanted = true;
    if (!isBusy) void run();
  };
}

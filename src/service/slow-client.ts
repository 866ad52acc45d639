import type { ServerResponse } from 'node:http';

/**
 * Cuts off clients that do not take their answer.
 *
 * @param patience how long a client may take a piece of it, in ms
 * @returns to be called when an answer has been ended. Most are taken at once and need no timer:
 *   those that end together are looked at together
 */
export function cutOffSlow(patience: number): (response: ServerResponse) => void {
  let ended: ServerResponse[] = [];
  const look = (): void => {
    const waiting = ended.filter((response) => !response.writableFinished);
    ended = [];
    for (const response of waiting) response.setTimeout(patience);
  };
  return (response) => {
    if (ended.push(response) === 1) setImmediate(look);
  };
}

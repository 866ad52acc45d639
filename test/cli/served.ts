import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, onTestFinished } from 'vitest';
import { type Call, type Ended, start } from '../support/command-in-process.ts';
import { temporaryFolder } from '../support/fixture-folder.ts';

/** A mock of the command, in this process. */
export interface Served {
  readonly url: string;
  readonly ca: string;
  readonly apiKey: string;
  readonly controlUrl: string;
  /** The folder of its certificate. */
  readonly certsDir: string;
  /** All that it has written. */
  readonly output: () => string;
  /** Ends it by a signal. */
  readonly stop: () => Promise<Ended>;
}

/**
 * Runs `momo-mock serve` in this process, on free ports, with the default key. It ends with the test,
 * where that does not end it.
 */
export async function serveHere(flags: readonly string[] = [], call: Call = {}): Promise<Served> {
  const certsDir = temporaryFolder();
  const own = ['--port', '0', '--control-port', '0', '--certs-dir', certsDir];
  const { ended, output } = start([...own, ...flags], call);
  let isRunning = true;
  ended.then(() => {
    isRunning = false;
  });
  const stop = () => {
    if (isRunning) process.emit('SIGTERM', 'SIGTERM');
    return ended;
  };
  onTestFinished(async () => void (await stop()));
  // At a terminal the banner says it, elsewhere the ready record.
  await expect.poll(() => !isRunning || /apikey=.*\n|"ready".*\n/.test(output())).toBe(true);
  if (!isRunning) throw new Error(`it ended: ${output()}`);
  const [url = ''] = /https:\/\/[^\s/"]+/.exec(output()) ?? [];
  const [controlUrl = ''] = /http:\/\/[^\s/"]+/.exec(output()) ?? [];
  const ca = readFileSync(join(certsDir, 'momo-mock.pem'), 'utf8');
  return { url, ca, apiKey: 'momo_test_key', controlUrl, certsDir, output, stop };
}

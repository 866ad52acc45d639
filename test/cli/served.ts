import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect } from 'vitest';
import { type Call, type Ended, emptyFolder, start } from '../support/command-in-process.ts';

/** A mock of the command, in this process. */
export interface Served {
  readonly url: string;
  readonly ca: string;
  readonly apikey: string;
  readonly controlUrl: string;
  /** The folder of its certificate. */
  readonly certsDir: string;
  /** All that it has written. */
  readonly output: () => string;
  /** Ends it by a signal. */
  readonly stop: () => Promise<Ended>;
}

/** Runs `momo-mock serve` in this process, on free ports, with the default key. */
export async function serveHere(flags: readonly string[] = [], call: Call = {}): Promise<Served> {
  const certsDir = emptyFolder();
  const own = ['--port', '0', '--control-port', '0', '--certs-dir', certsDir];
  const { ended, output } = start([...own, ...flags], call);
  let hasEnded = false;
  ended.then(() => {
    hasEnded = true;
  });
  // At a terminal the banner says it, elsewhere the ready record.
  await expect.poll(() => hasEnded || /apikey=.*\n|"ready".*\n/.test(output())).toBe(true);
  if (hasEnded) throw new Error(`it ended: ${output()}`);
  const [url = ''] = /https:\/\/[^/"]+/.exec(output()) ?? [];
  const [controlUrl = ''] = /http:\/\/[^\s/"]+/.exec(output()) ?? [];
  const stop = () => {
    process.emit('SIGTERM', 'SIGTERM');
    return ended;
  };
  const file = join(certsDir, 'momo-mock.pem');
  const ca = readFileSync(file, 'utf8');
  return { url, ca, apikey: 'momo_test_key', controlUrl, certsDir, output, stop };
}

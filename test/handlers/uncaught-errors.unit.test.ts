import { expect, it } from 'vitest';
import { createLogger } from '../../src/log/logger.ts';
import { Redactor } from '../../src/mock/redaction/redaction.ts';
import { uncaughtErrorLog } from '../../src/service/handler-errors.ts';

/** Reports for a program in `/app/dist`, and the records that they log. */
async function reports() {
  const records: Record<string, unknown>[] = [];
  const stream = { write: (line: string) => void records.push(JSON.parse(line)) };
  const logger = await createLogger({ level: 'info', stream });
  const redactor = new Redactor();
  redactor.remember('secret-key');
  return { report: uncaughtErrorLog(logger, redactor, '/app/dist'), records };
}

const NODE = 'process.processTicksAndRejections (node:internal/process/task_queues:95:5)';
const OWN = ['send (/app/dist/momo-mock.cjs:10:5)', 'file:///app/dist/service/app.js:3:2', NODE];

/** Gives an error the stack of these frames. */
function withStack<Thrown extends Error>(error: Thrown, frames: readonly string[]): Thrown {
  const stack = [`${error.name}: ${error.message}`, ...frames.map((frame) => `    at ${frame}`)];
  return Object.assign(error, { stack: stack.join('\n') });
}

it('an error with only frames of momo-mock is a bug in momo-mock, with its stack', async () => {
  const { report, records } = await reports();
  report(withStack(new TypeError('canary'), OWN));
  expect(records).toEqual([
    expect.objectContaining({
      level: 50,
      msg: 'Failed to run: a bug in momo-mock',
      error: 'TypeError',
      at: OWN.map((frame) => `at ${frame}`),
    }),
  ]);
});

it.each([
  ['a file of a tree', 'file:///home/u/a.js?momo-mock=ab_0.1:4:9', '/home/u/a.js:4:9'],
  ['another file', 'run (/home/u/secret-key/lib.cjs:7:1)', '/home/u/[redacted]/lib.cjs:7:1'],
  ['another module', 'async file:///home/u/lib.mjs:7:1', 'file:///home/u/lib.mjs:7:1'],
  ['a Windows file', 'run (C:\\u\\lib.cjs:7:1)', 'C:\\u\\lib.cjs:7:1'],
])('an error with a frame of %s is attributed to a handler there', async (_where, frame, place) => {
  const { report, records } = await reports();
  report(withStack(new Error('canary'), [...OWN.slice(0, 2), frame, NODE]));
  const msg = `Failed to run handler code at ${place}: it threw an Error. Nothing caught it: await the promise, or handle the error event.`;
  expect(records).toEqual([expect.objectContaining({ level: 50, msg })]);
});

import { EventEmitter, once } from 'node:events';
import { readdirSync } from 'node:fs';
import { constants } from 'node:os';
import { describe, expect, it, onTestFinished } from 'vitest';
import { SAME_SIGNAL } from '../../src/cli/signals.ts';
import { type Destination, LEAST_PATIENCE, LogOutput, MOST_WAITING } from '../../src/log-output.ts';
import { createLogger } from '../../src/logger.ts';
import {
  type Ended,
  emptyFolder,
  FREE_PORTS,
  signalUntilEnded,
  spawnCommand,
  spawnWaitingForKeys,
} from '../spawned-command.ts';
import { blockOf, readDocument, rowsBelow } from './documents.ts';

const DOCUMENT = readDocument('docs/signals.md');

const ROWS = rowsBelow(DOCUMENT, 'Signals').map(([signal = '', , serve = '', run = '']) => ({
  signal: signal as NodeJS.Signals,
  serve,
  run,
}));

/** What a shell makes of how a process ended. */
const shellCode = ({ code, signal }: Ended) => code ?? 128 + constants.signals[signal ?? 'SIGKILL'];

/** The exit code that is written in a cell. */
const codeIn = (cell: string) => Number(/: (\d+)/.exec(cell)?.[1]);

/** A command that prints its id and the given signal's answer, 7. */
const command = (signal: string) => [
  process.execPath,
  '-e',
  `${signal === 'SIGKILL' ? '' : `process.on('${signal}', () => process.exit(7));`}
  setInterval(() => {}, 1000); console.log(process.pid)`,
];

it('lists the signals that ask a process to end', () => {
  const names = ['SIGINT', 'SIGTERM', 'SIGHUP', 'SIGQUIT', 'SIGKILL'];
  expect(ROWS.map(({ signal }) => signal)).toEqual(names);
});

describe.each(ROWS)('$signal', ({ signal, serve, run }) => {
  it(`to serve ${serve}`, async () => {
    const { child, ready, ended } = await spawnCommand(FREE_PORTS);
    await ready;
    child.kill(signal);
    expect(shellCode(await ended)).toBe(codeIn(serve));
  });

  it(`to run ${run}`, async () => {
    const TMPDIR = await emptyFolder();
    const { child, ended } = await spawnCommand(['run', '--', ...command(signal)], {
      env: { TMPDIR },
    });
    const [pid] = await once(child.stdout, 'data');
    onTestFinished(() => {
      if (run.includes('goes on')) process.kill(Number(pid), 'SIGKILL');
    });
    const exited = once(child, 'exit');
    child.kill(signal);
    if (run === 'is passed on to the command') {
      expect(shellCode(await ended)).toBe(7);
      expect(readdirSync(TMPDIR)).toEqual([]);
    } else {
      expect(await exited).toEqual([null, signal]);
      expect(codeIn(run)).toBe(128 + constants.signals[signal]);
      expect(run).toMatch(/the command goes on, and the run's folder is left$/);
      expect(process.kill(Number(pid), 0)).toBe(true);
      expect(readdirSync(TMPDIR)).toHaveLength(1);
    }
  });
});

it('gives the exit codes of a second signal', async () => {
  const signals = ['SIGINT', 'SIGTERM', 'SIGHUP'] as const;
  const codes: number[] = [];
  for (const signal of signals) {
    const { child, ended } = await spawnWaitingForKeys((flags) => [...FREE_PORTS, ...flags]);
    signalUntilEnded(child, signal);
    codes.push(shellCode(await ended));
  }
  const [first, second, third] = codes;
  expect(DOCUMENT).toContain(
    `A second ${signals[0]}, ${signals[1]} or ${signals[2]} ends \`serve\``,
  );
  expect(DOCUMENT).toContain(`the exit codes are ${first}, ${second} and ${third}.`);
});

it('gives the times and sizes of the code', () => {
  expect(DOCUMENT).toContain(`within ${SAME_SIGNAL} ms of the first`);
  expect(DOCUMENT).toContain(`It keeps ${MOST_WAITING / 1024} KiB of log lines`);
  expect(LEAST_PATIENCE).toBe(1000);
  expect(DOCUMENT).toContain('and at least a second');
});

it('shows the record that says how many lines were dropped', async () => {
  const destination = new EventEmitter() as EventEmitter & Destination;
  let written = '';
  destination.write = (line) => {
    written = line;
  };
  const output = new LogOutput(destination);
  await createLogger({ level: 'info', stream: output, output });
  const shown = JSON.parse(blockOf(DOCUMENT, 'json dropped'));
  for (let dropped = 0; dropped < shown.dropped; dropped++) destination.emit('drop');
  destination.emit('drain');
  expect({ ...JSON.parse(written), time: shown.time }).toEqual(shown);
});

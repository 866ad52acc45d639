import { EventEmitter } from 'node:events';
import { describe, expect, it } from 'vitest';
import { FREE_PORTS, spawnCommand } from '../support/command.ts';
import {
  createLogger,
  type Destination,
  LogOutput,
  logRequest,
  RequestRecord,
} from '../support/program.ts';
import { blockOf, readDocument, rowsBelow } from './documents.ts';

const DOCUMENT = readDocument('docs/logs.md');
const LOG = rowsBelow(DOCUMENT, 'Log records');

const wordsIn = (cell = '') => [...cell.matchAll(/`(\w+)`/g)].map(([, name]) => name);

describe('docs/logs.md', () => {
  it('has the fields of the ready record', async () => {
    const { ready, child, ended } = await spawnCommand(FREE_PORTS);
    const fields = Object.keys(await ready);
    child.kill();
    await ended;
    const [, , more] = LOG.find(([name]) => name === '`ready`') ?? [];
    expect(['level', 'time', ...wordsIn(more), 'msg']).toEqual(fields);
  });

  it('has all fields of the record of a request', async () => {
    let written = '';
    const stream = {
      write: (line: string) => {
        written = line;
      },
    };
    const logger = await createLogger({ level: 'info', stream });
    const record = Object.assign(
      new RequestRecord({
        method: 'GET',
        headers: {},
        tls: null,
        target: null,
        operation: null,
        loggedPath: '/',
      }),
      { account: 'account-1', status: 401, source: 'error', variant: 'empty', fault: 'reset' },
      { reason: 'key-missing', durationMs: 1, aborted: true },
    );
    logRequest(logger, record, 'ECONNRESET');
    const fields = Object.keys(JSON.parse(written)).filter(
      (name) => !['level', 'time', 'msg'].includes(name),
    );
    const rows = LOG.filter(([, , more]) => more === undefined).map(([name]) => name);
    const [line] = /^A request has one record.*$/m.exec(DOCUMENT) ?? [];
    const shown = [...wordsIn(line), ...rows.flatMap((cell) => wordsIn(cell))];
    expect(shown.toSorted()).toEqual(fields.toSorted());
  });

  it('shows the records of a stop', async () => {
    const { child, ready, ended } = await spawnCommand(FREE_PORTS);
    await ready;
    child.kill('SIGTERM');
    const records = (text: string) =>
      text
        .trim()
        .split('\n')
        .map((line) => ({ ...JSON.parse(line), time: 0 }));
    const shown = records(blockOf(DOCUMENT, 'json stop'));
    expect(records((await ended).stdout).slice(1)).toEqual(shown);
  });

  it('shows the record that says that lines were dropped', async () => {
    const destination = new EventEmitter() as EventEmitter & Destination;
    let written = '';
    destination.write = (line) => {
      written = line;
    };
    const output = new LogOutput(destination);
    await createLogger({ level: 'info', stream: output, output });
    const shown = JSON.parse(blockOf(DOCUMENT, 'json dropped'));
    destination.emit('drop');
    destination.emit('drain');
    expect({ ...JSON.parse(written), time: shown.time }).toEqual(shown);
  });
});

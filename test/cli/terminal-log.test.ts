import { stripVTControlCharacters } from 'node:util';
import { expect, test } from 'vitest';
import { terminalStream } from '../../src/cli/terminal-log.ts';
import { createLogger, type Logger } from '../../src/logger.ts';

/** A log at a terminal, and what it shows without the time of each line. */
async function atTerminal({ colors = false, columns = 80 } = {}) {
  let shown = '';
  const write = (text: string) => {
    shown += text;
  };
  const stream = terminalStream({ columns, hasColors: () => colors }, { write });
  const logger: Logger = await createLogger({ level: 'info', stream });
  return { logger, shown: () => shown.replaceAll(/\d\d:\d\d:\d\d/g, 'TIME') };
}

const GOOD = { method: 'GET', path: '/momo/balance', account: 'account-1', status: 200 };

test.each<[name: string, record: Record<string, unknown>, line: string]>([
  ['a good answer', { ...GOOD, source: 'fixture' }, 'GET /momo/balance account-1 200'],
  ['a variant', { ...GOOD, variant: 'empty' }, 'GET /momo/balance account-1 200 variant empty'],
  [
    'a balance that was set',
    { ...GOOD, source: 'override' },
    'GET /momo/balance account-1 200 balance set by a test',
  ],
  [
    'a scripted fault that the client did not wait for',
    { ...GOOD, status: undefined, source: 'script', fault: 'hang', aborted: true },
    'GET /momo/balance account-1 scripted, fault hang, aborted by the client',
  ],
  [
    'an error response',
    { method: 'GET', path: '/momo/balance', status: 401, reason: 'key-missing', hint: 'Add it.' },
    'GET /momo/balance 401 key-missing\n         Add it.',
  ],
  [
    'a broken handshake',
    { reason: 'tls-handshake', cause: 'ERR_SSL_X', hint: 'Trust it.' },
    '(no request) tls-handshake, ERR_SSL_X\n         Trust it.',
  ],
])('shows %s in a line', async (_name, record, line) => {
  const { logger, shown } = await atTerminal();
  logger.info(record, 'request');
  expect(shown()).toBe(`TIME ${line}\n`);
});

test('shows a hint once for many requests in a row', async () => {
  const { logger, shown } = await atTerminal();
  const missing = { ...GOOD, status: 401, reason: 'key-missing', hint: 'Add it.' };
  for (const record of [missing, missing, GOOD, missing]) logger.info(record, 'request');
  expect(shown().match(/Add it\./g)).toHaveLength(2);
});

test('marks warnings and errors, and keeps all lines of one together', async () => {
  const { logger, shown } = await atTerminal();
  logger.info('Read again.');
  logger.warn('Wrong here.\nAnd there.');
  expect(shown()).toBe('TIME Read again.\nTIME ! Wrong here.\n         And there.\n');
});

test('shows the signal of a stop', async () => {
  const { logger, shown } = await atTerminal();
  logger.info({ signal: 'SIGTERM' }, 'stopping');
  logger.info('stopped');
  expect(shown()).toBe('TIME stopping (SIGTERM)\nTIME stopped\n');
});

test('has colours where the terminal has them, the same text under them, and none elsewhere', async () => {
  const [plain, colored] = await Promise.all([atTerminal(), atTerminal({ colors: true })]);
  for (const { logger } of [plain, colored]) {
    for (const status of [200, 304, 401, 503]) logger.info({ ...GOOD, status }, 'request');
    logger.warn('careful');
    logger.error('broken');
  }
  expect(plain.shown()).not.toContain('\x1b');
  for (const code of [32, 36, 33, 31, 90]) expect(colored.shown()).toContain(`\x1b[${code}m`);
  expect(stripVTControlCharacters(colored.shown())).toBe(plain.shown());
});

test('cuts a path that would make a line wrap, and nothing else', async () => {
  const { logger, shown } = await atTerminal({ columns: 60 });
  logger.info({ ...GOOD, path: `/momo/${'a'.repeat(100)}/b` }, 'request');
  const [line = ''] = shown().replace('TIME', '00:00:00').split('\n');
  expect(line).toHaveLength(60);
  expect(line).toMatch(/^00:00:00 GET \/momo\/a+… account-1 200$/);
  const unknown = await atTerminal({ columns: 0 });
  unknown.logger.info({ ...GOOD, path: `/momo/${'a'.repeat(100)}` }, 'request');
  expect(unknown.shown()).toContain('a'.repeat(100));
});

test('sends the terminal no control character, wherever it came from', async () => {
  const { logger, shown } = await atTerminal();
  const evil = 'a\x1b[2J\x07\x9b31m\r\x7f\u202eb';
  logger.info({ ...GOOD, path: `/${evil}\n`, account: evil, cause: evil }, 'request');
  logger.warn(`Failed to read ${evil}.`);
  expect(shown()).not.toMatch(/[^\P{C}\n]/u);
  expect(shown()).toContain('a\uFFFD[2J');
  expect(shown().split('\n')).toHaveLength(3);
});

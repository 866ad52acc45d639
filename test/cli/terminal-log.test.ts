import { once } from 'node:events';
import { join } from 'node:path';
import { connect } from 'node:tls';
import { stripVTControlCharacters } from 'node:util';
import { describe, expect, it } from 'vitest';
import { ask, control, send } from '../support/client.ts';
import type { Call } from '../support/command-in-process.ts';
import { temporaryFolder, writeFiles } from '../support/fixture-folder.ts';
import { type Served, serveHere } from './served.ts';

/** A mock at a terminal, and what it shows below its banner, without the time of each line. */
async function atTerminal(flags: readonly string[] = [], call: Call = {}) {
  const served = await serveHere(flags, { isTerminal: true, ...call });
  const banner = served.output().length;
  const shown = () =>
    served
      .output()
      .slice(banner)
      .replaceAll(/\d\d:\d\d:\d\d/g, 'TIME');
  return { ...served, shown };
}

const GOOD = 'GET /momo/balance account-1 200';

/** Sets something, then asks. */
const askAfter = (line: string, body: unknown) => async (mock: Served) => {
  await control(mock, line, { body });
  await ask(mock);
};

describe('a terminal shows', () => {
  it.each<[string, (mock: Served) => unknown, string]>([
    ['a good response', ask, GOOD],
    ['a variant', askAfter('PUT /variant', { variant: 'empty' }), `${GOOD} variant empty`],
    ['a balance that was set', askAfter('PUT /balance', {}), `${GOOD} set balance`],
    [
      'a scripted response',
      askAfter('PUT /responses', { status: 503 }),
      'GET /momo/balance account-1 503 scripted',
    ],
    [
      'a preflight',
      (mock) =>
        send(mock, '/momo/balance', {
          method: 'OPTIONS',
          headers: { origin: 'http://a.example', 'access-control-request-method': 'GET' },
        }),
      'OPTIONS /momo/balance 204 CORS preflight',
    ],
    [
      'a scripted fault that the client did not wait for',
      async (mock) => {
        await control(mock, 'PUT /responses', { body: { fault: 'hang' } });
        const left = new AbortController();
        const response = ask(mock, '/momo/balance', { signal: left.signal }).catch(() => {});
        await control(mock, 'GET /requests?waitFor=1');
        left.abort();
        await response;
      },
      'GET /momo/balance account-1 scripted, fault hang, aborted by the client',
    ],
  ])('one line for %s', async (_what, act, line) => {
    const mock = await atTerminal();
    await act(mock);
    await expect.poll(mock.shown).toBe(`TIME ${line}\n`);
  });

  it('why a request was rejected, with the hint once for many in a row', async () => {
    const mock = await atTerminal();
    await send(mock, '/momo/balance');
    await send(mock, '/momo/balance');
    await ask(mock);
    await send(mock, '/momo/balance');
    const [rejected = '', hint = ''] = mock.shown().split('\n');
    expect(rejected).toBe('TIME GET /momo/balance 401 key-missing');
    expect(hint).toMatch(/^ {9}The query has no apikey/);
    const twice = `${rejected}\n${hint}\n${rejected}\n`;
    const shown = `${twice}TIME ${GOOD}\n${rejected}\n${hint}\n`;
    await expect.poll(mock.shown).toBe(shown);
  });

  it('a failed handshake', async () => {
    const mock = await atTerminal();
    const socket = connect({ port: Number(new URL(mock.url).port), host: 'localhost' });
    await once(socket, 'error');
    await expect.poll(mock.shown).toMatch(/^TIME \(no request\) tls-handshake, .+\n {9}\S.+\n$/);
  });

  it('warnings with a mark, the lines of one warning together, and reloaded files', async () => {
    const fixtures = temporaryFolder();
    const file = 'momo/balance.get.json';
    writeFiles(fixtures, { [file]: '{}' });
    const mock = await atTerminal(['--fixtures-dir', fixtures]);
    writeFiles(fixtures, { [file]: '{' });
    await expect.poll(mock.shown).toMatch(/^TIME ! Failed to read .+\n {9}.*still served.*\n$/);
    writeFiles(fixtures, { [file]: '{"v":1}' });
    await expect.poll(mock.shown).toMatch(/still served.*\nTIME (?!!).+\n$/);
  });

  it('the signal that stops the mock', async () => {
    const mock = await atTerminal();
    await mock.stop();
    expect(mock.shown()).toBe('TIME stopping (SIGTERM)\nTIME stopped\n');
  });

  it('no control character from any source', async () => {
    // The fixtures themselves cannot have such names.
    const fixtures = join(temporaryFolder(), 'a\x1b[2J\x07\x9b31m\r\x7f\u202eb');
    writeFiles(fixtures, { 'momo/balance.get.js': 'export default () => { throw new Error(); }' });
    const mock = await atTerminal(['--fixtures-dir', fixtures]);
    await ask(mock);
    expect(mock.shown()).not.toMatch(/[^\P{C}\n]/u);
    expect(mock.shown()).toContain('a\uFFFD[2J');
  });
});

it('a terminal with colors shows the same text', async () => {
  const [plain = '', colored = ''] = await inTurn([false, true], async (hasColors) => {
    const mock = await atTerminal([], { hasColors });
    const statuses = [200, 304, 401, 503].map((status) => ({ status }));
    await control(mock, 'PUT /responses', { body: statuses });
    for (const _ of statuses) await ask(mock);
    await mock.stop();
    return mock.shown();
  });
  expect(plain).not.toContain('\x1b');
  for (const [code, text] of [
    [32, '200'],
    [36, '304'],
    [33, '401'],
    [31, '503'],
    [90, 'TIME'],
  ]) {
    expect(colored).toContain(`\x1b[${code}m${text}\x1b[39m`);
  }
  expect(stripVTControlCharacters(colored)).toBe(plain);
});

it.each([
  [60, /^GET \/momo\/a[a/]+… account-1 404 unknown-path$/],
  [0, /^GET \/momo\/(?:a{20}\/){5}b account-1 404 unknown-path$/],
])('only the path is cut in a line that would wrap at %i columns', async (columns, line) => {
  const mock = await atTerminal([], { columns });
  await ask(mock, `/momo/${`${'a'.repeat(20)}/`.repeat(5)}b`);
  await expect.poll(mock.shown).toContain('\n');
  const [first = ''] = mock.shown().replace('TIME', '00:00:00').split('\n');
  expect(first.slice('00:00:00 '.length)).toMatch(line);
  if (columns > 0) expect(first).toHaveLength(columns);
});

async function inTurn<One, Result>(all: readonly One[], act: (one: One) => Promise<Result>) {
  const results: Result[] = [];
  for (const one of all) results.push(await act(one));
  return results;
}

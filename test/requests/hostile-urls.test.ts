import crypto from 'node:crypto';
import { readFileSync } from 'node:fs';
import { afterEach, describe, expect, it, vi } from 'vitest';
import { replaceBuiltin } from '../support/builtin.ts';
import { ask, control } from '../support/client.ts';
import { temporaryFolder, writeFiles } from '../support/fixture-folder.ts';
import { sharedMock, startMock } from '../support/mock.ts';
import { talkTo } from '../support/raw-connection.ts';
import { runMock } from '../support/running-mock.ts';

const KEY = 'apikey=momo_test_key';
const mock = sharedMock({}, { control: true });
const BALANCE = JSON.parse(readFileSync('fixtures/momo/balance.get.json', 'utf8'));

afterEach(async () => {
  expect(await ask(mock())).toMatchObject({ status: 200, json: BALANCE });
});

describe('a preflight', () => {
  const preflight = (asked: string, key = KEY) =>
    `OPTIONS /momo/balance?${key} HTTP/1.1\r\nHost: x\r\nOrigin: http://a.example\r\nAccess-Control-Request-Method: GET\r\nConnection: close\r\nAccess-Control-Request-Headers: ${asked}\r\n\r\n`;

  it.each([
    ...['\rx-injected: 1', '\nx-injected: 1', '\0', '\x7f', '\xff\xfe', '\t', ' ', '__proto__'],
    ...['a'.repeat(15_000), 'a'.repeat(20_000)],
  ])('that asks for the header %j injects no other header', async (piece) => {
    const reply = await talkTo(mock(), preflight(`a${piece}b`));
    expect(reply).toMatch(/^HTTP\/1\.1 (?:204|400|431) /);
    expect(reply).not.toMatch(/^x-injected/im);
  });

  it('that asks for a configured key shows it in neither the journal nor the log', async () => {
    const running = await runMock({ API_KEYS: 'good-key' });
    const reply = await talkTo(running, preflight('x, good-key', 'apikey=good-key'));
    expect(reply).toMatch(/^HTTP\/1\.1 204 /);
    const journal = (await control(running, 'GET /requests')).text;
    expect(journal).toContain('preflight');
    expect(journal + JSON.stringify(running.records)).not.toContain('good-key');
  });
});

describe('a URL does not lead out of the fixtures, or to a file by its name', () => {
  it.each(['/..', '/%2e%2e', '/..%2f..', '/..%5c..', '/%2e%2e%2f', '/..%c0%af', '/..;', ''])(
    'with %j',
    async (up) => {
      const secret = temporaryFolder();
      writeFiles(secret, { 'secret.get.json': '"out of the tree"' });
      const ends = [`${secret}/secret`, '/secret', '/package.json', '/momo/balance.get.json'];
      for (const end of [...ends, '/momo%2fbalance', '/momo%5cbalance']) {
        for (const target of [`${up}${end}`, `/momo${up}${up}${end}`]) {
          const reply = await talkTo(mock(), `GET ${target}?${KEY} HTTP/1.1\r\nHost: x\r\n\r\n`);
          expect(reply, target).toMatch(/^HTTP\/1\.1 40[04] /);
          expect(reply, target).not.toContain('out of the tree');
        }
      }
    },
  );
});

it('a token of the control API is compared in constant time, whatever its length', async () => {
  const compare = vi.fn(crypto.timingSafeEqual);
  replaceBuiltin(crypto, 'timingSafeEqual', compare);
  const guarded = await startMock({}, { control: { token: 'sekret-token' } });
  const bring = async (token: string) =>
    (await control(guarded, 'GET /balance', { headers: { authorization: `Bearer ${token}` } }))
      .status;
  const wrong = ['s', 'sekret-tokem', 'sekret-token-and-more', 'x'.repeat(10_000), '\xff'];
  for (const token of wrong) expect(await bring(token)).toBe(401);
  expect(await bring('sekret-token')).toBe(204);
  const { calls } = compare.mock;
  expect(calls).toHaveLength(wrong.length + 1);
  for (const [one, other] of calls) expect(one.byteLength).toBe(other.byteLength);
});

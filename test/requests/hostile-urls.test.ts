import { readFileSync } from 'node:fs';
import { afterEach, describe, expect, it } from 'vitest';
import { ask } from '../support/client.ts';
import { temporaryFolder, writeFiles } from '../support/fixture-folder.ts';
import { sharedMock } from '../support/mock.ts';
import { talkTo } from '../support/raw-connection.ts';

const BALANCE = JSON.parse(readFileSync('fixtures/momo/balance.get.json', 'utf8'));
const mock = sharedMock();

afterEach(async () => {
  expect(await ask(mock())).toMatchObject({ status: 200, json: BALANCE });
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
          const response = await talkTo(
            mock(),
            `GET ${target}?apikey=momo_test_key HTTP/1.1\r\nHost: x\r\n\r\n`,
          );
          expect(response, target).toMatch(/^HTTP\/1\.1 40[04] /);
          expect(response, target).not.toContain('out of the tree');
        }
      }
    },
  );
});

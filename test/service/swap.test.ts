import { once } from 'node:events';
import { mkdir, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { text } from 'node:stream/consumers';
import { connect } from 'node:tls';
import { expect, test } from 'vitest';
import { temporaryFolder } from '../support/fixture-folder.ts';
import { runMock } from '../support/running-mock.ts';

test('a changed tree is served from the next request on, and a request under way ends on the old one', async () => {
  const dir = temporaryFolder();
  await mkdir(join(dir, 'momo'));
  const file = join(dir, 'momo/balance.get.json');
  await writeFile(file, '"before"');
  const mock = await runMock({ FIXTURES_DIR: dir });
  const client = connect({ port: mock.port, host: 'localhost', ca: mock.ca });
  await once(client, 'secureConnect');
  const head = 'GET /momo/balance?apikey=good HTTP/1.1\r\nHost: x\r\nConnection: close\r\n';
  client.write(`${head}Content-Length: 4\r\n\r\nab`);
  await mock.controller.requests(undefined, { waitFor: 1 });
  const ask = async () => (await mock.get('/momo/balance?apikey=good')).body;
  expect(await ask()).toBe('"before"');
  await writeFile(file, '"after"');
  await expect.poll(ask).toBe('"after"');
  client.write('cd');
  expect(await text(client)).toMatch(/"before"$/);
});

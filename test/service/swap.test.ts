import { once } from 'node:events';
import { mkdir, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { text } from 'node:stream/consumers';
import { connect } from 'node:tls';
import { expect, test } from 'vitest';
import { runMock } from '../support/running-mock.ts';
import { temporaryFolder } from '../tls/temporary-folder.ts';
import { serviceAppOf, treeOf } from './service-app.ts';

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

test('an application over 1,000 operations lets other work have its turn while it is made', async () => {
  const tree = treeOf(...Array.from({ length: 1000 }, (_, at) => `GET /momo/operation-${at}`));
  let turns = 0;
  const count = () => {
    turns++;
    immediate = setImmediate(count);
  };
  let immediate = setImmediate(count);
  const { ask } = await serviceAppOf(tree);
  clearImmediate(immediate);
  expect(turns).toBeGreaterThan(10);
  expect(await ask('GET', '/momo/operation-999?apikey=good')).toMatchObject({ status: 200 });
});

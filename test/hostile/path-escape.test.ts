import { symlink, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { expect, it } from 'vitest';
import { sendOverTls } from '../support/raw-connection.ts';
import { runMock } from '../support/running-mock.ts';
import { temporaryFolder } from '../tls/temporary-folder.ts';

it('no URL leads out of the fixture tree, or to its files by their names', async () => {
  const root = temporaryFolder();
  await writeFile(join(root, 'secret.get.json'), '"out of the tree"');
  const mock = await runMock();
  const up = ['..', '%2e%2e', '.%2e', '..%2f..', '..%5c..', '%2e%2e%2f', '..%c0%af', '..;'];
  const ends = [join(root, 'secret'), '/secret', '/package.json', '/momo/balance.get.json'];
  const targets = up.flatMap((dots) =>
    ends.flatMap((end) => [`/${dots}${end}`, `/momo/${dots}/${dots}${end}`, `/${dots}${end}%00`]),
  );
  for (const target of [...targets, ...ends.slice(0, 3), '/momo%2fbalance', '/momo%5cbalance']) {
    const reply = await sendOverTls(
      mock,
      `GET ${target}?apikey=good HTTP/1.1\r\nHost: x\r\nConnection: close\r\n\r\n`,
    );
    expect(reply, target).toMatch(/^HTTP\/1\.1 40[04] /);
    expect(reply, target).not.toContain('out of the tree');
  }
});

it('no link in the tree leads out of it', async () => {
  const root = temporaryFolder();
  const tree = temporaryFolder();
  await writeFile(join(root, 'secret.get.json'), '"out of the tree"');
  await symlink(join(root, 'secret.get.json'), join(tree, 'secret.get.json'));
  await expect(runMock({ FIXTURES_DIR: tree })).rejects.toThrow(
    'a place outside the fixtures folder',
  );
});

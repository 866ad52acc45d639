import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, it, onTestFinished } from 'vitest';
import { FREE_PORTS, spawnCommand, usedFolder } from '../support/command.ts';
import { writeFiles } from '../support/fixture-folder.ts';
import { startMock } from '../support/mock.ts';
import { connectMomoMock } from '../support/momo-mock.ts';
import { NOTIFY, notify } from '../support/webhook.ts';

it('a webhook goes over HTTPS if NODE_EXTRA_CA_CERTS trusts the application', async () => {
  const app = await startMock();
  const cwd = usedFolder();
  writeFiles(join(cwd, 'fixtures'), NOTIFY);
  writeFileSync(join(cwd, 'ca.pem'), app.ca);
  const env = { NODE_EXTRA_CA_CERTS: join(cwd, 'ca.pem') };
  const { ready } = await spawnCommand(FREE_PORTS, { cwd, env });
  const mock = await connectMomoMock(`${(await ready).controlUrl}`);
  onTestFinished(() => mock.close());
  const webhook = { url: `${app.url}/momo/balance?apikey=${app.apiKey}`, method: 'GET' };
  await notify(mock, webhook);
  expect(await mock.webhooks({ waitFor: 1 })).toMatchObject([{ status: 200 }]);
  // What breaks after the handshake is no failure of it.
  await app.respondWith({ fault: 'close' });
  await notify(mock, webhook);
  expect(await mock.webhooks({ waitFor: 2 })).toMatchObject([
    { status: 200 },
    { reason: 'connection-failed' },
  ]);
});

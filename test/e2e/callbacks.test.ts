import { once } from 'node:events';
import { mkdir, writeFile } from 'node:fs/promises';
import { createServer } from 'node:https';
import type { AddressInfo } from 'node:net';
import { join } from 'node:path';
import { expect, it, onTestFinished } from 'vitest';
import { connectMomoMock } from '../../src/library/connect-momo-mock.ts';
import { makeCertificateInMemory } from '../../src/tls/memory-certificate.ts';
import { send } from '../library/client.ts';
import { FREE_PORTS, spawnCommand, usedFolder } from '../support/command.ts';

/** An application over HTTPS, with a certificate of its own. */
async function application() {
  const { cert, key } = await makeCertificateInMemory({ hosts: [] });
  const server = createServer({ cert, key }, (_request, response) => response.end());
  await new Promise<void>((done) => server.listen(0, '127.0.0.1', done));
  onTestFinished(() => void server.close());
  return { cert, url: `https://localhost:${(server.address() as AddressInfo).port}/` };
}

it.each([
  ['is not called', false, { status: null, reason: 'tls-failed' }],
  ['that NODE_EXTRA_CA_CERTS trusts is called', true, { status: 200, reason: null }],
] as const)('an application over HTTPS %s', async (_what, isTrusted, expected) => {
  const { cert, url } = await application();
  const cwd = await usedFolder();
  await mkdir(join(cwd, 'fixtures/momo'), { recursive: true });
  await writeFile(
    join(cwd, 'fixtures/momo/pay.post.js'),
    `export default (_request, { callback }) => callback({ url: '${url}' });`,
  );
  await writeFile(join(cwd, 'ca.pem'), cert);
  const env: Record<string, string> = isTrusted ? { NODE_EXTRA_CA_CERTS: join(cwd, 'ca.pem') } : {};
  const { ready } = await spawnCommand(FREE_PORTS, { cwd, env });
  const { controlUrl } = await ready;
  const mock = await connectMomoMock(controlUrl ?? '');
  await once(send(mock, '/momo/pay', 'POST'), 'response');
  expect(await mock.callbacks({ waitFor: 1 })).toMatchObject([expected]);
});

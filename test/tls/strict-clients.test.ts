import { writeFileSync } from 'node:fs';
import { createServer } from 'node:https';
import type { AddressInfo } from 'node:net';
import { networkInterfaces } from 'node:os';
import { join } from 'node:path';
import { describe, expect, onTestFinished, test } from 'vitest';
import { obtainCertificate } from '../../src/tls/certificate.ts';
import { makeCertificate, makeKey, pemOf } from '../../src/tls/self-signed.ts';
import { isInstalled, STRICT_CLIENTS, type Target } from './strict-client.ts';
import { temporaryFolder } from './temporary-folder.ts';

// Go compiles its client, Java starts two virtual machines.
const TIMEOUT = 120_000;
const HAS_IPV6 = Object.values(networkInterfaces()).some((list) =>
  list?.some(({ address }) => address === '::1'),
);

/** A server with the pair, and where to reach it as `host`, trusting `ca`. */
async function serve(pair: { cert: string; key: string }, host: string, ca: string) {
  const server = createServer({ cert: pair.cert, key: pair.key }, (_, response) => {
    response.writeHead(200, { connection: 'close' }).end('{}');
  });
  await new Promise<void>((resolve) => server.listen(0, resolve));
  onTestFinished(() => void server.close());
  const caFile = join(temporaryFolder(), 'ca.pem');
  writeFileSync(caFile, ca);
  const { port } = server.address() as AddressInfo;
  return { host, port, ca, caFile } satisfies Target;
}

describe.each(STRICT_CLIENTS)('$name', ({ needs, connect }) => {
  const reason = isInstalled(needs) ? undefined : `${needs[0]} is not installed`;

  test.for(['localhost', '127.0.0.1', '::1'])(
    'accepts the certificate for %s',
    { timeout: TIMEOUT },
    async (host, ctx) => {
      if (reason) ctx.skip(reason);
      if (host === '::1' && !HAS_IPV6) ctx.skip('there is no IPv6 here');
      const pair = await obtainCertificate({ certsDir: temporaryFolder(), hosts: [] });
      await connect(await serve(pair, host, pair.cert));
    },
  );

  test('refuses a certificate for another name', { timeout: TIMEOUT }, async (ctx) => {
    if (reason) ctx.skip(reason);
    const key = makeKey();
    const cert = await makeCertificate({ key, names: ['wrong.test'], now: new Date() });
    await expect(
      connect(await serve({ cert, key: pemOf(key) }, 'localhost', cert)),
    ).rejects.toThrow(
      /host ?name|altnames|alternative|not valid for|valid for wrong|No name matching|does(?:n't| not) match/i,
    );
  });

  test('refuses a certificate that it was not told to trust', { timeout: TIMEOUT }, async (ctx) => {
    if (reason) ctx.skip(reason);
    const pair = await obtainCertificate({ certsDir: temporaryFolder(), hosts: [] });
    const other = await obtainCertificate({ certsDir: temporaryFolder(), hosts: [] });
    await expect(connect(await serve(pair, 'localhost', other.cert))).rejects.toThrow(
      /self-?signed|unable to find valid certification path|unknown|NOT trusted|signature/i,
    );
  });
});

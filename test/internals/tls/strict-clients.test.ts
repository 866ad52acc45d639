import { createServer, type Server } from 'node:https';
import type { AddressInfo } from 'node:net';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { type Certificate, credentialsFor } from '../../../src/tls/certificate.ts';
import { obtainCertificate } from '../../../src/tls/certificate-store.ts';
import { TLS_MODES, type TlsMode } from '../../../src/tls/tls-mode.ts';
import { temporaryFolder } from '../../support/fixture-folder.ts';
import { needsIpv6, notInstalled } from '../../support/machine.ts';
import { NODE_VERIFIES_IPV6 } from '../../support/node-verifies-ipv6.ts';
import { isInstalled } from './client-command.ts';
import { STRICT_CLIENTS } from './strict-client.ts';

// Go compiles its client, Java starts virtual machines.
const TIMEOUT = 120_000;

const certsDir = temporaryFolder(afterAll);
let certificate: Certificate;
let server: Server;

beforeAll(async () => {
  certificate = await obtainCertificate({ certsDir, hosts: [] });
  server = createServer(await credentialsFor(certificate, 'normal'), (_, response) => {
    response.writeHead(200, { connection: 'close' }).end('{}');
  });
  await new Promise<void>((resolve) => server.listen(0, resolve));
}, TIMEOUT);

afterAll(() => void server.close());

const target = (host: string) => ({
  host,
  port: (server.address() as AddressInfo).port,
  ca: certificate.cert,
  caFile: certificate.file ?? '',
});

const serve = async (mode: TlsMode) =>
  server.setSecureContext(await credentialsFor(certificate, mode));

describe.each(STRICT_CLIENTS)('$name', { timeout: TIMEOUT }, (client) => {
  const { needs } = client;
  const missing = needs && !isInstalled(needs) ? notInstalled(needs[0]) : undefined;

  beforeAll(async () => {
    if (missing) return;
    await client.prepare?.(target(''));
    return () => client.end?.();
  }, TIMEOUT);

  for (const mode of TLS_MODES) {
    const words = mode === 'normal' ? undefined : client.refusals[mode];
    if (words === undefined) continue;
    test(`refuses the certificate of mode ${mode}`, async (ctx) => {
      if (missing) ctx.skip(missing);
      await serve(mode);
      await expect(client.connect(target('localhost'))).rejects.toThrow(words);
    });
  }

  test.for(client.hosts ?? ['localhost', '127.0.0.1', '::1'])(
    'accepts the certificate of mode normal for %s after that',
    async (host, ctx) => {
      if (missing) ctx.skip(missing);
      if (host === '::1') needsIpv6(ctx);
      if (host === '::1' && client.name.startsWith('Node') && !NODE_VERIFIES_IPV6) {
        ctx.skip('this Node refuses every certificate for ::1');
      }
      await serve('normal');
      await client.connect(target(host));
    },
  );
});

import { execFileSync } from 'node:child_process';
import type { X509Certificate } from 'node:crypto';
import { once } from 'node:events';
import { readFileSync, writeFileSync } from 'node:fs';
import { Agent } from 'node:https';
import { type AddressInfo, createServer, connect as plainConnect } from 'node:net';
import { join } from 'node:path';
import { connect } from 'node:tls';
import { expect, it, onTestFinished } from 'vitest';
import { ask } from '../support/client.ts';
import { temporaryFolder } from '../support/fixture-folder.ts';
import { gate } from '../support/gate.ts';
import { needs } from '../support/machine.ts';
import { startMock, type TestMock } from '../support/mock.ts';
import type { MomoTlsMode } from '../support/momo-mock.ts';

/** What a client that trusts the mock says to each mode. */
const SAID = {
  normal: 200,
  expired: 'CERT_HAS_EXPIRED',
  'wrong-host': 'ERR_TLS_CERT_ALTNAME_INVALID',
  untrusted: 'DEPTH_ZERO_SELF_SIGNED_CERT',
};
const MODES = Object.keys(SAID) as MomoTlsMode[];

/** The status of a request, or the code of its error. */
const outcome = (mock: TestMock, agent: Agent | false = false, options = {}) =>
  ask(mock, '/momo/balance', { agent, ...options }).then(
    ({ status }) => status,
    ({ code }) => code,
  );

/** The certificate that is served, whatever it is worth. */
async function served({ url }: TestMock): Promise<X509Certificate> {
  const { hostname: host, port } = new URL(url);
  const socket = connect({ host, port: Number(port), rejectUnauthorized: false });
  await once(socket, 'secureConnect');
  const certificate = socket.getPeerX509Certificate();
  socket.destroy();
  return certificate as X509Certificate;
}

it('a TLS mode applies immediately, even to a client that could resume its session', async () => {
  const mock = await startMock();
  // Without keepAlive each request connects; the agent resumes the TLS session where it can.
  const agent = new Agent({ ca: mock.ca });
  for (const mode of [...MODES, 'expired', 'normal'] as const) {
    await mock.setTls(mode);
    expect([await outcome(mock, agent), await outcome(mock, agent)]).toEqual(
      Array(2).fill(SAID[mode]),
    );
  }
  // A client that refused the certificate has sent no request.
  expect((await mock.requests({ status: 200 })).map(({ tls }) => tls)).toEqual(
    Array(4).fill('normal'),
  );
});

it('a client meets the new certificate with its next request, whether its connection is idle or busy', async () => {
  const mock = await startMock();
  const agent = new Agent({ ca: mock.ca, keepAlive: true, maxSockets: 1 });
  onTestFinished(() => agent.destroy());
  const connections = new Set<unknown>();
  agent.on('keylog', (_line, socket) => connections.add(socket));
  expect([await outcome(mock, agent), await outcome(mock, agent)]).toEqual([200, 200]);
  expect(connections.size).toBe(1);
  await mock.setTls('expired');
  expect(await outcome(mock, agent)).toBe(SAID.expired);
  await mock.setTls('normal');
  const [arrival, release] = [gate(), gate()];
  await mock.handle('GET /momo/balance', async () => {
    arrival.open();
    await release.opened;
  });
  const busy = ask(mock, '/momo/balance', { agent });
  // It waits for the only connection, so it is sent in the moment in which the first one has ended.
  const next = outcome(mock, agent);
  await arrival.opened;
  await mock.setTls('expired');
  release.open();
  const { status, headers } = await busy;
  expect([status, headers.connection]).toEqual([200, 'close']);
  expect(await next).toBe(SAID.expired);
  expect(await mock.requests({ status: 200 })).toHaveLength(3);
});

// In process alone: over HTTP each call has a connection of its own, and any may arrive first.
it('the last of several TLS modes that are set at the same time applies', async () => {
  const mock = await startMock();
  const modes = ['expired', 'untrusted', 'wrong-host'] as const;
  await Promise.all(modes.map((mode) => mock.setTls(mode)));
  expect(await outcome(mock)).toBe(SAID['wrong-host']);
});

it.each(MODES)(
  'a client that does not verify accepts %s, and the journal shows it',
  async (mode) => {
    const mock = await startMock();
    await mock.setTls(mode);
    expect(await outcome(mock, false, { rejectUnauthorized: false })).toBe(200);
    expect(await mock.requests()).toMatchObject([{ status: 200, tls: mode }]);
  },
);

it('the certificate of the mode untrusted has the right names, is valid, is not a CA, and has a new key each time', async () => {
  const mock = await startMock({}, { tlsHosts: ['momo.test'] });
  const own = await served(mock);
  const keys = [own.publicKey.export({ type: 'spki', format: 'pem' })];
  for (const mode of ['untrusted', 'normal', 'untrusted'] as const) {
    await mock.setTls(mode);
    if (mode === 'normal') continue;
    const { subjectAltName, ca, validFrom, validTo, publicKey } = await served(mock);
    expect({ subjectAltName, ca }).toEqual({ subjectAltName: own.subjectAltName, ca: false });
    expect(Date.parse(validFrom)).toBeLessThan(Date.now());
    expect(Date.parse(validTo)).toBeGreaterThan(Date.now());
    keys.push(publicKey.export({ type: 'spki', format: 'pem' }));
  }
  expect(new Set(keys).size).toBe(3);
});

it('a client that trusts the certificates of two mocks reaches both', async () => {
  const mocks = [
    await startMock({}, { tlsHosts: ['a.test'] }),
    await startMock({}, { tlsHosts: ['b.test'] }),
  ];
  const ca = mocks.map((mock) => mock.ca);
  expect(ca[0]).not.toBe(ca[1]);
  for (const mock of mocks) expect(await outcome(mock, false, { ca })).toBe(200);
});

it('no client trusts the wrong modes of a mock with the pair of the user', async (context) => {
  needs(context, 'openssl');
  const folder = temporaryFolder();
  const [tlsCertFile, tlsKeyFile] = [join(folder, 'cert.pem'), join(folder, 'key.pem')];
  const name = ['-subj', '/CN=own', '-addext', 'subjectAltName=DNS:own.test,DNS:localhost'];
  const files = ['-nodes', '-keyout', tlsKeyFile, '-out', tlsCertFile];
  const args = ['req', '-x509', '-newkey', 'rsa:2048', '-days', '90', ...files, ...name];
  execFileSync('openssl', args, { stdio: 'pipe' });
  // In a real chain, the certificate that signed the first one would stand here.
  const { ca: other } = await startMock();
  const chain = `${readFileSync(tlsCertFile)}${other.split(/(?<=-----END CERTIFICATE-----\n)/)[0]}`;
  writeFileSync(tlsCertFile, chain);
  const mock = await startMock({}, { tlsCertFile, tlsKeyFile });
  expect(mock.ca).toBe(chain);
  // Node checks the dates of a certificate that it does not trust, other clients do not.
  const unknown = SAID.untrusted;
  for (const [mode, said] of Object.entries({ ...SAID, 'wrong-host': unknown })) {
    await mock.setTls(mode as MomoTlsMode);
    expect(await outcome(mock), mode).toBe(said);
    const leaf = await served(mock);
    expect(Date.parse(leaf.validTo) < Date.now(), mode).toBe(mode === 'expired');
    expect(leaf.checkHost('own.test') === undefined, mode).toBe(mode === 'wrong-host');
  }
});

it('a pair of momo-mock that is configured as the pair of the user has its modes', async () => {
  const certsDir = temporaryFolder();
  const { ca } = await startMock({}, { certsDir });
  const tlsCertFile = join(certsDir, 'momo-mock.pem');
  const tlsKeyFile = join(certsDir, 'momo-mock-key.pem');
  const mock = await startMock({}, { tlsCertFile, tlsKeyFile });
  expect([mock.ca, mock.caFile]).toEqual([ca, tlsCertFile]);
  for (const mode of MODES) {
    await mock.setTls(mode);
    expect(await outcome(mock)).toBe(SAID[mode]);
  }
});

it('the journal shows the mode of the certificate, also if another mode was set during the handshake', async () => {
  const mock = await startMock();
  const { port, hostname } = new URL(mock.url);
  let hold: (release: () => void) => void;
  const isHeld = new Promise<() => void>((resolve) => (hold = resolve));
  // Keeps what the mock sends until the client may have it.
  const relay = createServer((client) => {
    const server = plainConnect(Number(port), hostname);
    client.pipe(server);
    server.once('readable', () => hold(() => server.pipe(client)));
    client.on('error', () => server.destroy());
    server.on('error', () => client.destroy());
  });
  relay.listen(0, hostname);
  onTestFinished(() => void relay.close());
  await once(relay, 'listening');
  const { port: own } = relay.address() as AddressInfo;
  const requested = ask({ ...mock, url: `https://${hostname}:${own}` });
  const release = await isHeld;
  await mock.setTls('expired');
  release();
  expect((await requested).status).toBe(200);
  expect((await mock.requests({ status: 200 })).map(({ tls }) => tls)).toEqual(['normal']);
});

import { execFileSync } from 'node:child_process';
import { once } from 'node:events';
import { writeFileSync } from 'node:fs';
import { Agent, get } from 'node:https';
import net from 'node:net';
import { join } from 'node:path';
import tls, { connect as named, type TLSSocket } from 'node:tls';
import { describe, expect, it, onTestFinished, vi } from 'vitest';
import { temporaryFolder } from '../support/fixture-folder.ts';
import { needs } from '../support/machine.ts';
import { describeBothWays, startMock } from '../support/mock.ts';
import { connectMomoMock, startMomoMock } from '../support/momo-mock.ts';
import { REAL_ADDRESS, startRealHost } from '../support/real-host.ts';
import { NOTIFY, notify } from '../support/webhook.ts';

const HOST = 'api.example.com';
const { connect } = tls;

/** Asks for a host's balance, with a new connection or an agent's. */
async function statusAt(host: string, { apiKey }: { apiKey: string }, options: object = {}) {
  const target = `https://${host}/momo/balance?apikey=${apiKey}`;
  const [response] = await once(get(target, { agent: false, ...options }), 'response');
  response.resume();
  await once(response, 'end');
  return response.statusCode as number;
}

/** Waits until a TLS connection is verified, and closes it. */
async function shake(socket: TLSSocket): Promise<boolean> {
  await once(socket, 'secureConnect');
  socket.destroy();
  return socket.authorized;
}

describeBothWays((open) => {
  it('a mock redirects a host on any port and in any letter case, until it is undone', async () => {
    const mock = await open();
    const undo = mock.redirect('API.Example.com.');
    for (const host of [HOST, 'API.EXAMPLE.COM', `${HOST}:8443`]) {
      expect(await statusAt(host, mock)).toBe(200);
    }
    const response = await fetch(`https://${HOST}/momo/balance?apikey=${mock.apiKey}`);
    expect(response.status).toBe(200);
    await response.text();
    undo();
    undo();
    expect(tls.connect).toBe(connect);
  });

  it('a mock responds to plain HTTP of a redirected host, until it is undone', async (context) => {
    const mock = await open();
    const undo = mock.redirect(REAL_ADDRESS);
    const real = await startRealHost(context);
    const url = `http://${REAL_ADDRESS}:${real.port}/momo/balance?apikey=${mock.apiKey}`;
    const response = await fetch(url);
    expect([response.status, await response.text()]).toEqual([
      400,
      expect.stringContaining('HTTPS'),
    ]);
    expect(real.connections()).toBe(0);
    undo();
    await expect(fetch(url)).rejects.toThrow('fetch failed');
    expect(real.connections()).toBe(1);
  });

  it('redirects several hosts or none', async () => {
    const mock = await open();
    const other = 'other.example.com';
    const undo = mock.redirect([HOST, other]);
    expect([await statusAt(HOST, mock), await statusAt(other, mock)]).toEqual([200, 200]);
    expect(() => mock.redirect(['third.example.com', other])).toThrow('already redirects it');
    undo();
    expect(tls.connect).toBe(connect);
    for (const hosts of [['localhost'], [HOST, 'localhost'], [HOST, 5 as never]]) {
      expect(() => mock.redirect(hosts)).toThrow('Failed to read host: ');
    }
    expect(tls.connect).toBe(connect);
  });

  it('ends the redirected connections, which agents keep', async () => {
    const mock = await open();
    const agent = new Agent({ keepAlive: true });
    onTestFinished(() => agent.destroy());
    for (const end of [mock.redirect(HOST), () => mock.close()]) {
      if (end.length === 0 && tls.connect === connect) mock.redirect(HOST);
      await statusAt(HOST, mock, { agent });
      const [[kept] = []] = Object.values(agent.freeSockets);
      const closed = once(kept as TLSSocket, 'close');
      await end();
      expect(kept?.destroyed).toBe(true);
      await closed;
      expect(tls.connect).toBe(connect);
    }
  });

  it('the TLS modes fail redirected clients that verify, and no others', async () => {
    const mock = await open();
    mock.redirect(HOST);
    const codes: Record<string, unknown> = {
      expired: 'CERT_HAS_EXPIRED',
      'wrong-host': 'ERR_TLS_CERT_ALTNAME_INVALID',
      untrusted: 'DEPTH_ZERO_SELF_SIGNED_CERT',
    };
    const agent = new Agent({ keepAlive: false, maxCachedSessions: 10 });
    expect(await statusAt(HOST, mock, { agent })).toBe(200);
    for (const [mode, code] of Object.entries(codes)) {
      await mock.setTls(mode as 'expired');
      await expect(statusAt(HOST, mock, { agent })).rejects.toMatchObject({ code });
      expect(await statusAt(HOST, mock, { rejectUnauthorized: false })).toBe(200);
    }
  });

  it('a redirect keeps the ca of a client, and its own check of the name', async () => {
    const mock = await open();
    mock.redirect(HOST);
    expect(await statusAt(HOST, mock, { ca: tls.rootCertificates[0] })).toBe(200);
    const checkServerIdentity = vi.fn(() => new Error('not this one'));
    await expect(statusAt(HOST, mock, { checkServerIdentity })).rejects.toThrow('not this one');
    expect(checkServerIdentity).toHaveBeenCalledWith('localhost', expect.anything());
  });

  it('a redirect drops the options that lead to another place', async () => {
    const mock = await open();
    mock.redirect(HOST);
    const lookup = () => expect.unreachable();
    const other = { lookup, family: 6, localAddress: '192.0.2.1', socketPath: '/nowhere' };
    expect(await statusAt(HOST, mock, other)).toBe(200);
  });

  it('redirect() says why a value is not a host', async () => {
    const mock = await open();
    for (const host of ['https://a.example', '', '*.example.com', 'a b', 1, undefined]) {
      expect(() => mock.redirect(host as string)).toThrow(
        expect.objectContaining({
          code: 'MOMO_MOCK_REQUEST_INVALID',
          message: expect.stringMatching(/^Failed to read host: it is not a host name\. /),
        }),
      );
    }
    expect(() => mock.redirect('localhost')).toThrow(/this machine\. Use trust\(\)/);
    await mock.close();
    const closed = expect.objectContaining({ code: 'MOMO_MOCK_CLOSED' });
    expect(() => mock.redirect(HOST)).toThrow(closed);
    expect(() => mock.trust()).toThrow(closed);
    expect(tls.connect).toBe(connect);
  });

  it('redirect() refuses a host that this mock or another open one redirects', async () => {
    const [mock, other] = [await open(), await open()];
    mock.redirect(HOST);
    for (const one of [mock, other]) {
      expect(() => one.redirect('API.example.com')).toThrow(
        'Failed to redirect api.example.com: this mock or another open one already redirects it. ',
      );
    }
    other.redirect('other.example.com');
    await mock.setBalance({ balance: 1 });
    expect(await statusAt('other.example.com', other)).toBe(200);
    expect([await other.requests(), await mock.requests()]).toEqual([[expect.anything()], []]);
    await mock.close();
    other.redirect(HOST);
    expect(await statusAt(HOST, other)).toBe(200);
  });
});

describe('each way to call tls.connect', () => {
  const FORMS: [string, () => TLSSocket][] = [
    ['options', () => tls.connect({ host: HOST, port: 443 })],
    ['a port and a host', () => tls.connect(443, HOST)],
    ['a port, a host and options', () => tls.connect(443, HOST, { ALPNProtocols: ['http/1.1'] })],
    ['a port and options', () => tls.connect(443, { host: HOST })],
    ['a named import', () => named({ host: HOST, port: 443 })],
    ['a tunnel and a name', () => tls.connect({ socket: new net.Socket(), servername: HOST })],
  ];
  it.each(FORMS)('is redirected: %s', async (_form, open) => {
    const mock = await startMock();
    mock.redirect(HOST);
    expect(await shake(open())).toBe(true);
  });

  it('calls the listener after the redirect', async () => {
    const mock = await startMock();
    mock.redirect(HOST);
    const socket: TLSSocket = await new Promise((resolve) => {
      const opened: TLSSocket = tls.connect(443, HOST, {}, () => resolve(opened));
    });
    socket.destroy();
    expect(socket.authorized).toBe(true);
  });

  it('ends a tunnel that is not used', async () => {
    const mock = await startMock();
    mock.redirect(HOST);
    const tunnel = new net.Socket();
    await shake(tls.connect({ socket: tunnel, servername: HOST }));
    await expect.poll(() => tunnel.destroyed).toBe(true);
  });
});

it('redirect is an option of both libraries, for one host or several', async () => {
  const mock = await startMomoMock({ control: true, redirect: HOST });
  onTestFinished(() => mock.close());
  expect(await statusAt(HOST, mock)).toBe(200);
  const redirect = ['a.example.com', 'b.example.com'];
  const connection = await connectMomoMock(`${mock.controlUrl}`, { redirect });
  onTestFinished(() => connection.close());
  for (const host of redirect) expect(await statusAt(host, connection)).toBe(200);
});

it('an option that names a host that is already redirected closes the mock', async () => {
  const mock = await startMomoMock({ control: true, redirect: HOST });
  onTestFinished(() => mock.close());
  const options = { redirect: ['a.example.com', HOST] };
  await expect(startMomoMock(options)).rejects.toThrow('already redirects it');
  await expect(connectMomoMock(`${mock.controlUrl}`, options)).rejects.toThrow('already redirects');
  await mock.close();
  expect(tls.connect).toBe(connect);
});

it.each(['http', 'https'])(
  'a redirect does not apply to the %s webhooks of momo-mock itself',
  async (scheme) => {
    const host = 'app.example.invalid';
    const mock = await startMock(NOTIFY, { redirect: host, webhookHosts: [host] });
    await notify(mock, { url: `${scheme}://${host}/hook` });
    const [attempt] = await mock.webhooks({ waitFor: 1 });
    expect(attempt).toMatchObject({ status: null, reason: 'connection-failed' });
    expect(await mock.requests()).toHaveLength(1);
  },
);

it("a redirect verifies a name of the user's own certificate, whose authority this process does not know", async (context) => {
  needs(context, 'openssl');
  const folder = temporaryFolder();
  const openssl = (...args: string[]) =>
    execFileSync('openssl', args, { cwd: folder, stdio: 'pipe' });
  const key = ['-nodes', '-newkey', 'ec', '-pkeyopt', 'ec_paramgen_curve:P-256'];
  openssl('req', '-x509', ...key, '-keyout', 'ca-key.pem', '-out', 'ca.pem', '-subj', '/CN=ca');
  openssl('req', ...key, '-keyout', 'key.pem', '-out', 'request.pem', '-subj', '/CN=momo.test');
  writeFileSync(join(folder, 'names'), 'subjectAltName=DNS:*.momo.test');
  const issuer = ['-CA', 'ca.pem', '-CAkey', 'ca-key.pem', '-CAcreateserial'];
  openssl('x509', '-req', '-in', 'request.pem', ...issuer, '-extfile', 'names', '-out', 'cert.pem');
  const mock = await startMomoMock({
    tlsCertFile: join(folder, 'cert.pem'),
    tlsKeyFile: join(folder, 'key.pem'),
    redirect: HOST,
  });
  onTestFinished(() => mock.close());
  expect(await statusAt(HOST, mock)).toBe(200);
  for (const mode of ['expired', 'wrong-host', 'untrusted'] as const) {
    await mock.setTls(mode);
    await expect(statusAt(HOST, mock)).rejects.toMatchObject({ code: expect.any(String) });
  }
});

import { existsSync, mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import tls from 'node:tls';
import { describe, expect, it, onTestFinished, vi } from 'vitest';
import { ask } from '../support/client.ts';
import { needsProcessTrust } from '../support/machine.ts';
import { describeBothWays } from '../support/mock.ts';
import {
  connectMomoMock,
  type MomoMock,
  type MomoTarget,
  startMomoMock,
} from '../support/momo-mock.ts';

const balanceOf = ({ url, apikey }: MomoTarget) => `${url}/momo/balance?apikey=${apikey}`;

async function statusBy(target: MomoTarget, trust: object): Promise<number | undefined> {
  return (await ask(target, undefined, { ca: undefined, ...trust })).status;
}

const UNTRUSTED = { code: 'DEPTH_ZERO_SELF_SIGNED_CERT' };

/** The status that the global fetch gets, which is given a URL alone. */
async function statusByUrl(target: MomoTarget): Promise<number> {
  const response = await fetch(balanceOf(target), { headers: { connection: 'close' } });
  await response.arrayBuffer();
  return response.status;
}

describeBothWays((open) => {
  it.each([
    ['an account', async (mock: MomoMock) => await mock.createAccount()],
    ['the mock', async (mock: MomoMock) => mock],
  ])('%s has what each kind of client needs to trust it', async (_what, targetOf) => {
    const target = await targetOf(await open());
    expect(await statusBy(target, { agent: target.agent })).toBe(200);
    expect(await statusBy(target, target.connect)).toBe(200);
    const ca = readFileSync(target.caFile);
    expect(await statusBy(target, { ca })).toBe(200);
  });

  it('has one file to trust, which is gone when it is closed', async () => {
    const mock = await open();
    const account = await mock.createAccount();
    const { caFile } = mock;
    expect(account.caFile).toBe(caFile);
    await mock.close();
    expect(existsSync(caFile)).toBe(false);
    expect(() => mock.caFile).toThrow(expect.objectContaining({ code: 'MOMO_MOCK_CLOSED' }));
    expect(() => account.caFile).toThrow(expect.objectContaining({ code: 'MOMO_MOCK_CLOSED' }));
  });

  it('says which folder cannot hold the file, and what to do', async () => {
    const mock = await open();
    vi.stubEnv('TMPDIR', '/nowhere/at-all');
    onTestFinished(() => void vi.unstubAllEnvs());
    expect(() => mock.caFile).toThrow(
      expect.objectContaining({
        code: 'MOMO_MOCK_FOLDER_UNUSABLE',
        message: expect.stringMatching(/\/nowhere\/at-all .*ENOENT.* TMPDIR .* ca /),
      }),
    );
    vi.unstubAllEnvs();
    expect(existsSync(mock.caFile)).toBe(true);
  });
});

it('has the file of a folder for certificates, which stays', async () => {
  const certsDir = mkdtempSync(join(tmpdir(), 'momo-mock-trust-'));
  onTestFinished(() => rmSync(certsDir, { recursive: true }));
  const mock = await startMomoMock({ certsDir });
  expect(mock.caFile).toBe(join(certsDir, 'momo-mock.pem'));
  await mock.close();
  expect(existsSync(join(certsDir, 'momo-mock.pem'))).toBe(true);
});

describe('the option trustInProcess', () => {
  it('lets fetch trust each mock until that one is closed', async (context) => {
    needsProcessTrust(context);
    // Mocks of one process share a certificate where they have the same names.
    const plain = await startMomoMock({ tlsHosts: ['plain.test'] });
    onTestFinished(() => plain.close());
    await expect(statusBy(plain, {})).rejects.toMatchObject(UNTRUSTED);
    const first = await startMomoMock({ trustInProcess: true });
    const second = await startMomoMock({ trustInProcess: true, tlsHosts: ['second.test'] });
    onTestFinished(() => second.close());
    expect([await statusByUrl(first), await statusByUrl(second)]).toEqual([200, 200]);
    await expect(statusBy(plain, {})).rejects.toMatchObject(UNTRUSTED);
    await first.close();
    expect(await statusByUrl(second)).toBe(200);
    const again = await startMomoMock();
    onTestFinished(() => again.close());
    await expect(statusBy(again, {})).rejects.toMatchObject(UNTRUSTED);
  });

  it('ends with the last mock that shares a certificate', async (context) => {
    needsProcessTrust(context);
    const mock = await startMomoMock({ control: true });
    onTestFinished(() => mock.close());
    const connections = await Promise.all(
      [0, 1].map(() => connectMomoMock(mock.controlUrl ?? '', { trustInProcess: true })),
    );
    expect(await statusByUrl(mock)).toBe(200);
    await connections[0]?.close();
    expect(await statusByUrl(mock)).toBe(200);
    await connections[1]?.close();
    await expect(statusBy(mock, {})).rejects.toMatchObject(UNTRUSTED);
  });

  it('is a clear error on a Node that has no means for it, and nothing is started', async () => {
    const { setDefaultCACertificates } = tls as { setDefaultCACertificates?: unknown };
    Object.assign(tls, { setDefaultCACertificates: undefined });
    onTestFinished(() => void Object.assign(tls, { setDefaultCACertificates }));
    const tooOld = {
      name: 'MomoMockError',
      code: 'MOMO_MOCK_NODE_TOO_OLD',
      message: expect.stringMatching(/trustInProcess.* Node 22\.19, 24\.5 or newer.*momo-mock run/),
    };
    await expect(startMomoMock({ trustInProcess: true })).rejects.toMatchObject(tooOld);
    const nowhere = connectMomoMock('http://localhost:1', { trustInProcess: true });
    await expect(nowhere).rejects.toMatchObject(tooOld);
  });
});

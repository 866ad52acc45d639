import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import tls from 'node:tls';
import { describe, expect, it, onTestFinished, vi } from 'vitest';
import { ask } from '../support/client.ts';
import { temporaryFolder } from '../support/fixture-folder.ts';
import { describeBothWays } from '../support/mock.ts';
import {
  connectMomoMock,
  type MomoMock,
  type MomoTarget,
  startMomoMock,
} from '../support/momo-mock.ts';

const { connect } = tls;

const balanceOf = ({ url, apiKey }: MomoTarget) => `${url}/momo/balance?apikey=${apiKey}`;

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
    expect(await statusBy(target, target.connectOptions)).toBe(200);
    const ca = readFileSync(target.caFile);
    expect(await statusBy(target, { ca })).toBe(200);
  });

  it('a mock has one certificate file, which its close removes', async () => {
    const mock = await open();
    const account = await mock.createAccount();
    const { caFile } = mock;
    expect(account.caFile).toBe(caFile);
    await mock.close();
    expect(existsSync(caFile)).toBe(false);
    expect(() => mock.caFile).toThrow(expect.objectContaining({ code: 'MOMO_MOCK_CLOSED' }));
    expect(() => account.caFile).toThrow(expect.objectContaining({ code: 'MOMO_MOCK_CLOSED' }));
  });

  it('an error names the folder that cannot hold the file, and says what to do', async () => {
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

it('a mock with a folder for certificates uses the file there, and keeps it', async () => {
  const certsDir = temporaryFolder();
  const mock = await startMomoMock({ certsDir });
  expect(mock.caFile).toBe(join(certsDir, 'momo-mock.pem'));
  await mock.close();
  expect(existsSync(join(certsDir, 'momo-mock.pem'))).toBe(true);
});

describeBothWays((open) => {
  it('trust() lets fetch trust the mock at its own URL, until it is undone', async () => {
    const [mock, plain] = [await open(), await open()];
    const undo = mock.trust();
    expect(await statusByUrl(mock)).toBe(200);
    await expect(statusBy(plain, {})).rejects.toMatchObject(UNTRUSTED);
    undo();
    await expect(statusBy(mock, {})).rejects.toMatchObject(UNTRUSTED);
  });
});

describe('the option trust', () => {
  it('ends with the last mock that uses it', async () => {
    const mock = await startMomoMock({ control: true, trust: true });
    onTestFinished(() => mock.close());
    const connection = await connectMomoMock(`${mock.controlUrl}`, { trust: true });
    await connection.close();
    expect(await statusByUrl(mock)).toBe(200);
    const again = await connectMomoMock(`${mock.controlUrl}`, { trust: true });
    await mock.close();
    await again.close();
    expect(tls.connect).toBe(connect);
  });
});

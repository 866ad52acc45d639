import { execFileSync } from 'node:child_process';
import { once } from 'node:events';
import {
  chmodSync,
  existsSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  statSync,
  symlinkSync,
  watch,
  writeFileSync,
} from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it, onTestFinished, type TestContext } from 'vitest';
import { times } from '../endurance/scale.ts';
import { AS_JSON, control } from '../support/client.ts';
import {
  FREE_PORTS,
  programForAnyUser,
  type Ready,
  spawnCommand,
  usedFolder,
} from '../support/command.ts';
import { temporaryFolder } from '../support/fixture-folder.ts';
import { NOBODY } from '../support/machine.ts';
import { startMock } from '../support/mock.ts';
import { MomoMockError, startMomoMock } from '../support/momo-mock.ts';

const stateOf = async (ready: Pick<Ready, 'controlUrl'>) =>
  (await control(ready, 'GET /state')).json;
const set = (ready: Pick<Ready, 'controlUrl'>, name: string, body = '1') =>
  control(ready, `PUT /state/${name}`, { headers: AS_JSON, body });
const inFile = (file: string) => (existsSync(file) ? readFileSync(file, 'utf8') : '');

/** A file with the snapshot of a mock that was started over it. */
async function writtenFile(use: (mock: Awaited<ReturnType<typeof startMock>>) => unknown) {
  const file = join(temporaryFolder(), 'snapshot.json');
  const mock = await startMock({}, { snapshotFile: file });
  await use(mock);
  await mock.close();
  return file;
}

describe('the command', () => {
  it.each<[NodeJS.Signals]>([['SIGTERM'], ['SIGKILL']])(
    'keeps its memory across a restart after %s',
    async (signal) => {
      const cwd = usedFolder();
      const file = join(cwd, 'snapshot.json');
      const args = [...FREE_PORTS, '--snapshot-file', 'snapshot.json'];
      const first = await spawnCommand(args, { cwd });
      await set(await first.ready, 'kept');
      // A second change comes into the file, too.
      if (signal === 'SIGKILL') {
        await expect.poll(() => inFile(file)).toContain('kept');
        await set(await first.ready, 'later');
        await expect.poll(() => inFile(file)).toContain('later');
      }
      const exited = once(first.child, 'exit');
      first.child.kill(signal);
      await exited;
      expect(statSync(file).mode & 0o777).toBe(0o600);
      const second = await spawnCommand(args, { cwd });
      expect(await stateOf(await second.ready)).toMatchObject({ kept: 1 });
    },
  );
});

it('a mock writes nothing while nothing changes', async () => {
  const file = join(temporaryFolder(), 'snapshot.json');
  const idle = await startMock({}, { snapshotFile: file });
  await idle.close();
  expect(existsSync(file)).toBe(false);
});

it.each([
  ['is not JSON', '{'],
  ['is empty', ''],
  ['is a list', '[]'],
  ['is of another version', '{"version":2}'],
  ['has no parts', '{"version":1}'],
  ['has an unknown part', '{"version":1,"timers":0,"all":{},"accounts":[],"more":1}'],
  ['is of a single account', '{"version":1,"timers":0,"account":{}}'],
])('a snapshot file that %s stops the startup, and stays unchanged', async (_what, json) => {
  const file = join(temporaryFolder(), 'snapshot.json');
  writeFileSync(file, json);
  const error = await startMomoMock({ snapshotFile: file }).catch((error) => error);
  expect(error).toBeInstanceOf(MomoMockError);
  expect(error).toMatchObject({
    code: 'MOMO_MOCK_SNAPSHOT_INVALID',
    message: expect.stringContaining(file),
  });
  expect(readFileSync(file, 'utf8')).toBe(json);
});

it('a folder in the place of the snapshot file stops the startup with a sentence', async () => {
  const folder = temporaryFolder();
  await expect(startMomoMock({ snapshotFile: folder })).rejects.toMatchObject({
    code: 'MOMO_MOCK_SNAPSHOT_INVALID',
    message: expect.stringContaining('EISDIR'),
  });
});

it('entries that no longer fit the fixtures are dropped with a line in the log, and the rest is kept', async () => {
  const cwd = usedFolder();
  const old = await startMock(
    { 'momo/gone.get.json': '{}' },
    { snapshotFile: join(cwd, 'snapshot.json') },
  );
  await old.respondWith([{ operation: 'GET /momo/gone', status: 503 }, { status: 504 }]);
  await old.close();
  const mock = await spawnCommand([...FREE_PORTS, '--snapshot-file', 'snapshot.json'], { cwd });
  const { json } = await control(await mock.ready, 'GET /responses');
  expect(json).toMatchObject({ responses: [{ status: 504 }] });
  await expect
    .poll(mock.output)
    .toMatch(/Dropped a part of .*\. all\.responses\[0\]: Failed to find the operation/);
});

it('accounts that tests created are kept for a week after their last use', async () => {
  let keys: string[] = [];
  const file = await writtenFile(async (mock) => {
    keys = [(await mock.createAccount()).apiKey, (await mock.createAccount()).apiKey];
  });
  const day = (ago: number) => new Date(Date.now() - ago * 86_400_000).toISOString().slice(0, 10);
  const snapshot = JSON.parse(readFileSync(file, 'utf8'));
  for (const [index, ago] of [9, 6].entries()) snapshot.accounts[index + 1].lastUsed = day(ago);
  writeFileSync(file, JSON.stringify(snapshot));
  const mock = await startMock({}, { snapshotFile: file });
  expect((await mock.snapshot()).accounts?.flatMap(({ key }) => key ?? [])).toEqual([keys[1]]);
});

it('a snapshot file that is a link stays one, and its target is written', async () => {
  const folder = temporaryFolder();
  const [target, link] = [join(folder, 'target.json'), join(folder, 'link.json')];
  writeFileSync(target, JSON.stringify(await (await startMock()).snapshot()));
  symlinkSync(target, link);
  const mock = await startMock({}, { snapshotFile: link });
  await mock.state.set('linked', 1);
  await mock.close();
  expect(readFileSync(target, 'utf8')).toContain('linked');
  expect(readdirSync(folder).sort()).toEqual(['link.json', 'target.json']);
});

it('a failed write leaves the last file, and the mock continues', async () => {
  const folder = temporaryFolder();
  const file = join(folder, 'snapshot.json');
  const mock = await startMock({}, { snapshotFile: file });
  await mock.state.set('first', 1);
  await expect.poll(() => inFile(file)).toContain('first');
  // No file can be made in the place of the draft.
  mkdirSync(join(folder, '.snapshot.json.draft'));
  await mock.state.set('second', 1);
  await mock.close();
  expect(inFile(file)).toContain('first');
  expect(inFile(file)).not.toContain('second');
});

describe('a command that cannot write the snapshot file', () => {
  const failuresIn = (output: string) => output.match(/Failed to write [^"]*/g) ?? [];

  it('keeps the last file on a full disk, logs it once, and writes again once there is room', async (context) => {
    const disk = smallDisk(context);
    const file = join(disk, 'snapshot.json');
    const mock = await spawnCommand([...FREE_PORTS, '--snapshot-file', file]);
    const ready = await mock.ready;
    await set(ready, 'first');
    await expect.poll(() => inFile(file)).toContain('first');
    await set(ready, 'large', JSON.stringify('x'.repeat(100_000)));
    await expect.poll(() => failuresIn(mock.output())).toHaveLength(1);
    expect(failuresIn(mock.output())[0]).toMatch(/snapshot\.json: ENOSPC\. The mock continues/);
    expect(JSON.parse(inFile(file))).toMatchObject({ all: { state: [{ name: 'first' }] } });
    expect(await stateOf(ready)).toHaveProperty('large');
    const folder = watch(disk);
    onTestFinished(() => folder.close());
    await set(ready, 'tried');
    await once(folder, 'change');
    await control(ready, 'DELETE /state/large');
    await set(ready, 'last');
    await expect.poll(() => inFile(file)).toContain('last');
    mock.child.kill('SIGTERM');
    expect(failuresIn((await mock.ended).stdout)).toHaveLength(1);
  });

  it('keeps the last file in a folder that is not writable, logs it once, and writes again once it is', async () => {
    const cwd = temporaryFolder();
    const folder = join(cwd, 'data');
    mkdirSync(folder);
    chmodSync(cwd, 0o777);
    chmodSync(folder, 0o777);
    onTestFinished(() => chmodSync(folder, 0o777));
    const file = join(folder, 'snapshot.json');
    const mock = await spawnCommand([...FREE_PORTS, '--snapshot-file', file], {
      cli: await programForAnyUser(),
      cwd,
      ...(NOBODY !== undefined && { uid: NOBODY }),
    });
    const ready = await mock.ready;
    await set(ready, 'first');
    await expect.poll(() => inFile(file)).toContain('first');
    chmodSync(folder, 0o555);
    await set(ready, 'second');
    await expect.poll(() => failuresIn(mock.output())).toHaveLength(1);
    expect(failuresIn(mock.output())[0]).toMatch(/snapshot\.json: EACCES\. The mock continues/);
    expect(inFile(file)).not.toContain('second');
    expect(await stateOf(ready)).toHaveProperty('second');
    chmodSync(folder, 0o777);
    await set(ready, 'third');
    await expect.poll(() => inFile(file)).toContain('third');
    mock.child.kill('SIGTERM');
    expect(failuresIn((await mock.ended).stdout)).toHaveLength(1);
  });
});

it('a snapshot file is complete after each kill in the middle of a write, and the next start reads it', async () => {
  const cwd = usedFolder();
  const file = join(cwd, 'snapshot.json');
  const args = [...FREE_PORTS, '--snapshot-file', 'snapshot.json'];
  for (let kill = 0, isWritten = false; kill < times(50, 4); kill++) {
    const mock = await spawnCommand(args, { cwd });
    const ready = await mock.ready;
    if (isWritten) expect(await stateOf(ready)).toHaveProperty('large0');
    const folder = watch(cwd);
    onTestFinished(() => folder.close());
    const isWriting = once(folder, 'change');
    // So that a write takes long enough to be killed in.
    const large = JSON.stringify(`${kill}`.repeat(1_000_000));
    for (let name = 0; name < 8; name++) await set(ready, `large${name}`, large);
    await isWriting;
    const exited = once(mock.child, 'exit');
    mock.child.kill('SIGKILL');
    await exited;
    folder.close();
    isWritten = existsSync(file);
    if (isWritten) expect(JSON.parse(readFileSync(file, 'utf8'))).toMatchObject({ version: 1 });
  }
});

/** A file system that is full after 64 KiB. */
function smallDisk({ skip }: Pick<TestContext, 'skip'>): string {
  const disk = temporaryFolder();
  try {
    execFileSync('mount', ['-t', 'tmpfs', '-o', 'size=64k', 'tmpfs', disk], { stdio: 'ignore' });
  } catch {
    skip('only root can mount a small disk');
  }
  onTestFinished(() => void execFileSync('umount', ['--lazy', disk]));
  return disk;
}

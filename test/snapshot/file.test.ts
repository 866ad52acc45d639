import { execFileSync } from 'node:child_process';
import { randomUUID } from 'node:crypto';
import { once } from 'node:events';
import {
  chmodSync,
  existsSync,
  lstatSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  rmSync,
  statSync,
  symlinkSync,
  truncateSync,
  writeFileSync,
} from 'node:fs';
import { watch } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { describe, expect, it, onTestFinished, type TestContext, vi } from 'vitest';
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
import { startMock, startServer, type TestServer } from '../support/mock.ts';
import { MomoMockError, startMomoMock } from '../support/momo-mock.ts';
import { limits } from '../support/program.ts';

const stateOf = async (ready: Pick<Ready, 'controlUrl'>) =>
  (await control(ready, 'GET /state')).json as Record<string, unknown>;
const set = (ready: Pick<Ready, 'controlUrl'>, name: string, body = '1') =>
  control(ready, `PUT /state/${name}`, { headers: AS_JSON, body });
const inFile = (file: string) => (existsSync(file) ? readFileSync(file, 'utf8') : '');

interface Saved {
  readonly name: string;
  readonly json: string;
}

/** What a mock logged with a level of pino. */
const textsOf = ({ records }: Pick<TestServer, 'records'>, level: number) =>
  records.filter((record) => record.level === level).map(({ msg }) => `${msg}`);
const errorsIn = (server: Pick<TestServer, 'records'>) => textsOf(server, 50);

const DEEP = '{"a":'.repeat(5000) + 1 + '}'.repeat(5000);
const withState = (json: string) => ({
  ...{ version: 1, timers: 0, accounts: [] },
  all: { state: [{ name: 'deep', json }] },
});

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

it('a mock creates its snapshot file at startup, and writes nothing while nothing changes', async () => {
  const file = join(temporaryFolder(), 'snapshot.json');
  const first = await startMock({}, { snapshotFile: file });
  expect(JSON.parse(inFile(file))).toMatchObject({ version: 1 });
  await first.close();
  const { ino } = statSync(file);
  const idle = await startMock({}, { snapshotFile: file });
  await idle.close();
  expect(statSync(file).ino).toBe(ino);
});

it.each([
  ['is not JSON', '{'],
  ['is empty', ''],
  ['is a list', '[]'],
  ['is of another version', '{"version":2}'],
  ['has no parts', '{"version":1}'],
  ['has an unknown part', '{"version":1,"timers":0,"all":{},"accounts":[],"more":1}'],
  ['is of a single account', '{"version":1,"timers":0,"account":{}}'],
  ['has 5,000 levels', `{"version":1,"timers":0,"all":${DEEP},"accounts":[]}`],
  ['has a state with 5,000 levels', JSON.stringify(withState(DEEP))],
  [
    'is not UTF-8',
    Buffer.from('{"version":1,"timers":0,"all":{},"accounts":[],"\xff":1}', 'latin1'),
  ],
])('a snapshot file that %s stops the startup, and stays unchanged', async (_what, json) => {
  const file = join(temporaryFolder(), 'snapshot.json');
  writeFileSync(file, json);
  const error = await startMomoMock({ snapshotFile: file }).catch((error) => error);
  expect(error).toBeInstanceOf(MomoMockError);
  expect(error).toMatchObject({
    code: 'MOMO_MOCK_SNAPSHOT_INVALID',
    message: expect.stringContaining(file),
  });
  expect(readFileSync(file)).toEqual(Buffer.from(json));
  expect(readdirSync(dirname(file))).toEqual(['snapshot.json']);
});

it.each<[what: string, make: (path: string) => unknown]>([
  ['a folder', mkdirSync],
  ['a named pipe', (path) => execFileSync('mkfifo', [path])],
  ['a link to a device', (path) => symlinkSync('/dev/zero', path)],
])(
  '%s in the place of the snapshot file stops the startup with a sentence',
  async (_what, make) => {
    const folder = temporaryFolder();
    const file = join(folder, 'snapshot.json');
    make(file);
    await expect(startMomoMock({ snapshotFile: file })).rejects.toMatchObject({
      code: 'MOMO_MOCK_SNAPSHOT_INVALID',
      message: expect.stringContaining('it is not a regular file'),
    });
    expect(readdirSync(folder)).toEqual(['snapshot.json']);
  },
);

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
    const drafted = draftIn(disk);
    await set(ready, 'tried');
    await drafted;
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

  it('starts over a prepared file in such a folder, also twice, and logs that it keeps nothing', async () => {
    const cwd = temporaryFolder();
    const folder = join(cwd, 'data');
    mkdirSync(folder);
    writeFileSync(join(folder, 'snapshot.json'), JSON.stringify(withState('1')));
    chmodSync(cwd, 0o777);
    chmodSync(folder, 0o555);
    onTestFinished(() => chmodSync(folder, 0o777));
    const args = [...FREE_PORTS, '--snapshot-file', 'data/snapshot.json'];
    const cli = await programForAnyUser();
    for (const _mock of [1, 2]) {
      const uid = NOBODY === undefined ? {} : { uid: NOBODY };
      const mock = await spawnCommand(args, { cli, cwd, ...uid });
      expect(await stateOf(await mock.ready)).toEqual({ deep: 1 });
      await set(await mock.ready, 'more');
      await expect.poll(() => failuresIn(mock.output())).toHaveLength(1);
      expect(failuresIn(mock.output())[0]).toMatch(/snapshot\.json\.lock: EACCES\. /);
    }
    expect(readdirSync(folder)).toEqual(['snapshot.json']);
  });
});

describe('a snapshot file that a mock uses', () => {
  const IN_USE = { code: 'MOMO_MOCK_SNAPSHOT_IN_USE' };

  it('is refused to another process, which names the one that uses it', async () => {
    const cwd = usedFolder();
    const file = join(cwd, 'snapshot.json');
    const { child, ready } = await spawnCommand([...FREE_PORTS, '--snapshot-file', file], { cwd });
    await set(await ready, 'kept');
    const message = expect.stringMatching(
      new RegExp(`snapshot\\.json: .*process ${child.pid} on .*set another snapshotFile\\.$`),
    );
    await expect(startMomoMock({ snapshotFile: file })).rejects.toMatchObject({
      ...IN_USE,
      message,
    });
    await expect.poll(() => inFile(file)).toContain('kept');
  });

  it('is refused to another mock of the process, also by another path, until it is closed', async () => {
    const folder = temporaryFolder();
    const [file, link] = [join(folder, 'snapshot.json'), join(folder, 'link.json')];
    symlinkSync('snapshot.json', link);
    const mock = await startMock({}, { snapshotFile: link });
    await expect(startMomoMock({ snapshotFile: file })).rejects.toMatchObject(IN_USE);
    await mock.state.set('kept', 1);
    await mock.close();
    const next = await startMock({}, { snapshotFile: file });
    expect(await next.state.get('kept')).toBe(1);
    expect(lstatSync(link).isSymbolicLink()).toBe(true);
    await next.close();
    expect(readdirSync(folder).sort()).toEqual(['link.json', 'snapshot.json']);
  });

  it('is free again when the startup fails later', async () => {
    const file = join(temporaryFolder(), 'snapshot.json');
    const other = await startMock();
    const port = Number(new URL(other.url).port);
    await expect(startMomoMock({ snapshotFile: file, port })).rejects.toMatchObject({
      code: 'MOMO_MOCK_PORT_IN_USE',
    });
    await (await startMock({}, { snapshotFile: file })).close();
  });

  it('gets one of several mocks that start over the lock of a killed one', async () => {
    const cwd = usedFolder();
    const args = [...FREE_PORTS, '--snapshot-file', 'snapshot.json'];
    const killed = await spawnCommand(args, { cwd });
    await killed.ready;
    killed.child.kill('SIGKILL');
    await killed.ended;
    const starts = await Promise.all([1, 2, 3].map(() => spawnCommand(args, { cwd })));
    const started = await Promise.allSettled(starts.map(({ ready }) => ready));
    expect(started.filter(({ status }) => status === 'fulfilled')).toHaveLength(1);
    const [, message] = await Promise.all(
      starts
        .filter((_start, index) => started[index]?.status === 'rejected')
        .map(({ ended }) => ended.then(({ stderr }) => stderr)),
    );
    expect(message).toMatch(/Failed to open the snapshot file .*another mock uses it/);
  });

  it.each<[what: string, change: (lock: string) => void]>([
    ['deleted', (lock) => rmSync(lock)],
    ['replaced', (lock) => writeFileSync(lock, 'of another mock')],
  ])('is not written again once its lock was %s, and the log says so', async (_what, change) => {
    const file = join(temporaryFolder(), 'snapshot.json');
    const server = await startServer({}, { SNAPSHOT_FILE: file });
    writeFileSync(file, 'of another mock');
    change(`${file}.lock`);
    await set(server, 'late');
    const failures = () => errorsIn(server).filter((text) => text.includes('deleted or replaced'));
    await expect.poll(failures).toHaveLength(1);
    await set(server, 'later');
    await server.close();
    expect(failures()).toHaveLength(2);
    expect(failures()[1]).toContain('all later changes are lost');
    expect(inFile(file)).toBe('of another mock');
  });
});

it('a mock starts with a snapshot file in a missing folder, and logs that it keeps nothing', async () => {
  const file = join(temporaryFolder(), 'missing', 'snapshot.json');
  const server = await startServer({}, { SNAPSHOT_FILE: file });
  const failure = /^Failed to write .*missing\/snapshot\.json\.lock: ENOENT\. Create its folder/;
  expect(server.warnings).toEqual([expect.stringMatching(failure)]);
  await set(server, 'lost');
  await expect.poll(() => errorsIn(server)).toEqual([expect.stringMatching(failure)]);
});

it('a link to a missing file stays, and its target is created', async () => {
  const folder = temporaryFolder();
  mkdirSync(join(folder, 'data'));
  const link = join(folder, 'link.json');
  symlinkSync('data/target.json', link);
  await (await startMock({}, { snapshotFile: link })).close();
  expect(lstatSync(link).isSymbolicLink()).toBe(true);
  expect(readdirSync(join(folder, 'data'))).toEqual(['target.json']);
});

it('drafts of killed processes are deleted, and files with other names are not', async () => {
  const folder = temporaryFolder();
  const id = randomUUID();
  const others = [`.snapshot.json.${id}`, `.snapshot.json.old.${id}.draft`, `.b.json.${id}.draft`];
  for (const name of [`.snapshot.json.${id}.draft`, ...others])
    writeFileSync(join(folder, name), '');
  await (await startMock({}, { snapshotFile: join(folder, 'snapshot.json') })).close();
  expect(readdirSync(folder).sort()).toEqual([...others, 'snapshot.json'].sort());
});

it('a failed write leaves no draft', async () => {
  const file = join(temporaryFolder(), 'snapshot.json');
  const server = await startServer({}, { SNAPSHOT_FILE: file });
  rmSync(file);
  mkdirSync(file);
  await set(server, 'lost');
  await expect.poll(() => errorsIn(server)).toEqual([expect.stringContaining('EISDIR')]);
  expect(draftsIn(dirname(file))).toEqual([]);
});

it('a snapshot that fails leaves the last file, is logged once, and at the end again', async () => {
  const file = join(temporaryFolder(), 'snapshot.json');
  const server = await startServer({}, { SNAPSHOT_FILE: file });
  await set(server, 'first');
  await expect.poll(() => inFile(file)).toContain('first');
  // As for a text that is too long for JavaScript.
  const fails = vi.spyOn(server.all, 'save').mockImplementation(() => {
    throw new RangeError('Invalid string length');
  });
  await set(server, 'second');
  await expect.poll(() => errorsIn(server)).toHaveLength(1);
  expect(errorsIn(server)[0]).toMatch(/^Failed to write .*snapshot\.json: RangeError\. The mock/);
  const { length } = fails.mock.calls;
  await set(server, 'third');
  await expect.poll(() => fails.mock.calls.length).toBeGreaterThan(length);
  await server.close();
  expect(errorsIn(server)).toHaveLength(2);
  expect(errorsIn(server)[1]).toContain('all later changes are lost');
  expect(inFile(file)).not.toContain('second');
});

describe('the limit of a snapshot file', () => {
  const MIB = 1_048_576;
  const LIMIT = `${limits.MAX_SNAPSHOT_BYTES / MIB} MiB`;
  const KEYS = [{}, { apikey: 'good' }, { apikey: 'test_b' }];

  it('stops the startup over a longer file, which is not read', async () => {
    const file = join(temporaryFolder(), 'snapshot.json');
    writeFileSync(file, '');
    truncateSync(file, limits.MAX_SNAPSHOT_BYTES + 1);
    await expect(startMomoMock({ snapshotFile: file })).rejects.toMatchObject({
      code: 'MOMO_MOCK_SNAPSHOT_INVALID',
      message: expect.stringContaining(`it is longer than ${LIMIT}`),
    });
  });

  it('is named in the log at three quarters of it, and beyond it, where the last file stays', async () => {
    const file = join(temporaryFolder(), 'snapshot.json');
    const value = JSON.stringify('x'.repeat(MIB - 2));
    /** Fills the state of all accounts, and that of one, which have limits of their own. */
    const filled = async (from: number, to: number) => {
      const server = await startServer({}, { SNAPSHOT_FILE: file });
      for (let at = from; at < to; at++) {
        const headers = { ...AS_JSON, ...KEYS[at % 3] };
        const { status } = await control(server, `PUT /state/v${at}`, { headers, body: value });
        expect(status).toBe(204);
      }
      await server.close();
      return { warnings: textsOf(server, 40), errors: errorsIn(server), size: statSync(file).size };
    };
    const first = await startServer({}, { SNAPSHOT_FILE: file });
    await control(first, 'POST /accounts', { headers: AS_JSON, body: '{"apiKey":"test_b"}' });
    await first.close();
    const below = await filled(0, 23);
    expect(below).toMatchObject({ warnings: [], errors: [] });
    expect(below.size).toBeGreaterThan(23 * MIB);
    const near = await filled(23, 26);
    const limit = expect.stringContaining(LIMIT);
    expect(near).toMatchObject({ warnings: [limit], errors: [] });
    expect(near.size).toBeGreaterThan(26 * MIB);
    const beyond = await filled(26, 33);
    expect(beyond).toMatchObject({ errors: [limit], size: near.size });
    expect(beyond.errors[0]).toContain('all later changes are lost');
  });
});

it('after each kill in the middle of a write, the snapshot file is an old or the new one, and the next start reads it', async () => {
  const cwd = usedFolder();
  const file = join(cwd, 'snapshot.json');
  const args = [...FREE_PORTS, '--snapshot-file', 'snapshot.json'];
  for (let kill = 0; kill < times(50, 4); kill++) {
    // The killed process has the lock, which does not stop this one.
    const mock = await spawnCommand(args, { cwd });
    const ready = await mock.ready;
    const before = await stateOf(ready);
    expect(draftsIn(cwd)).toEqual([]);
    // So that a write takes long enough to be killed in.
    const large = `${kill}`.repeat(1_000_000);
    for (let name = 0; name < 8; name++) await set(ready, `large${name}`, JSON.stringify(large));
    // A write changes the draft for each half MiB.
    let isWriting = false;
    const drafted = draftIn(cwd, 1 + ((kill * 5) % 16)).then(() => {
      isWriting = true;
    });
    for (let change = 0; !isWriting; change++) await set(ready, 'change', `${change}`);
    const exited = once(mock.child, 'exit');
    mock.child.kill('SIGKILL');
    await exited;
    await drafted;
    expect(existsSync(`${file}.lock`)).toBe(true);
    const { state = [] } = JSON.parse(inFile(file)).all as { state?: Saved[] };
    const after = Object.fromEntries(state.map(({ name, json }) => [name, JSON.parse(json)]));
    const names = ({ change, ...values }: Record<string, unknown>) => Object.keys(values);
    // Not the values themselves, which are long.
    const isKnown = (name: string) => [before[name], large].includes(after[name]);
    expect(names(after).filter((name) => !isKnown(name))).toEqual([]);
    expect(Object.keys(after)).toEqual(expect.arrayContaining(Object.keys(before)));
  }
});

const isDraft = (name: string) => /^\.snapshot\.json\..+\.draft$/.test(name);
const draftsIn = (folder: string) => readdirSync(folder).filter(isDraft);

/** Resolves when drafts in a folder have been created or written so often. */
async function draftIn(folder: string, times = 1): Promise<void> {
  let seen = 0;
  for await (const { filename } of watch(folder)) {
    if (isDraft(`${filename}`)) seen++;
    if (seen === times) return;
  }
}

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

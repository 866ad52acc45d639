import { mkdir, rename, rm, symlink, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { describe, expect, onTestFinished, test } from 'vitest';
import { emptyFolder } from '../support/command.ts';
import { runMock } from '../support/running-mock.ts';

async function runOn(dir: string, settings: Record<string, string> = {}) {
  await mkdir(join(dir, 'momo'), { recursive: true });
  await writeFile(join(dir, 'momo/balance.get.json'), '{"v":1}');
  onTestFinished(() => rm(dir, { recursive: true, force: true }));
  const mock = await runMock({ FIXTURES_DIR: dir, ...settings });
  const body = async () => (await mock.get('/momo/balance?apikey=good')).body;
  const said = () => mock.records.map(({ msg }) => String(msg)).join('\n');
  return { mock, body, said };
}

describe('a change of the fixture tree', () => {
  test('made right after the start is served without a restart', async () => {
    const dir = await emptyFolder();
    const { mock, body } = await runOn(dir);
    expect(await body()).toBe('{"v":1}');
    await writeFile(join(dir, 'momo/balance.get.json'), '{"v":2}');
    await expect.poll(body).toBe('{"v":2}');
    await writeFile(join(dir, 'momo/balance.get.tmp~'), '{"v":3}');
    await rename(join(dir, 'momo/balance.get.tmp~'), join(dir, 'momo/balance.get.json'));
    await expect.poll(body).toBe('{"v":3}');
    await mkdir(join(dir, 'momo/status'));
    await writeFile(join(dir, 'momo/status/[reference].get.json'), '{"state":"ok"}');
    const ask = () => mock.get('/momo/status/4711?apikey=good');
    await expect.poll(async () => (await ask()).body).toBe('{"state":"ok"}');
  });

  test('that cannot be served keeps the last good tree and says so', async () => {
    const dir = await emptyFolder();
    const { body, said } = await runOn(dir);
    await writeFile(join(dir, 'momo/balance.get.json'), '{"v":');
    await expect.poll(said).toMatch(/balance\.get\.json:1:6.*\n.*still served/);
    expect(await body()).toBe('{"v":1}');
    await writeFile(join(dir, 'momo/balance.get.json'), '{"v":4}');
    await expect.poll(body).toBe('{"v":4}');
  });

  test('in a module that a handler imports is served, and a mistake in it is not', async () => {
    const dir = await emptyFolder();
    const { mock, said } = await runOn(dir);
    await writeFile(join(dir, '_shared.js'), 'export const status = "pending";');
    const code = `import { status } from './_shared.js'; export default () => ({ body: { status } });`;
    await writeFile(join(dir, 'status.get.js'), code);
    const body = async () => (await mock.get('/status?apikey=good')).body;
    await expect.poll(body).toBe('{"status":"pending"}');
    await writeFile(join(dir, '_shared.js'), 'export const status = ;');
    await expect.poll(said).toMatch(/_shared\.js:1:23: .*\n.*still served/);
    expect(await body()).toBe('{"status":"pending"}');
    await writeFile(join(dir, '_shared.js'), 'export const status = "success";');
    await expect.poll(body).toBe('{"status":"success"}');
  });

  test('by an editor that leaves files there is read, and only what it saved is in the log', async () => {
    const dir = await emptyFolder();
    const { mock, body, said } = await runOn(dir);
    const file = join(dir, 'momo/balance.get.json');
    const leftovers = [
      '4913',
      '#balance.get.json#',
      'balance.get.json.bak',
      'balance.get.json.swp',
    ];
    for (const name of leftovers) await writeFile(join(dir, 'momo', name), '{"v":0');
    await symlink('me@here.1', join(dir, 'momo/.#balance.get.json'));
    await writeFile(join(dir, 'Thumbs.db'), '\0');
    await writeFile(file, '{"v":2}');
    await expect.poll(body).toBe('{"v":2}');
    await writeFile(file, '{"v":3');
    await expect.poll(said).toContain('still served');
    await writeFile(join(dir, 'momo/4914~'), '');
    await writeFile(file, '{"v":4}');
    await expect.poll(body).toBe('{"v":4}');
    const changes = mock.records.flatMap(({ changed }) => changed ?? []);
    expect(changes).toEqual(['GET /momo/balance', 'GET /momo/balance']);
    expect(said().match(/still served/g)).toHaveLength(1);
    expect(JSON.stringify(mock.records)).not.toMatch(/"v\\*":|Buffer|\[\d/);
  });

  test('that takes away a variant in use is one that cannot be served', async () => {
    const dir = await emptyFolder();
    await mkdir(join(dir, 'momo'), { recursive: true });
    await writeFile(join(dir, 'momo/balance.get.mine.json'), '{"v":"mine"}');
    const { body, said } = await runOn(dir, { BALANCE_VARIANT: 'mine' });
    await rm(join(dir, 'momo/balance.get.mine.json'));
    await expect.poll(said).toMatch(/MOMO_MOCK_BALANCE_VARIANT.*still served/s);
    expect(await body()).toBe('{"v":"mine"}');
  });
});

test('an operation of a file has parameters, any method and the same key rule', async () => {
  const dir = await emptyFolder();
  await mkdir(join(dir, 'momo/[kind]'), { recursive: true });
  await writeFile(
    join(dir, 'momo/[kind]/[id].delete.http'),
    'HTTP/2 202\r\nx-a: 1\r\nx-a: 2\r\n\r\nbye',
  );
  const { mock } = await runOn(dir);
  expect(await mock.get('/momo/x/y', { method: 'DELETE' })).toMatchObject({ status: 401 });
  expect(await mock.get('/momo/x/y?apikey=bad', { method: 'DELETE' })).toMatchObject({
    status: 401,
  });
  const reply = await mock.get('/momo/x/y?apikey=good', { method: 'DELETE' });
  expect(reply).toMatchObject({ status: 202, body: 'bye' });
  expect(reply.headers['x-a']).toBe('1, 2');
  expect(await mock.get('/momo/x/y?apikey=good')).toMatchObject({ status: 405 });
  expect((await mock.get('/momo/x/y?apikey=good')).headers.allow).toBe('DELETE');
});

import { mkdir, rename, rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { describe, expect, onTestFinished, test } from 'vitest';
import { runMock } from '../running-mock.ts';
import { emptyFolder } from '../spawned-command.ts';

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

test('an operation added by a file alone has parameters, any method, and the same key rule', async () => {
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

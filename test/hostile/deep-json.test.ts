import { mkdir, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { expect, it } from 'vitest';
import { runMock } from '../support/running-mock.ts';
import { temporaryFolder } from '../tls/temporary-folder.ts';

const nested = (levels: number) => `${'{"a":'.repeat(levels)}1${'}'.repeat(levels)}`;
const SCHEMA = { type: ['object', 'number'], additionalProperties: { $ref: '#' } };

async function treeOf(body: string): Promise<string> {
  const dir = temporaryFolder();
  await mkdir(join(dir, 'momo'));
  await writeFile(join(dir, 'momo/balance.get.json'), body);
  await writeFile(join(dir, 'momo/balance.get.schema.json'), JSON.stringify(SCHEMA));
  return dir;
}

it('a body of 100,000 levels is refused by a schema that refers to itself', async () => {
  const mock = await runMock({ FIXTURES_DIR: await treeOf('{}') });
  const send = async (method: string, path: string, body: string) => {
    const headers = { 'content-type': 'application/json' };
    const reply = await fetch(`${mock.controlUrl}${path}`, { method, headers, body });
    return [reply.status, await reply.text()];
  };
  const deep = nested(100_000);
  expect(await send('PUT', '/balance', deep)).toEqual([
    400,
    expect.stringMatching('at most 100 levels'),
  ]);
  const [status] = await send('POST', '/accounts', `{"balance":${deep}}`);
  expect(status).toBe(400);
  const [scripted] = await send('PUT', '/responses', `{"body":${deep}}`);
  expect(scripted).toBe(400);
  expect((await send('PUT', '/balance', nested(100)))[0]).toBe(204);
  expect(await mock.get('/momo/balance?apikey=good')).toMatchObject({ status: 200 });
  const posted = await mock.get('/momo/balance?apikey=good', { method: 'POST', body: deep });
  expect(posted.status).toBe(405);
  expect(JSON.stringify(mock.records)).not.toContain('a bug in momo-mock');
});

it('a fixture of 100,000 levels is a problem of the fixture, and no crash', async () => {
  const starts = runMock({ FIXTURES_DIR: await treeOf(nested(100_000)) });
  await expect(starts).rejects.toThrow('it has more than 100 levels');
});

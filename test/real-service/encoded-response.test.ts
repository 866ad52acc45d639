import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { brotliCompressSync, gzipSync as gzip } from 'node:zlib';
import { expect, it } from 'vitest';
import { temporaryFolder, writeFiles } from '../support/fixture-folder.ts';
import { runReal, sendText, startReal } from '../support/real-service.ts';

const BODY = '{"name":"Zoë","amount":1}';
const json = (more: object) => ({ 'content-type': 'application/json', ...more });

async function checkAndRecord(bytes: Buffer, headers: Record<string, string>) {
  const folder = temporaryFolder();
  const fixtures = ['--fixtures-dir', folder];
  writeFiles(folder, { 'momo/x.get.json': { name: 'A', amount: 2 } });
  const real = await startReal({ '/momo/x': sendText(bytes, headers) });
  const checked = await runReal('check', real, ...fixtures, '--operation', 'GET /momo/x');
  const recorded = await runReal('record', real, ...fixtures, '--operation', 'GET /momo/x');
  return {
    checked,
    recorded,
    file: () => readFileSync(join(folder, 'momo/x.get.schema.json'), 'utf8'),
  };
}

it.each<[what: string, bytes: Buffer, headers: Record<string, string>]>([
  ['gzip', gzip(BODY), json({ 'content-encoding': 'gzip' })],
  ['br in chunks', brotliCompressSync(BODY), json({ 'content-encoding': 'br' })],
  ['a byte order mark', Buffer.from(`\ufeff${BODY}`), json({})],
  ['latin1', Buffer.from(BODY, 'latin1'), { 'content-type': 'application/json; charset=latin1' }],
])('check and record read a response with %s', async (_what, bytes, headers) => {
  const { checked, recorded, file } = await checkAndRecord(bytes, headers);
  expect(checked).toMatchObject({ code: 0, stdout: expect.stringContaining('GET /momo/x: same') });
  expect(recorded).toMatchObject({ code: 0 });
  expect(Object.keys(JSON.parse(file()).properties)).toEqual(['name', 'amount']);
});

it.each<{ name: string; bytes: Buffer; encoding: string; message: string }>([
  {
    name: 'broken',
    bytes: Buffer.from(BODY),
    encoding: 'gzip',
    message: 'must be valid gzip, as its content-encoding says',
  },
  {
    name: 'unknown',
    bytes: Buffer.from(BODY),
    encoding: 'zstd',
    message: 'must be encoded with gzip, deflate or br',
  },
  {
    name: 'huge',
    bytes: gzip(Buffer.alloc(11 * 1024 * 1024, ' ')),
    encoding: 'gzip',
    message: 'is larger than 10 MiB',
  },
])('check and record report that a response is $name', async ({ bytes, encoding, message }) => {
  const { checked, recorded } = await checkAndRecord(bytes, json({ 'content-encoding': encoding }));
  expect(checked.code).toBe(3);
  expect(checked.stdout + checked.stderr).toContain(message);
  expect(recorded.code).not.toBe(0);
  expect(recorded.stderr).toContain(message);
});

import { once } from 'node:events';
import { type AddressInfo, createServer } from 'node:net';
import { join } from 'node:path';
import { describe, expect, onTestFinished, test } from 'vitest';
import { emptyFolder, run, start } from '../support/command-in-process.ts';

test('shows the banner, warnings and requests at a terminal, and stops on a signal', async () => {
  const certsDir = emptyFolder();
  const flags = ['--port', '0', '--control-port', '0', '--certs-dir', certsDir];
  const { ended, output } = start([...flags, '--host', 'elsewhere.invalid'], { isTerminal: true });
  await expect
    .poll(output)
    .toContain('The service listens on localhost, because elsewhere.invalid');
  const text = output();
  expect(text).toContain(`certificate  ${join(certsDir, 'momo-mock.pem')}\n`);
  expect(text).toContain('?apikey=momo_test_key"');
  expect(text.indexOf('service ')).toBeLessThan(text.indexOf('! The service listens'));
  process.emit('SIGTERM');
  expect((await ended).code).toBe(0);
});

describe('what cannot be started says one sentence', () => {
  /** Runs the command with settings that touch nothing of this machine. */
  async function fail(args: readonly string[], env: Record<string, string> = {}) {
    const own = { PORT: '0', CONTROL_PORT: '0', CERTS_DIR: join(emptyFolder(), 'certs') };
    const settings = Object.entries(own).map(([name, value]) => [`MOMO_MOCK_${name}`, value]);
    const ended = await run(args, { env: { ...Object.fromEntries(settings), ...env } });
    expect(ended.stdout).toBe('');
    expect(ended.stderr).not.toMatch(/^\s+at /m);
    return { code: ended.code, lines: ended.stderr.trimEnd().split('\n') };
  }

  test.each<[string, string[], Record<string, string>, number, RegExp]>([
    ['no keys file', ['--api-keys-file=no.txt'], {}, 2, /no\.txt does not exist\. Use/],
    ['an unknown setting', [], { MOMO_MOCK_PROT: '1' }, 2, /Did you mean MOMO_MOCK_PORT\?$/],
    ['a wrong setting', [], { MOMO_MOCK_PORT: 'x' }, 2, /MOMO_MOCK_PORT: "x" is not allowed/],
    [
      'a variant without a file',
      ['--balance-variant', 'huge'],
      {},
      2,
      /"huge" has no fixture file\. Use one of empty, flat, per-operator, single/,
    ],
    [
      'a key with such a variant',
      [],
      { MOMO_MOCK_API_KEYS: 'k=huge' },
      2,
      /^Failed to read API key 1: the variant after its = has no fixture file/,
    ],
    [
      'a certificate that is not there',
      ['--tls-cert-file=a.pem', '--tls-key-file=b.pem'],
      {},
      1,
      /MOMO_MOCK_TLS_CERT_FILE/,
    ],
    ['half a pair', ['--tls-cert-file=a.pem'], {}, 2, /only one of them is set/],
    [
      'a host that is not there',
      ['--host', '192.0.2.1'],
      {},
      1,
      /Set MOMO_MOCK_HOST to one of its addresses\.$/,
    ],
  ])('%s', async (_name, args, env, code, sentence) => {
    expect(await fail(args, env)).toEqual({ code, lines: [expect.stringMatching(sentence)] });
  });

  test.each([
    ['--port', 'MOMO_MOCK_PORT'],
    ['--control-port', 'MOMO_MOCK_CONTROL_PORT'],
  ])('%s that is in use', async (flag, name) => {
    const other = createServer().listen(0, '127.0.0.1');
    onTestFinished(() => void other.close());
    await once(other, 'listening');
    const { port } = other.address() as AddressInfo;
    const sentence = expect.stringMatching(`another program listens there\\. .*${name}`);
    expect(await fail([flag, String(port)])).toEqual({ code: 1, lines: [sentence] });
  });

  test('each that is wrong, where there are several', async () => {
    const env = { MOMO_MOCK_PORT: 'x', MOMO_MOCK_FOO: '1', MOMO_MOCK_LOG_LEVEL: 'loud' };
    expect((await fail([], env)).lines).toHaveLength(3);
  });
});

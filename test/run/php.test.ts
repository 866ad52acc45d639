import { mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { beforeEach, describe, expect, it } from 'vitest';
import { runCommand } from '../support/command.ts';
import { temporaryFolder } from '../support/fixture-folder.ts';
import { needs } from '../support/machine.ts';
import { startRealHost } from '../support/real-host.ts';
import { CERTIFICATE, startRealServer } from '../support/real-service.ts';

const ASK = `
  function ask($url) {
    $curl = curl_init($url);
    curl_setopt($curl, CURLOPT_RETURNTRANSFER, true);
    return [substr(curl_exec($curl), 0, 1), curl_errno($curl), substr(file_get_contents($url), 0, 1)];
  }
  $mock = getenv('MOMO_MOCK_URL') . '/momo/balance?apikey=' . getenv('MOMO_MOCK_APIKEY');`;
const GOOD = ['{', 0, '{'];

describe('PHP with run', () => {
  beforeEach((context) => needs(context, 'php'));

  it('trusts the mock in curl and in streams', async () => {
    const script = `${ASK} echo json_encode(ask($mock));`;
    const { stdout, stderr } = await runCommand(['run', '--', 'php', '-r', script]);
    expect({ stdout: JSON.parse(stdout), stderr }).toEqual({
      stdout: GOOD,
      stderr: 'momo-mock: 2 requests: 2 × 200\n',
    });
  });

  it('also trusts what it trusted before, keeps the settings, and prepends nothing', async () => {
    const real = await startRealServer((_request, response) => response.end('real'));
    const ini = temporaryFolder();
    writeFileSync(join(ini, 'own.ini'), 'user_agent = kept');
    const script = `${ASK} echo json_encode([ask($mock), ask('${real.url}'), ini_get('user_agent'), ini_get('auto_prepend_file')]);`;
    const env = {
      MOMO_MOCK_CERTS_DIR: '',
      PHP_INI_SCAN_DIR: `:${ini}`,
      SSL_CERT_FILE: CERTIFICATE,
      CURL_CA_BUNDLE: CERTIFICATE,
    };
    const { stdout } = await runCommand(['run', '--', 'php', '-r', script], { env });
    expect(JSON.parse(stdout)).toEqual([GOOD, ['r', 0, 'r'], 'kept', '']);
  });

  it.for([
    ['', []],
    [' and --redirect', ['--redirect', 'api.example.com']],
  ] as const)(
    'is one warning where PHP cannot read the settings, with run%s',
    async ([, flags]) => {
      const TMPDIR = join(temporaryFolder(), 'a:b');
      mkdirSync(TMPDIR);
      const words = ['run', ...flags, '--', 'php', '-r', ''];
      const { stderr } = await runCommand(words, { env: { TMPDIR } });
      const warnings = stderr.split('\n').filter((line) => line.includes('PHP_INI_SCAN_DIR'));
      expect(warnings).toEqual([expect.stringMatching(/Failed to set up PHP: .* Set TMPDIR to /)]);
    },
  );
});

describe('PHP with run --redirect', () => {
  it.for([
    ['no option of TLS', {}, 0],
    ['verify_peer', { verify_peer: false, verify_peer_name: false }, 1],
    ['cafile', { cafile: CERTIFICATE, peer_name: 'localhost' }, 1],
  ] as const)(
    'asks the real host by a stream only as the docs say: its own context has %s',
    async ([, ssl, count], context) => {
      needs(context, 'php');
      const { url, requests } = await startRealServer((_request, response) => response.end());
      const real = await startRealHost(context, { service: new URL(url).port });
      const script = join(temporaryFolder(), 'get.php');
      writeFileSync(
        script,
        `<?php
          $own = stream_context_create(['ssl' => json_decode('${JSON.stringify(ssl)}', true)]);
          @file_get_contents('https://${real.host}:${real.port}/', false, $own);`,
      );
      const env = { MOMO_MOCK_CERTS_DIR: '' };
      await runCommand(['run', '--redirect', real.host, '--', 'php', script], { env });
      expect({ connections: real.connections(), requests: requests.length }).toEqual({
        connections: 1,
        requests: count,
      });
    },
  );
});

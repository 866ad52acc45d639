import { chmodSync, mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { CLI, runCommand } from '../support/command.ts';
import { temporaryFolder } from '../support/fixture-folder.ts';
import { type Command, needs } from '../support/machine.ts';
import { runHere } from './node-command.ts';

const HOST = 'api.example.com';
const URL = `https://${HOST}/momo/balance?apikey=momo_test_key`;
const REDIRECT = ['--redirect', HOST];
const ONE = 'momo-mock: 1 request: 1 × 200\n';
const NO_PROXIES = {
  HTTPS_PROXY: undefined,
  https_proxy: undefined,
  NO_PROXY: undefined,
  no_proxy: undefined,
};

describe('run --redirect', () => {
  it('leads Node to the mock, beside what NODE_OPTIONS has, and without the proxy', async () => {
    const env = { ...NO_PROXIES, NODE_OPTIONS: '--no-warnings' };
    const script = `const { status } = await fetch('${URL}');
      say([status, process.env.HTTPS_PROXY, process.env.NO_PROXY, process.env.NODE_OPTIONS]);`;
    const { said, stderr } = await runHere(script, ['--redirect', `${HOST},b.example.com`], {
      env,
    });
    const options = expect.stringMatching(/^--no-warnings --require ".*preload\.cjs"$/);
    expect(said).toEqual([200, null, `${HOST},b.example.com`, options]);
    expect(stderr).toBe(ONE);
  });

  it('leaves a Node program the proxy of the user, except for the hosts', async () => {
    const env = { ...NO_PROXIES, HTTPS_PROXY: 'http://corp.example:1', NO_PROXY: 'internal' };
    const script = 'say([process.env.HTTPS_PROXY, process.env.NO_PROXY]);';
    const { said } = await runHere(script, REDIRECT, { env });
    expect(said).toEqual(['http://corp.example:1', `internal,${HOST}`]);
  });

  it('leaves what --set says', async () => {
    const script = 'say(process.env.HTTPS_PROXY)';
    const { said } = await runHere(script, [...REDIRECT, '--set', 'HTTPS_PROXY=http://own:1']);
    expect(said).toBe('http://own:1');
  });

  it.for<[string, Command, string[]]>([
    ['curl', 'curl', ['curl', '-sS', URL]],
    [
      'Python',
      'python3',
      ['python3', '-c', `import urllib.request; print(urllib.request.urlopen('${URL}').read())`],
    ],
  ])('leads %s to the mock', async ([, needed, command], context) => {
    needs(context, needed);
    const { code, stdout, stderr } = await runCommand(['run', ...REDIRECT, '--', ...command]);
    expect({ code, stderr }).toEqual({ code: 0, stderr: ONE });
    expect(stdout).toContain('XOF');
  });

  it.for<[string, string]>([
    ['execFileSync', `execFileSync('curl', ['-sS', '${URL}'])`],
    ['execSync', `execSync('curl -sS "${URL}"', { stdio: 'pipe' })`],
    [
      'spawnSync with a copy of the environment',
      `spawnSync('curl', ['-sS', '${URL}'], { env: { ...process.env, X: '1' } }).stdout`,
    ],
    ['execFile', `(await promisify(execFile)('curl', ['-sS', '${URL}'])).stdout`],
    ['exec', `(await promisify(exec)('curl -sS "${URL}"', { env: { ...process.env } })).stdout`],
    [
      'Node below Node',
      `execFileSync('sh', ['-c', 'node -e "fetch(process.argv[1]).then((r) => r.text()).then(console.log)" "${URL}"'])`,
    ],
  ])('leads a program that Node starts to the mock: %s', async ([, call], context) => {
    needs(context, 'curl');
    const script = `const { exec, execFile, execFileSync, execSync, spawnSync } = require('node:child_process');
      const { promisify } = require('node:util');
      say(String(${call}));`;
    const { said, stderr } = await runHere(script, REDIRECT);
    expect(said).toContain('XOF');
    expect(stderr).toBe(ONE);
  });

  it('lets the command start another momo-mock', async () => {
    const own = ['run', '--', process.execPath, '-e', ''];
    const again = [process.execPath, CLI, ...own];
    const { code, stderr } = await runCommand(['run', ...REDIRECT, '--', ...again]);
    expect({ code, stderr }).toEqual({ code: 0, stderr: 'momo-mock: no requests\n'.repeat(2) });
  });

  it.each(['', 'https://a.example', 'a.example,', '*.a.example', 'localhost'])(
    'is wrong usage with %j',
    async (hosts) => {
      const { code, said } = await runHere('say(1)', ['--redirect', hosts]);
      expect({ code, said }).toEqual({ code: 2, said: undefined });
    },
  );

  it('redirects Node alone where the control API is off, and says so', async () => {
    const script = `say([(await fetch('${URL}')).status, process.env.HTTPS_PROXY])`;
    const flags = [...REDIRECT, '--control-port', 'off'];
    const { said, stderr } = await runHere(script, flags, { env: NO_PROXIES });
    expect(said).toEqual([200, null]);
    expect(stderr).toMatch(
      /Failed to redirect programs other than Node: the control API, .* off\. /,
    );
  });
});

describe('run --redirect leads PHP to the mock, as a user who is not root:', () => {
  const PHP = `<?php
    [, $url] = $argv;
    echo json_decode(file_get_contents($url), true)['balance'][0]['currency'], ' ';
    $curl = curl_init($url);
    curl_setopt($curl, CURLOPT_RETURNTRANSFER, true);
    echo json_decode(curl_exec($curl), true)['balance'][0]['currency'], ' ';
    echo ini_get('user_agent'), PHP_EOL;`;

  it.for<[string, Record<string, string>]>([
    ['streams and curl', {}],
    ['with the token of the control API', { MOMO_MOCK_CONTROL_TOKEN: 'to:k@n/' }],
  ])('%s', async ([, more], context) => {
    needs(context, 'php');
    const folder = temporaryFolder();
    const ini = join(folder, 'my ini');
    mkdirSync(ini);
    writeFileSync(join(ini, 'own.ini'), 'user_agent = kept');
    writeFileSync(join(folder, 'get.php'), PHP);
    for (const path of [folder, ini]) chmodSync(path, 0o755);
    const isRoot = process.getuid?.() === 0;
    const php = ['php', join(folder, 'get.php'), URL];
    const asUser = isRoot
      ? ['setpriv', '--reuid=65534', '--regid=65534', '--clear-groups', ...php]
      : php;
    // Beside PHP's own folder, which has its curl, and the user's.
    const env = { PHP_INI_SCAN_DIR: `:${ini}`, ...more };
    const ended = await runCommand(['run', ...REDIRECT, '--', ...asUser], { env });
    expect(ended).toMatchObject({
      code: 0,
      stdout: 'XOF XOF kept\n',
      stderr: 'momo-mock: 2 requests: 2 × 200\n',
    });
  });
});

it('counts what clients send to the proxy as a whole, which is refused', async () => {
  const script = `const { request } = require('node:http');
    const { port, hostname } = new URL(env.MOMO_MOCK_CONTROL_URL);
    const path = 'https://${HOST}/momo/balance?apikey=sekret';
    const [response] = await require('node:events').once(request({ hostname, port, path }).end(), 'response');
    say([response.statusCode, await require('node:stream/consumers').json(response)]);`;
  const { said, stderr } = await runHere(script);
  const [status, { error }] = said as [number, { error: { message: string } }];
  expect(status).toBe(400);
  expect(error.message).toMatch(/instead of CONNECT.* --redirect .*\/etc\/hosts/);
  const [line = '', tally] = stderr.split(/(?<=\n)/);
  expect(JSON.parse(line).msg).toMatch(
    /to api\.example\.com:443: .* --redirect api\.example\.com,/,
  );
  expect(tally).toBe('momo-mock: no requests; 1 × https:// refused by the proxy\n');
  expect(stderr).not.toContain('sekret');
});

import { chmodSync, mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { CLI, runCommand } from '../support/command.ts';
import { temporaryFolder } from '../support/fixture-folder.ts';
import { type Command, needs } from '../support/machine.ts';
import { CERTIFICATE, startRealServer } from '../support/real-service.ts';
import { runHere } from './node-command.ts';

const HOST = 'api.example.com';
const URL = `https://${HOST}/momo/balance?apikey=momo_test_key`;
/** Each run creates a certificate, as it does for users. */
const OWN_CERTIFICATE = { MOMO_MOCK_CERTS_DIR: '' };
const NODE = Number.parseInt(process.versions.node, 10);
const REDIRECT = ['--redirect', HOST];
const ONE = 'momo-mock: 1 request: 1 × 200\n';
const NO_PROXIES = {
  HTTPS_PROXY: undefined,
  https_proxy: undefined,
  NO_PROXY: undefined,
  no_proxy: undefined,
};

describe('run --redirect', () => {
  it('directs Node to the mock, keeps NODE_OPTIONS, and uses no proxy', async () => {
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

  it('keeps the proxy of the user for a Node program, except for the hosts', async () => {
    const env = { ...NO_PROXIES, HTTPS_PROXY: 'http://corp.example:1', NO_PROXY: 'internal' };
    const script = 'say([process.env.HTTPS_PROXY, process.env.NO_PROXY]);';
    const { said } = await runHere(script, REDIRECT, { env });
    expect(said).toEqual(['http://corp.example:1', `internal,${HOST}`]);
  });

  it('keeps what NO_PROXY names for others, except *, and says so', async (context) => {
    needs(context, 'curl');
    const env = { ...NO_PROXIES, NO_PROXY: 'proxy.golang.org,*' };
    const curl = `say([env.NO_PROXY, require('node:child_process').execSync('echo $NO_PROXY; curl -sS "${URL}"').toString()])`;
    const { said, stderr } = await runHere(curl, REDIRECT, { env });
    expect(said).toEqual([
      `proxy.golang.org,*,${HOST}`,
      expect.stringMatching(/^localhost,127\.0\.0\.1,::1,proxy\.golang\.org\n[\s\S]*XOF/),
    ]);
    expect(stderr).toContain(`Failed to keep * in NO_PROXY: it covers ${HOST}, `);
  });

  it('keeps the variables of --set', async () => {
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
  ])('directs %s to the mock', async ([, needed, command], context) => {
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

  it.for<[string, string]>([
    ['without its environment', `{ env: { PATH: env.PATH } }`],
    ['with other NODE_OPTIONS', `{ env: { ...env, NODE_OPTIONS: '--no-warnings' } }`],
  ])('leads a program that Node starts to the mock: %s', async ([, options], context) => {
    needs(context, 'curl');
    const script = `const { execFileSync, spawnSync } = require('node:child_process');
      const node = ['-e', 'fetch(process.argv[1]).then((r) => r.text()).then(console.log)', '${URL}'];
      say([spawnSync('node', node, ${options}), spawnSync('curl', ['-sS', '${URL}'], ${options})].map(({ stdout }) => String(stdout).includes('XOF')));`;
    const { said, stderr } = await runHere(script, REDIRECT);
    expect(said).toEqual([true, true]);
    expect(stderr).toBe('momo-mock: 2 requests: 2 × 200\n');
  });

  it('directs Node to the mock through its proxy if a shell replaces NODE_OPTIONS', async (context) => {
    context.skip(NODE < 24, 'Node uses the proxy without a warning from 24 on');
    const get = `fetch('${URL}').then((response) => response.text()).then(console.log)`;
    const sh = ['sh', '-c', `NODE_OPTIONS=--no-warnings "${process.execPath}" -e "${get}"`];
    const { stdout, stderr } = await runCommand(['run', ...REDIRECT, '--', ...sh]);
    expect(stdout).toContain('XOF');
    expect(stderr).toBe(ONE);
  });

  it('keeps the settings of the user for Node: no proxy for other hosts', async (context) => {
    context.skip(NODE < 24, 'Node uses the proxy without a warning from 24 on');
    const script = `const { globalAgent } = await import('node:https');
      say([env.NODE_USE_ENV_PROXY, globalAgent.options.proxyEnv, globalAgent.keepAlive])`;
    const { said } = await runHere(script, REDIRECT, { env: NO_PROXIES });
    expect(said).toEqual([null, null, true]);
  });

  it.for<[string, string[], number[], string[]]>([
    ['another host', ['--redirect', 'b.example.com'], [1, 1], [HOST, 'b.example.com']],
    ['the same host', REDIRECT, [1, 0], [HOST]],
    ['no host', [], [0, 1], [HOST]],
  ])(
    'inside another run redirects the hosts of both, with %s',
    async ([, inner, counts, hosts]) => {
      const script = `Promise.all(${JSON.stringify(hosts)}.map((host) => fetch('https://' + host + '/momo/balance?apikey=momo_test_key'))).then((all) => console.log(all.map(({ status }) => status).join()))`;
      const command = [
        process.execPath,
        CLI,
        'run',
        ...inner,
        '--',
        process.execPath,
        '-e',
        script,
      ];
      const { stdout, stderr } = await runCommand(['run', ...REDIRECT, '--', ...command], {
        env: OWN_CERTIFICATE,
      });
      expect(stdout).toBe(`${hosts.map(() => 200).join()}\n`);
      const lines = stderr.trimEnd().split('\n');
      const summary = (count: number) =>
        `momo-mock: ${count === 0 ? 'no requests' : '1 request: 1 × 200'}`;
      expect(lines.filter((line) => line.startsWith('momo-mock: '))).toEqual(counts.map(summary));
      expect(lines.filter((line) => line.includes("this run's refuses"))).toHaveLength(
        hosts.length - 1,
      );
    },
  );

  it('counts the requests that its proxy refuses', async (context) => {
    needs(context, 'curl');
    const curl = ['curl', '-s', 'https://other.example/'];
    const { stderr } = await runCommand(['run', ...REDIRECT, '--', ...curl]);
    expect(stderr).toMatch(/\nmomo-mock: no requests; 1 × https:\/\/ refused by the proxy\n$/);
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

  it.for<[string, string, string[]]>([
    ['a host', HOST, REDIRECT],
    ['a host, without --redirect', HOST, []],
    ['other JSON', '{"hosts":[]}', REDIRECT],
  ])('is wrong usage if MOMO_MOCK_REDIRECT is %s', async ([, value, flags]) => {
    const env = { MOMO_MOCK_REDIRECT: value };
    const { code, said, stderr } = await runHere('say(1)', flags, { env });
    expect({ code, said }).toEqual({ code: 2, said: undefined });
    expect(stderr).toMatch(
      /^Failed to read MOMO_MOCK_REDIRECT: .+\. Unset it, and use --redirect /,
    );
    expect(stderr).not.toContain(value);
  });

  it('redirects no program that uses a proxy if the control API is off, and says so', async () => {
    const script = `say([(await fetch('${URL}')).status, process.env.HTTPS_PROXY])`;
    const flags = [...REDIRECT, '--control-port', 'off'];
    const { said, stderr } = await runHere(script, flags, { env: NO_PROXIES });
    expect(said).toEqual([200, null]);
    expect(stderr).toMatch(
      /Failed to redirect programs that use a proxy: the control API, .* off\. /,
    );
  });
});

describe('run --redirect directs PHP to the mock, for a user who is not root:', () => {
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

describe('PHP with run --redirect', () => {
  it('reaches no other host with streams', async (context) => {
    needs(context, 'php');
    const real = await startRealServer((_request, response) => response.end('real'));
    const script = `echo var_export(@file_get_contents('${real.url}'), true);`;
    const words = (flags: string[]) => ['run', ...flags, '--', 'php', '-r', script];
    const env = { ...OWN_CERTIFICATE, SSL_CERT_FILE: CERTIFICATE };
    expect((await runCommand(words([]), { env })).stdout).toBe("'real'");
    const { stdout, stderr } = await runCommand(words(REDIRECT), { env });
    expect(stdout).toBe('false');
    expect(stderr).toContain('php -r prepends no file, so their requests fail. Run a file.');
    expect(real.requests).toHaveLength(1);
  });

  it.for<[string, string[], RegExp | undefined]>([
    ['-n', ['-n', 'a.php'], /php -n reads no settings, .* Remove -n\./],
    ['-r after a setting', ['-d', 'a=b', '-r', '1;'], /php -r prepends no file/],
    ['arguments of a script', ['/nowhere.php', '-r', '-n'], undefined],
  ])(
    'causes a warning before the command if it is not redirected: %s',
    async ([, flags, warning], context) => {
      needs(context, 'php');
      const { stderr } = await runCommand(['run', ...REDIRECT, '--', 'php', ...flags]);
      if (warning) expect(stderr).toMatch(warning);
      else expect(stderr).not.toContain('Failed to redirect');
    },
  );

  it('is redirected with any TMPDIR, except one that PHP cannot read, which causes a warning', async (context) => {
    needs(context, 'php');
    const folder = temporaryFolder();
    const script = join(folder, 'get.php');
    writeFileSync(script, `<?php echo json_decode(file_get_contents('${URL}'), true)['success'];`);
    for (const name of ['a"b', 'a\\b$', 'a$' + '{HOME}b', "it's", 'a:b']) {
      const TMPDIR = join(folder, name);
      mkdirSync(TMPDIR);
      const words = ['run', ...REDIRECT, '--', 'php', script];
      const { stdout, stderr } = await runCommand(words, { env: { TMPDIR } });
      if (name === 'a:b')
        expect(stderr).toMatch(/contains \\":\\", .* Set TMPDIR to another folder/);
      else expect([name, stdout, stderr]).toEqual([name, '1', ONE]);
    }
  });
});

it('run --redirect counts plain requests to the proxy, which are refused', async () => {
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

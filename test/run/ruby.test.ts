import { mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { beforeEach, describe, expect, it } from 'vitest';
import { runCommand } from '../support/command.ts';
import { temporaryFolder } from '../support/fixture-folder.ts';
import { needs } from '../support/machine.ts';
import { startRealHost } from '../support/real-host.ts';

const BALANCE = '/momo/balance?apikey=momo_test_key';

describe('Ruby with run --redirect', () => {
  beforeEach((context) => needs(context, 'ruby'));

  const rows = {
    'Net::HTTP': 'Net::HTTP.get(URI(URL))',
    'open-uri': 'URI.open(URL).read',
    'TCPSocket.new with a local address': `over_tls(TCPSocket.new(HOST, PORT, '127.0.0.1', 0))`,
    'TCPSocket.open': 'over_tls(TCPSocket.open(HOST, PORT, connect_timeout: 60))',
    'Socket.tcp': 'Socket.tcp(HOST, PORT, connect_timeout: 60) { |socket| over_tls(socket) }',
  };

  it.for([
    ['', []],
    [', also without its proxy', ['--control-port', 'off']],
  ] as const)('reaches the mock by each of its means%s', async ([, flags], context) => {
    const real = await startRealHost(context);
    const script = `require 'net/http'
      require 'open-uri'
      HOST, PORT = '${real.host}', ${real.port}
      URL = "https://#{HOST}:#{PORT}${BALANCE}"
      def over_tls(socket)
        tls = OpenSSL::SSL::SSLSocket.new(socket)
        tls.connect.write("GET ${BALANCE} HTTP/1.0\\r\\nhost: #{HOST}\\r\\n\\r\\n")
        tls.read
      end
      ${Object.entries(rows)
        .map(([name, call]) => `puts '${name}' if (${call}).include?('XOF')`)
        .join('\n')}`;
    const words = ['run', '--redirect', real.host, ...flags, '--', 'ruby', '-w', '-e', script];
    const { stdout, stderr } = await runCommand(words);
    expect(stdout.trim().split('\n')).toEqual(Object.keys(rows));
    expect(stderr).toMatch(/(^|\n)momo-mock: 5 requests: 5 × 200\n$/);
    expect(real.connections()).toBe(0);
  });

  it('gets the response of the mock to plain HTTP', async (context) => {
    const real = await startRealHost(context);
    const script = `require 'net/http'; puts Net::HTTP.get(URI('http://${real.host}:${real.port}${BALANCE}'))`;
    const words = ['run', '--redirect', real.host, '--', 'ruby', '-e', script];
    const { stdout, stderr } = await runCommand(words);
    expect(stdout).toContain('This port speaks HTTPS only.');
    expect(stderr).toContain('1 × 400 plain-http');
    expect(real.connections()).toBe(0);
  });

  it('reaches the mock below Node, which gives it another environment', async (context) => {
    const real = await startRealHost(context);
    const ruby = `require 'net/http'; puts Net::HTTP.get(URI('https://${real.host}:${real.port}${BALANCE}'))`;
    const script = `const { PATH } = process.env;
      require('node:child_process').spawnSync('ruby', ['-e', ${JSON.stringify(ruby)}], { env: { PATH }, stdio: 'inherit' });`;
    const words = ['run', '--redirect', real.host, '--', process.execPath, '-e', script];
    const { stdout } = await runCommand(words);
    expect(stdout).toContain('XOF');
    expect(real.connections()).toBe(0);
  });

  it('keeps the options and the folders of the user', async () => {
    const folder = join(temporaryFolder(), 'my lib');
    mkdirSync(folder);
    writeFileSync(join(folder, 'own.rb'), '$own = true');
    const script = 'p [$own, $VERBOSE]';
    const env = { RUBYOPT: '-W0 -rown', RUBYLIB: folder };
    const words = ['run', '--redirect', 'api.example.com', '--', 'ruby', '-e', script];
    const { stdout } = await runCommand(words, { env });
    expect(stdout).toBe('[true, nil]\n');
  });

  it('loads no library before the application does', async () => {
    const features = (flags: string[]) =>
      runCommand(['run', ...flags, '--', 'ruby', '-e', 'puts $LOADED_FEATURES']);
    const loaded = (await features(['--redirect', 'api.example.com'])).stdout.trim().split('\n');
    const usual = (await features([])).stdout.split('\n');
    const more = loaded.filter((feature) => !usual.includes(feature));
    expect(more).toEqual([expect.stringMatching(/momo_mock_redirect\.rb$/)]);
  });
});

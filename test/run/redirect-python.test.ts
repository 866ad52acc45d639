import { mkdirSync } from 'node:fs';
import { delimiter, join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { runCommand } from '../support/command.ts';
import { temporaryFolder, writeFiles } from '../support/fixture-folder.ts';
import { needs } from '../support/machine.ts';
import { startRealHost } from '../support/real-host.ts';
import { runHere } from './node-command.ts';

const HOST = 'api.example.com';
const REDIRECT = ['--redirect', HOST];

/** The user's own: the name leads to a listener of the test, which stands in for the real host. */
const OWN = `
import os, socket
resolve = socket.getaddrinfo
def getaddrinfo(host, port, *rest, **named):
    if host == '${HOST}':
        host, port = '127.0.0.1', int(os.environ['REAL_PORT'])
    return resolve(host, port, *rest, **named)
socket.getaddrinfo = getaddrinfo
def address_of(name):
    return '127.0.0.1' if name.lower().startswith('${HOST}') else name
socket.gethostbyname = address_of
socket.gethostbyname_ex = lambda name: (name, [], [address_of(name)])
`;

/** Each asks for the balance without a proxy. They print what they got, by their names. */
const CLIENTS = `
import asyncio, http.client, json, socket, ssl, urllib.error, urllib.request

PATH = '/momo/balance?apikey=momo_test_key'
TEXT = ('GET ' + PATH + ' HTTP/1.0\\r\\nhost: ${HOST}\\r\\n\\r\\n').encode()

def http_client(port=443):
    connection = http.client.HTTPSConnection('${HOST}', port)
    connection.request('GET', PATH)
    return connection.getresponse().read()

def urllib_without_proxies(scheme='https'):
    opener = urllib.request.build_opener(urllib.request.ProxyHandler({}))
    try:
        return opener.open(scheme + '://${HOST}' + PATH).read()
    except urllib.error.HTTPError as error:
        return error.read()

def asyncio_streams():
    async def ask():
        reader, writer = await asyncio.open_connection('${HOST}', 443, ssl=True)
        writer.write(TEXT)
        return await reader.read()
    return asyncio.run(ask())

def resolved_address(resolve):
    with socket.create_connection((resolve('${HOST.toUpperCase()}.'), 443)) as raw:
        with ssl.create_default_context().wrap_socket(raw, server_hostname='${HOST}') as tls:
            tls.sendall(TEXT)
            return b''.join(iter(tls.recv, b''))

CLIENTS = {
    'http.client': http_client,
    'http.client, another port': lambda: http_client(8443),
    'urllib without proxies': urllib_without_proxies,
    'urllib without proxies, plain HTTP': lambda: urllib_without_proxies('http'),
    'asyncio': asyncio_streams,
    'an address': lambda: resolved_address(socket.gethostbyname),
    'a list of addresses': lambda: resolved_address(lambda name: socket.gethostbyname_ex(name)[2][0]),
}
def outcome(ask):
    try:
        text = ask().decode()
    except Exception as error:
        text = repr(error)
    return next((known for known in ('XOF', 'speaks HTTPS only') if known in text), text)
print(json.dumps({name: outcome(ask) for name, ask in CLIENTS.items()}))
`;

/** A folder with the user's own modules, among them `sitecustomize`, and the script `main.py`. */
function folderWith(script: string, own = OWN): string {
  const folder = temporaryFolder();
  writeFiles(folder, { 'main.py': script, 'modules/sitecustomize.py': own });
  return folder;
}

describe('run --redirect directs Python to the mock:', () => {
  it('clients that use no proxy, which ask the real host without it', async (context) => {
    needs(context, 'python3');
    const folder = folderWith(CLIENTS);
    const real = await startRealHost(context, { host: '127.0.0.1' });
    const env = { REAL_PORT: real.port, PYTHONPATH: join(folder, 'modules') };
    const python = ['--', 'python3', join(folder, 'main.py')];
    const { stdout, stderr } = await runCommand(['run', ...REDIRECT, ...python], { env });
    expect(JSON.parse(stdout)).toEqual({
      'http.client': 'XOF',
      'http.client, another port': 'XOF',
      'urllib without proxies': 'XOF',
      'urllib without proxies, plain HTTP': 'speaks HTTPS only',
      asyncio: 'XOF',
      'an address': 'XOF',
      'a list of addresses': 'XOF',
    });
    expect(stderr).toContain('momo-mock: 6 requests: 6 × 200, 1 × 400 plain-http\n');
    expect(real.connections()).toBe(0);
    await runCommand(['run', ...python], { env });
    // The last two have no port of the listener.
    expect(real.connections()).toBe(5);
  });

  it('below a Node program that starts it with another environment', async (context) => {
    needs(context, 'python3');
    const ask = `from http.client import HTTPSConnection as C; c = C('${HOST}'); c.request('GET', '/momo/balance?apikey=momo_test_key'); print(c.getresponse().status)`;
    const script = `const { execFileSync } = require('node:child_process');
      say(execFileSync('python3', ['-c', ${JSON.stringify(ask)}], { env: { PATH: env.PATH } }).toString());`;
    const { said } = await runHere(script, REDIRECT);
    expect(said).toBe('200\n');
  });

  it('without the control API, which is the proxy of others', async (context) => {
    needs(context, 'python3');
    const folder = folderWith(CLIENTS, '');
    const words = ['run', ...REDIRECT, '--control-port', 'off', '--'];
    const { stderr } = await runCommand([...words, 'python3', join(folder, 'main.py')]);
    expect(stderr).toContain('momo-mock: 6 requests: 6 × 200, ');
    expect(stderr).toContain('Failed to redirect programs that use a proxy: ');
  });
});

describe('Python with run --redirect', () => {
  const PRINT = `
import http.client, json, own, sys
try:
    import sitecustomize
except ImportError:
    sitecustomize = None
connection = http.client.HTTPSConnection('${HOST}')
connection.request('GET', '/momo/balance?apikey=momo_test_key')
status = connection.getresponse().status
print(json.dumps([status, own.WORD, getattr(sitecustomize, 'WORD', None), sys.path]))`;

  it.for<[string, string | undefined, string | null, string]>([
    ['of the user', "WORD = 'custom'", 'custom', ''],
    ['of the user that fails, which Python reports', 'import nowhere', null, 'nowhere'],
    ['of the machine, or of nobody', undefined, null, ''],
  ])(
    'loads the sitecustomize %s, and the modules of the user',
    async ([, custom, word, problem], context) => {
      needs(context, 'python3');
      const folder = folderWith(PRINT, custom);
      writeFiles(folder, { 'others/own.py': "WORD = 'own'" });
      const folders = custom === undefined ? ['others'] : ['modules', 'others'];
      const env = { PYTHONPATH: folders.map((name) => join(folder, name)).join(delimiter) };
      const words = ['run', ...REDIRECT, '--', 'python3', join(folder, 'main.py')];
      const { code, stdout, stderr } = await runCommand(words, { env });
      expect(code).toBe(0);
      const [status, own, given, path] = JSON.parse(stdout);
      expect([status, own, given]).toEqual([200, 'own', word]);
      expect(path.filter((one: string) => one.includes('momo-mock-run-'))).toEqual([]);
      expect(path).toContain(join(folder, 'others'));
      expect(stderr).toContain(problem);
      expect(stderr.includes('Error in sitecustomize')).toBe(problem !== '');
    },
  );

  it('is redirected with any TMPDIR, except one that PYTHONPATH cannot have, which causes a warning', async () => {
    const TMPDIR = join(temporaryFolder(), `a${delimiter}b`);
    mkdirSync(TMPDIR);
    const script = 'say(env.PYTHONPATH)';
    const env = { TMPDIR, PYTHONPATH: 'own' };
    const { said, stderr } = await runHere(script, REDIRECT, { env });
    expect(said).toBe('own');
    expect(stderr).toMatch(
      /Python programs that use no proxy: .* separates paths in PYTHONPATH\. /,
    );
  });
});

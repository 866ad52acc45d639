import { mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it, type TestContext } from 'vitest';
import { CLI, type CommandOptions, runCommand } from '../support/command.ts';
import { temporaryFolder } from '../support/fixture-folder.ts';
import { needs } from '../support/machine.ts';
import { QUICK_JAVA } from '../support/quick-java.ts';
import { startRealHost } from '../support/real-host.ts';
import { CERTIFICATE, startRealServer } from '../support/real-service.ts';
import { runHere } from './node-command.ts';

const BALANCE = '/momo/balance?apikey=momo_test_key';

/** Asks each URL, and sets each TLS mode; prints the first letter of each response, or the problem. */
const ASK = `import java.net.*; import java.net.http.*; import java.util.concurrent.Callable;
class Ask {
  public static void main(String[] words) throws Exception {
    for (var word : words) {
      if (!word.contains(":")) setMode(word);
      var url = word.contains(":") ? word : System.getenv("MOMO_MOCK_URL") + "${BALANCE}";
      var request = HttpRequest.newBuilder(URI.create(url)).build();
      print(() -> HttpClient.newHttpClient().send(request, HttpResponse.BodyHandlers.ofString()).body());
      print(() -> new String(new URL(url).openStream().readAllBytes()));
    }
    System.out.println(System.getProperty("own"));
  }
  static void setMode(String mode) throws Exception {
    var body = HttpRequest.BodyPublishers.ofString("{\\"mode\\":\\"" + mode + "\\"}");
    var request = HttpRequest.newBuilder(URI.create(System.getenv("MOMO_MOCK_CONTROL_URL") + "/tls"))
      .header("content-type", "application/json").PUT(body).build();
    HttpClient.newHttpClient().send(request, HttpResponse.BodyHandlers.discarding());
  }
  static void print(Callable<String> call) {
    try { System.out.println(call.call().charAt(0)); } catch (Exception problem) { System.out.println(problem.getMessage()); }
  }
}`;

/** Runs the program with its words. Returns the lines that it prints. */
async function ask(
  context: Pick<TestContext, 'skip'>,
  flags: string[],
  words: string[],
  options: CommandOptions = {},
): Promise<string[]> {
  needs(context, 'javac');
  const file = join(temporaryFolder(), 'Ask.java');
  writeFileSync(file, ASK);
  const env = { JAVA_TOOL_OPTIONS: `${QUICK_JAVA.join(' ')} -Down=kept`, ...options.env };
  const { stdout } = await runCommand(['run', ...flags, '--', 'java', file, ...words], { env });
  return stdout.trim().split('\n');
}

describe('Java with run', () => {
  it('trusts the mock and what SSL_CERT_FILE has, and keeps the options of the user', async (context) => {
    const real = await startRealServer((_request, response) => response.end('real'));
    const TMPDIR = join(temporaryFolder(), `my "tmp" of o'neil`);
    mkdirSync(TMPDIR);
    const env = { MOMO_MOCK_CERTS_DIR: '', SSL_CERT_FILE: CERTIFICATE, TMPDIR };
    const printed = await ask(context, [], ['normal', real.url], { env });
    expect(printed).toEqual(['{', '{', 'r', 'r', 'kept']);
  });

  it('refuses each wrong certificate', async (context) => {
    const unknown = expect.stringContaining('unable to find valid certification path');
    const wrong = expect.stringContaining('No subject alternative DNS name matching localhost');
    const printed = await ask(context, [], ['expired', 'wrong-host', 'untrusted']);
    expect(printed).toEqual([unknown, unknown, wrong, wrong, unknown, unknown, 'kept']);
  });

  // Java asks addresses of loopback without a proxy, so the real host has a name.
  it('reaches the mock with --redirect, and loopback without a proxy', async (context) => {
    const real = await startRealHost(context);
    const other = await startRealServer((_request, response) => response.end('real'));
    const hosts = join(temporaryFolder(), 'hosts');
    writeFileSync(hosts, `127.0.0.1 localhost\n${real.host} api.example.com\n`);
    const JAVA_TOOL_OPTIONS = `-Djdk.net.hosts.file=${hosts}`;
    const env = { MOMO_MOCK_CERTS_DIR: '', SSL_CERT_FILE: CERTIFICATE, JAVA_TOOL_OPTIONS };
    const words = [`https://api.example.com:${real.port}${BALANCE}`, other.url];
    const printed = await ask(context, ['--redirect', 'api.example.com'], words, { env });
    expect(printed.slice(0, 4)).toEqual(['{', '{', 'r', 'r']);
    expect(real.connections()).toBe(0);
  });
});

describe('JAVA_TOOL_OPTIONS in a run', () => {
  const SAY = 'say(env.JAVA_TOOL_OPTIONS ?? null)';
  const STORE = /^-Djavax\.net\.ssl\.trustStore=\S+\/momo-mock\.jks$/;

  it('has the trust store', async () => {
    const { said } = await runHere(SAY, [], { env: { JAVA_TOOL_OPTIONS: undefined } });
    expect(said).toMatch(STORE);
  });

  it('has the proxy with --redirect, and the hosts of NO_PROXY as Java writes them', async () => {
    const NO_PROXY = '.corp.example, 10.0.0.1:8080,api.example.com';
    const env = { JAVA_TOOL_OPTIONS: '-Xshare:auto', NO_PROXY };
    const { said } = await runHere(SAY, ['--redirect', 'api.example.com'], { env });
    const direct = 'localhost|*.localhost|127.0.0.1|[::1]|corp.example|*.corp.example|10.0.0.1';
    expect(String(said).split(' ')).toEqual([
      '-Xshare:auto',
      '-Dhttps.proxyHost=localhost',
      expect.stringMatching(/^-Dhttps\.proxyPort=\d+$/),
      `-Dhttp.nonProxyHosts=${direct}`,
      expect.stringMatching(STORE),
    ]);
  });

  it('keeps a trust store of the user, which is a warning', async () => {
    const JAVA_TOOL_OPTIONS = '-Djavax.net.ssl.trustStore=/own.p12';
    const { said, stderr } = await runHere(SAY, [], { env: { JAVA_TOOL_OPTIONS } });
    expect(said).toBe(JAVA_TOOL_OPTIONS);
    expect(stderr).toMatch(/make Java trust the mock: .* Import the certificate in MOMO_MOCK_CA/);
  });

  it('ends with the trust store of the innermost run', async () => {
    const inner = [CLI, 'run', '--', process.execPath, '-p', 'process.env.JAVA_TOOL_OPTIONS'];
    const { stdout, stderr } = await runCommand(['run', '--', process.execPath, ...inner]);
    const [outer, last, ...more] = stdout.trim().split(' ');
    expect([outer, last]).toEqual([expect.stringMatching(STORE), expect.stringMatching(STORE)]);
    expect({ more, isOther: outer !== last }).toEqual({ more: [], isOther: true });
    expect(stderr).not.toContain('Java');
  });
});

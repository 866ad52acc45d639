import { execFileSync } from 'node:child_process';
import { readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { createServer, type IncomingMessage } from 'node:http';
import { type AddressInfo, Server } from 'node:net';
import { join, resolve } from 'node:path';
import { text } from 'node:stream/consumers';
import { rootCertificates } from 'node:tls';
import { afterAll, describe, expect, it, vi } from 'vitest';
import { spawnCommand } from '../support/command.ts';
import { type Over, temporaryFolder } from '../support/fixture-folder.ts';
import { freePort } from '../support/free-port.ts';
import { needs } from '../support/machine.ts';
import { call } from './call.ts';
import { configured, drillApart, drill as drillHere, NODE, PYTHON } from './drill-command.ts';

// Each failure takes some seconds, most of which it waits.
vi.setConfig({ testTimeout: 300_000, maxConcurrency: 4 });

const parent = temporaryFolder(afterAll);
const drill = drillApart(parent);

/** What an application received, in the order of its requests. */
interface Received {
  readonly method: string;
  readonly url: string;
  readonly headers: IncomingMessage['headers'];
  readonly body: string;
}

/** Starts a shop in this process, which takes its account from each payment. */
async function startShop(
  over: Over,
): Promise<{ readonly base: string; readonly received: Received[] }> {
  const received: Received[] = [];
  const references = new Map<string, Promise<{ url: string; apiKey: string; reference: string }>>();
  const ask = async (url: string, path: string, body?: object) => {
    const given = { method: body ? 'POST' : 'GET', path, body, isUnverified: true };
    return (await call({ url }, given, undefined)).json;
  };
  const server = createServer(async (incoming, response) => {
    const { method = '', url = '', headers } = incoming;
    const body = await text(incoming);
    if (method === 'POST') received.push({ method, url, headers, body });
    const order = url.split('/')[2] ?? '';
    if (method === 'POST') {
      const { url, id, amount, phone } = Object.fromEntries(new URLSearchParams(body));
      if (url === undefined) return void response.end();
      const apiKey = `${headers['x-account']}`;
      const paid = ask(url, `/momo/requestPayment?apikey=${apiKey}`, {
        ...{ amount, currency: 'XOF', senderPhoneNumber: phone, merchantOrderId: id },
      }).then(({ payment }) => ({ url: `${url}`, apiKey, reference: `${payment?.reference}` }));
      references.set(`${id}`, paid);
      await paid;
      response.writeHead(302, { location: '/' }).end('thanks');
      return;
    }
    const { url: base, apiKey, reference } = (await references.get(order)) ?? {};
    const { transaction } =
      base && reference ? await ask(base, `/momo/status/${reference}?apikey=${apiKey}`) : {};
    response.end(`"${transaction?.status ?? 'none'}"`);
  });
  server.listen(0, '127.0.0.1');
  over(() => void server.close());
  await new Promise((resolve) => server.once('listening', resolve));
  return { base: `http://127.0.0.1:${(server.address() as AddressInfo).port}`, received };
}

describe.concurrent('an application that runs already', () => {
  it('gets an account with each payment, and any status of a payment is fine', async ({
    onTestFinished,
  }) => {
    const { base, received } = await startShop(onTestFinished);
    const config = {
      preset: 'chipdeals',
      limit: 4000,
      pay: {
        url: `${base}/pay?phone={phone}&order={order}`,
        headers: { 'x-account': '{apiKey}', 'content-type': 'application/x-www-form-urlencoded' },
        body: 'url={url}&id={order}&amount={amount}&phone={phone}',
      },
      outcome: { url: `${base}/orders/{order}`, paid: ['Success'], failed: ['error'] },
    };
    const { code, stderr, verdicts } = await drill(config, { only: ['declined'] });
    expect({ code, stderr }).toEqual({ code: 0, stderr: '' });
    expect(verdicts).toEqual({ success: 'survived', declined: 'survived' });
    const accounts = received.map(({ headers }) => headers['x-account']);
    expect(new Set(accounts).size).toBe(2);
    expect(received[0]?.url).toMatch(/^\/pay\?phone=\d+&order=\w+$/);
    expect(received[0]?.body).toMatch(
      /^url=https%3A%2F%2Flocalhost%3A\d+&id=\w+&amount=\d+&phone=\d+$/,
    );
  });

  it('gets numbers of its body with all digits, and the amount as a number', async ({
    onTestFinished,
  }) => {
    const { base, received } = await startShop(onTestFinished);
    const body =
      '{"amount":"{amount}","price":100.00,"n":12345678901234567890,"all":["{amount}","{amount} {currency}"]}';
    const pay = {
      url: `${base}/pay`,
      method: 'POST',
      headers: { 'x-account': '{apiKey}' },
      body: 0,
    };
    const outcome = { url: `${base}/orders/{order}` };
    const config = JSON.stringify({ preset: 'chipdeals', limit: 1000, pay, outcome });
    const { code } = await drill(config.replace('"body":0', `"body":${body}`));
    expect(code).toBe(1);
    expect(received[0]).toMatchObject({
      headers: { 'content-type': 'application/json' },
      body: '{"amount":1000,"price":100.00,"n":12345678901234567890,"all":[1000,"1000 XOF"]}',
    });
  });
});

describe.concurrent('the drill stops with a sentence and exit code 2 if', () => {
  it.each([
    {
      what: 'the application ends at once',
      config: {
        ...NODE,
        start: `printf '\\033[31mno database {apiKey}\\a\\n'; echo second >&2; exit 3`,
      },
      sentence:
        'Failed to start the application: it ended with exit code 3. It wrote:\n  no database [redacted]\n  second',
    },
    {
      what: 'there is no such program',
      config: { ...NODE, start: 'no-such-program' },
      sentence: 'Failed to start the application: it ended with exit code 127. It wrote:\n',
    },
    {
      what: 'the state has another name',
      config: { ...NODE, outcome: { ...NODE.outcome, field: 'order.stat' } },
      sentence:
        /^Failed to read the outcome of an order: GET http:\S+\/orders\/\w+ responded with 200, but the response has no member order\.stat\. Did you mean "order\.state"\? The response: \{"order":/,
    },
    {
      what: 'a command that pays fails',
      config: { ...NODE, pay: { command: ['sh', '-c', 'echo "no money"; exit 1'] } },
      sentence:
        /^Failed to pay.*: sh -c echo "no money"; exit 1: it ended with exit code 1\. It wrote:\n {2}no money\.?\nThe drill stopped in success\.\n$/m,
    },
    {
      what: 'the application ends later',
      config: {
        ...NODE,
        start: `${NODE.start} & sleep 1; kill $!; echo "killed by the test"; exit 5`,
      },
      sentence:
        /Failed to read the outcome .+\n(?:.+\n)*The application runs no more: it ended with exit code 5\.\n/,
    },
  ])('$what', async ({ config, sentence }) => {
    const { code, stderr, folder, report } = await drill({ ...config, limit: 1000 });
    expect({ code, report }).toEqual({ code: 2, report: undefined });
    expect(stderr).toMatch(sentence);
    expect(readdirSync(folder)).toEqual(['config']);
  });

  it('a crash in a failure other than success is its verdict, and the rest is judged', async () => {
    // The library throws where nothing catches it.
    const { code, report, stdout } = await drill(
      { ...NODE, limit: 4000 },
      { only: ['garbage', 'unavailable'] },
    );
    expect(report?.failures).toMatchObject([
      { name: 'success', verdict: 'survived' },
      {
        name: 'garbage',
        verdict: 'failed',
        sentence: expect.stringMatching(
          /^The application crashed: it ended with exit code 1 \(POST \/momo\/requestPayment at .*\)\.$/,
        ),
      },
      { name: 'unavailable' },
    ]);
    expect(stdout).toContain('Handle the errors of each request');
    expect(code).toBe(1);
  });

  it('another program listens on the port', async ({ onTestFinished }) => {
    const { base } = await startShop(onTestFinished);
    const { host } = new URL(base);
    const start = 'echo started > FOLDER/started; sleep 100';
    const { code, stderr, folder } = await drill({
      ...NODE,
      start: `${start} {port}`,
      ready: base,
    });
    expect(code).toBe(2);
    const fix = 'Stop it, or use {port}.';
    expect(stderr).toBe(
      `Failed to start the application: another program listens on ${host}. ${fix}\nThe drill stopped in success.\n`,
    );
    expect(readdirSync(folder)).toEqual(['config']);
  });
});

it.concurrent('an application gets the environment of run, with an account of its own for each failure', async () => {
  const start = `env > FOLDER/env-{port}; ${NODE.start}`;
  const webhook = 'http://127.0.0.1:{port}/hook';
  const env = { ...NODE.env, HOME: '{apiKey} {url}' };
  const config = { ...NODE, start, webhook, env, limit: 2000 };
  const { code, folder } = await drill(config, { only: ['declined'] });
  expect(code).toBe(0);
  const files = readdirSync(folder).filter((name) => name.startsWith('env-'));
  const variables = files.map((file) => {
    const lines = readFileSync(join(folder, file), 'utf8').split('\n');
    return Object.fromEntries(lines.map((line) => line.split(/=(.*)/).slice(0, 2)));
  });
  expect(variables).toHaveLength(2);
  for (const [index, own] of variables.entries()) {
    expect(own).toMatchObject({
      HOME: `${own.MOMO_MOCK_APIKEY} ${own.MOMO_MOCK_URL}`,
      PORT: files[index]?.slice('env-'.length),
      MOMO_MOCK_URL: expect.stringMatching(/^https:\/\/localhost:\d+$/),
      MOMO_MOCK_CA: expect.stringMatching(/momo-mock\.pem$/),
      MOMO_MOCK_DRILL_WEBHOOK: `http://127.0.0.1:${own.PORT}/hook`,
      MOMO_MOCK_DRILL_WEBHOOK_SECRET: expect.stringMatching(/./),
      MOMO_MOCK_REDIRECT: expect.stringContaining('apis.chipdeals.me'),
      HTTPS_PROXY: expect.stringMatching(/^http:/),
      NODE_EXTRA_CA_CERTS: expect.stringMatching(/./),
    });
  }
  const [first, second] = variables;
  for (const name of ['MOMO_MOCK_APIKEY', 'MOMO_MOCK_DRILL_WEBHOOK_SECRET', 'PORT']) {
    expect(first?.[name]).not.toBe(second?.[name]);
  }
});

it.concurrent('an application that should not trust the mock keeps its redirect, and what it trusts without requests', async (context) => {
  needs(context, 'python3');
  const own = join(parent, 'own.pem');
  writeFileSync(own, `${rootCertificates[0]}\n`);
  const start = `env > FOLDER/env-{port}; ${PYTHON.start}`;
  const { folder, verdicts } = await drill(
    { ...PYTHON, start, limit: 2000 },
    {
      only: ['wrong-certificate'],
      env: {
        ...{ REQUESTS_CA_BUNDLE: own, SSL_CERT_FILE: own },
        ...{ CURL_CA_BUNDLE: undefined, NODE_EXTRA_CA_CERTS: undefined },
      },
    },
  );
  expect(verdicts).toEqual({ success: 'survived', 'wrong-certificate': 'survived' });
  const files = readdirSync(folder).filter((name) => name.startsWith('env-'));
  const lines = files.map((file) => readFileSync(join(folder, file), 'utf8').split('\n'));
  const names = /^(REQUESTS_CA_BUNDLE|SSL_CERT_FILE|CURL_CA_BUNDLE|NODE_EXTRA_CA_CERTS)=/;
  const trusted = lines.map((all) => all.filter((line) => names.test(line)));
  expect(trusted).toContainEqual([`SSL_CERT_FILE=${own}`]);
  // In `success`, all of them.
  expect(trusted.map(({ length }) => length)).toContain(4);
  for (const all of lines) expect(all.join('\n')).toMatch(/^MOMO_MOCK_REDIRECT=.*apis\.chipdeals/m);
  const java = lines.map((all) => all.find((line) => line.startsWith('JAVA_TOOL_OPTIONS=')));
  expect(java.every((line) => line?.includes('-Dhttps.proxyHost='))).toBe(true);
  expect(java.filter((line) => !line?.includes('trustStore'))).toHaveLength(
    trusted.filter(({ length }) => length === 1).length,
  );
});

it('the drill stops if no port is free any more, and what was judged before is reported', async () => {
  const { listen } = Server.prototype;
  let ports = 0;
  vi.spyOn(Server.prototype, 'listen').mockImplementation(function (this: Server, ...args) {
    const isPort = Number(args[0]) >= 15_000 && Number(args[0]) < 30_000;
    if (!isPort || ++ports < 3) return listen.apply(this, args as never);
    const error = Object.assign(new Error(), { code: 'EPERM' });
    queueMicrotask(() => this.emit('error', error));
    return this;
  });
  const only = ['declined', 'unavailable'];
  const reports = ['a.xml', 'b.md'];
  const drilled = await drillHere({ ...NODE, limit: 1000 }, { only, reports });
  const { code, stdout, stderr, folder, report } = drilled;
  const sentence =
    'Failed to find a port for the application: this process cannot listen (EPERM). Run the drill where programs may open ports.';
  expect({ code, stderr }).toEqual({
    code: 2,
    stderr: `${sentence}\nThe drill stopped in unavailable.\n`,
  });
  expect(stdout).toMatch(
    /\n\n1 survived, 0 failed \(\d+ s\)\n2 were not judged, because the drill stopped\.\n$/,
  );
  expect(report).toMatchObject({
    ...{ survived: 1, failed: 0, failures: [{ name: 'success', verdict: 'survived' }] },
    stopped: { failure: 'unavailable', sentence },
  });
  const xml = readFileSync(join(folder, 'a.xml'), 'utf8');
  expect(xml).toContain('tests="2" failures="0" errors="1" skipped="0"');
  const markdown = readFileSync(join(folder, 'b.md'), 'utf8');
  expect(markdown).toContain(`\nThe drill stopped in \`unavailable\`: ${sentence}\n`);
});

/** The processes that have a text in their command line. */
function processesWith(text: string): string[] {
  const all = execFileSync('ps', ['-eo', 'pid,args'], { encoding: 'utf8' }).split('\n');
  return all.filter((line) => line.includes(text));
}

/** An application with children of which some ignore signals. Its processes have a text in their names. */
function stubborn(name: string) {
  const child = `sh -c 'trap "" TERM; sleep 1000; : ${name} {port}'`;
  const list = 'ps -eo pid,args > FOLDER/processes-$$';
  const script = `trap '' TERM INT HUP; ${list}; ${child} & ${NODE.start.replace('exec ', '')} ${name} {port}; :`;
  return { ...NODE, start: script };
}

/** Starts the drill of one, with short times. */
async function spawnStubborn(suffix: string, only: string) {
  const name = `stubborn-${process.pid}-${suffix}`;
  const folder = temporaryFolder();
  const flags = configured({ ...stubborn(name), limit: 1000 }, folder);
  const options = { env: { TMPDIR: folder }, cwd: resolve('.') };
  return { name, folder, ...(await spawnCommand(['drill', ...flags, '--only', only], options)) };
}

const foldersOfDrill = (folder: string) =>
  readdirSync(folder).filter((file) => file.startsWith('momo-mock'));

describe('an application that ignores signals ends, with all its children,', () => {
  it('after its failure, before the next one begins if its port is fixed', async () => {
    const name = `stubborn-${process.pid}-a`;
    const config = JSON.stringify({ ...stubborn(name), limit: 2000 });
    const { code, folder } = await drill(config.replaceAll('{port}', `${await freePort()}`), {
      only: ['declined'],
    });
    expect(code).toBe(0);
    expect(processesWith(name)).toEqual([]);
    const files = readdirSync(folder).filter((file) => file.startsWith('processes-'));
    expect(files).toHaveLength(2);
    // None of the first one is there when the second one starts.
    for (const file of files) {
      const listed = readFileSync(join(folder, file), 'utf8').split('\n');
      expect(listed.filter((line) => line.includes(name))).toHaveLength(1);
    }
  });

  it.each(['SIGINT', 'SIGTERM', 'SIGHUP', 'SIGQUIT'] as const)(
    'after %s to the drill',
    async (signal) => {
      const { name, folder, child, ended, output } = await spawnStubborn(signal, 'down');
      await vi.waitFor(() => expect(output()).toContain('success'), 60_000);
      await vi.waitFor(() => expect(processesWith(name)).not.toEqual([]), 60_000);
      child.kill(signal);
      expect(await ended).toMatchObject({ code: null, signal });
      expect(processesWith(name)).toEqual([]);
      expect(foldersOfDrill(folder)).toEqual([]);
    },
  );

  it('at once after a second signal', async () => {
    const { name, folder, child, ended } = await spawnStubborn('twice', 'success');
    await vi.waitFor(() => expect(processesWith(name)).not.toEqual([]), 60_000);
    child.kill('SIGINT');
    await new Promise((resolve) => setTimeout(resolve, 300));
    child.kill('SIGINT');
    expect(await ended).toMatchObject({ code: null, signal: 'SIGINT' });
    await vi.waitFor(() => expect(processesWith(name)).toEqual([]), 10_000);
    expect(foldersOfDrill(folder)).toEqual([]);
  });
});

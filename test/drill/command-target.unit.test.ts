import { existsSync, mkdtempSync, readFileSync, rmSync, statSync } from 'node:fs';
import { createServer, type RequestListener } from 'node:http';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { describe, expect, it, onTestFinished } from 'vitest';
import type { DrillConfig } from '../../src/cli/drill/config.ts';
import { LogFiles } from '../../src/cli/drill/log-files.ts';
import { configuredTarget, type TargetOptions } from '../../src/cli/drill/started-application.ts';
import type { DrillOrder, OpenApplication } from '../../src/drill/application.ts';
import { Redactor } from '../../src/mock/redaction/redaction.ts';
import { freePort } from '../support/free-port.ts';

const PROVIDER = {
  url: 'https://localhost:9',
  ca: '',
  apiKey: 'key_of_the_account',
  webhookSecret: 'secret_of_the_account',
};
const CREDENTIALS = { shortcode: '174379', environment: 'sandbox', passkey: 'pass_of_the_account' };
const ACCOUNT = { ...PROVIDER, credentials: CREDENTIALS };
const ORDER: DrillOrder = {
  ...{ order: 'o1', amount: 19.99, currency: 'XOF', phone: '22990000001' },
  provider: ACCOUNT,
};
/** A program that prints nothing, and ends. */
const NOTHING = { command: ['true'] };
const trusts = { trusts: true, signal: new AbortController().signal };

function targetFor(config: Partial<DrillConfig>, options: Partial<TargetOptions> = {}) {
  return configuredTarget({
    config: { pay: NOTHING, outcome: NOTHING, ...config } as DrillConfig,
    callLimit: 60_000,
    environment: (apiKey, isTrusted) => {
      return { PATH: process.env.PATH, APIKEY: apiKey, ...(isTrusted && { CA: 'ca' }) };
    },
    redirect: 'It is redirected.',
    remember: () => {},
    redactor: new Redactor(),
    logs: undefined,
    ...options,
  });
}

/** Opens the application of a configuration. */
async function opened(
  config: Partial<DrillConfig>,
  { how = trusts, ...options }: Partial<TargetOptions> & { how?: typeof trusts } = {},
): Promise<OpenApplication & { readonly target: ReturnType<typeof targetFor> }> {
  const target = targetFor(config, options);
  const place = await target.place(PROVIDER, 'success');
  const application = await place.open(ACCOUNT, how);
  onTestFinished(() => application.close());
  return { ...application, target };
}

/** Starts a server in this process. Returns its base URL. */
async function serverWith(listener: RequestListener): Promise<string> {
  const server = createServer(listener).listen(0, '127.0.0.1');
  await new Promise((done) => server.once('listening', done));
  onTestFinished(() => void server.close());
  return `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
}

const responding = (status: number, text: string) =>
  serverWith((_request, response) => response.writeHead(status).end(text));

/** An application that listens on its port. */
const listening = (script: string, onRequest = "r.end('paid')") =>
  `exec node -e "${script}; require('http').createServer((_, r) => ${onRequest}).listen(process.argv[1], '127.0.0.1')" {port}`;
const AT_PORT = { url: 'http://127.0.0.1:{port}/{order}' };

describe('a place', () => {
  it.each([
    ['that starts with a port of its own', { start: 'app {port}' }, false, 4],
    ['whose port is in env', { start: 'app', env: { PORT: '{port}' } }, false, 4],
    ['with a port that is fixed', { start: 'app' }, false, 0],
    ['that runs already', {}, true, Infinity],
  ])('for an application %s says what may run beside it', (_what, config, isShared, most) => {
    const { isShared: is, maxWatched } = targetFor(config);
    expect([is, maxWatched]).toEqual([isShared, most]);
  });

  it('has the webhook URL before there are credentials, with a port that the application gets', async () => {
    const start = 'echo $HOOK $MOMO_MOCK_DRILL_WEBHOOK; exit 3';
    const webhook = 'http://127.0.0.1:{port}/{apiKey}';
    const config = { start, webhook, env: { HOOK: '{webhook}', PORT: '{port}' } };
    const place = await targetFor(config).place(PROVIDER, 'success');
    expect(place.webhook).toMatch(/^http:\/\/127\.0\.0\.1:\d+\/key_of_the_account$/);
    const shown = `${place.webhook}`.replace(PROVIDER.apiKey, '[redacted]');
    const error = `it ended with exit code 3. It wrote:\n  ${shown} ${shown}`;
    await expect(place.open(ACCOUNT, trusts)).rejects.toThrow(new Error(error));
  });

  it('on a fixed port is free when the application before has stopped, however slowly', async () => {
    const url = `http://127.0.0.1:${await freePort()}/`;
    const script = "process.on('SIGTERM', () => setTimeout(process.exit, 300))";
    const start = listening(script).replace('{port}', new URL(url).port);
    const target = targetFor({ start, ready: url, outcome: { url } });
    const open = async (failure: string) => {
      const place = await target.place(PROVIDER, failure);
      const application = await place.open(ACCOUNT, trusts);
      onTestFinished(() => application.close());
      return application;
    };
    const first = await open('success');
    const second = await open('declined');
    expect([first.crash?.(), second.crash?.()]).toEqual(['it ended with exit code 0', undefined]);
    expect(await second.outcome(ORDER)).toEqual({ state: 'paid' });
  });

  it('refuses a secret in the webhook URL if the provider chooses another one later', async () => {
    const webhook = 'http://127.0.0.1:1/{webhookSecret}';
    const place = await targetFor({ webhook }).place(PROVIDER, 'success');
    expect(place.webhook).toBe('http://127.0.0.1:1/secret_of_the_account');
    await expect(place.open(ACCOUNT, trusts)).resolves.toBeDefined();
    const other = { ...ACCOUNT, webhookSecret: 'another' };
    await expect(place.open(other, trusts)).rejects.toThrow(/Remove it from webhook\.$/);
  });

  it('opens an application in an environment that trusts the mock, or not', async () => {
    const outcome = { command: ['sh', '-c', 'echo "paid $CA $APIKEY $MOMO_MOCK_DRILL_SHORTCODE"'] };
    const say = async (how: typeof trusts) => {
      const { outcome: ask } = await opened({ outcome }, { how });
      return await ask(ORDER);
    };
    const note = (words: string) => expect.stringContaining(`Its outcome "${words}" counts as`);
    expect(await say(trusts)).toMatchObject({ note: note('paid ca key_of_the_account 174379') });
    expect(await say({ ...trusts, trusts: false })).toMatchObject({
      note: note('paid  key_of_the_account 174379'),
    });
  });
});

describe('the outcome of an order', () => {
  it.each([404, 410])('is not known if the application responds with %i', async (status) => {
    const url = await responding(status, 'paid');
    const { outcome } = await opened({ outcome: { url } });
    expect(await outcome(ORDER)).toBeUndefined();
  });

  it.each(['exit 0', 'echo; echo warning >&2'])(
    'is not known if a program writes nothing: %s',
    async (script) => {
      const { outcome } = await opened({ outcome: { command: ['sh', '-c', script] } });
      expect(await outcome(ORDER)).toBeUndefined();
    },
  );

  it.each([
    [500, 'no\n  database', {}, 'responded with 500. The response: no database'],
    [403, '', {}, 'responded with 403. The response is empty.'],
    [302, '', {}, 'responded with 302. The response is empty.'],
    [200, '<html>', {}, 'responded with 200, but the response is not one word. Set outcome.field'],
    [
      200,
      '',
      { field: 'status' },
      'responded with 200, but the response is not JSON. The response is empty.',
    ],
    [
      200,
      '{"statuss":"paid"}',
      { field: 'status' },
      'responded with 200, but the response has no member status. Did you mean "statuss"? The response: {"statuss":"paid"}',
    ],
    [500, 'x'.repeat(300), {}, `responded with 500. The response: ${'x'.repeat(200)}…`],
    // By value, and by name if it is JSON: else it may be the name of an error.
    [500, `no ${PROVIDER.apiKey}`, {}, 'responded with 500. The response: no [redacted]'],
    [500, '{"token":"t1"}', {}, 'responded with 500. The response: {"token":"[redacted]"}'],
    [500, "KeyError: 'id'", {}, "responded with 500. The response: KeyError: 'id'"],
    [500, '\x1b[31mred', {}, 'responded with 500. The response: red'],
  ])(
    'that cannot be read names the call and its response: %i %j',
    async (status, text, state, sentence) => {
      const url = await responding(status, text);
      const { outcome } = await opened({
        outcome: { url: `${url}/orders/{order}?k={apiKey}`, ...state },
      });
      const message = `GET ${url}/orders/o1?k=[redacted] ${sentence}`;
      await expect(outcome(ORDER)).rejects.toThrow(message);
    },
  );

  it('that does not come names the call', async () => {
    const url = await serverWith((request) => request.socket.destroy());
    const { outcome } = await opened({ outcome: { url: `${url}/{order}` } });
    await expect(outcome(ORDER)).rejects.toThrow(new Error(`GET ${url}/o1: ECONNRESET.`));
    const silent = await serverWith(() => {});
    const slow = await opened({ outcome: { url: `${silent}/{order}` } }, { callLimit: 50 });
    const late = new Error(`GET ${silent}/o1: no response in 0.05 s.`);
    await expect(slow.outcome(ORDER)).rejects.toThrow(late);
  });

  it.each([
    [
      ['sh', '-c', 'echo broken $0; exit 4', '{order}'],
      /^sh -c echo broken \$0; exit 4 o1: it ended with exit code 4\. It wrote:\n {2}broken o1$/,
    ],
    [
      ['no-such-program', '{order}'],
      /^no-such-program o1: (there is no such program|it cannot be executed \(EACCES\))\.$/,
    ],
    [
      ['sh', '-c', 'echo "{"'],
      /^sh -c echo "\{" ended with exit code 0, but its last line is not one word\. .+ It wrote:\n {2}\{$/,
    ],
    [
      ['sh', '-c', 'exit 1', '{apiKey}', '--token', 't1', 'API_KEY=a=b', 'n=1'],
      /^sh -c exit 1 \[redacted\] --token \[redacted\] API_KEY=\[redacted\] n=1: it/,
    ],
    [['sh', '-c', `exit 1 # ${'x'.repeat(300)}`], /^sh -c exit 1 # x{185}…: it/],
  ])('of a program that fails names the program: %j', async (command, message) => {
    const { outcome } = await opened({ outcome: { command } });
    await expect(outcome(ORDER)).rejects.toThrow(message);
  });

  it('shows words of the account in a URL, but no secrets', async () => {
    const url = await responding(500, '');
    const path =
      '/{credentials.environment}/{credentials.shortcode}/{credentials.passkey}?code=174379&api_key=k1';
    const base = url.replace('//', '//user:pw1@');
    const { outcome } = await opened({ outcome: { url: `${base}${path}` } });
    const shown = url.replace('//', '//user:[redacted]@');
    await expect(outcome(ORDER)).rejects.toThrow(
      `GET ${shown}/sandbox/174379/[redacted]?code=174379&api_key=[redacted] responded with 500.`,
    );
  });
});

describe('a call of pay or reconcile', () => {
  it('may get any response, which is told, but has to get one', async () => {
    const base = await serverWith((request, response) => {
      if (request.url === '/gone') request.socket.destroy();
      else response.writeHead(request.url === '/fine' ? 201 : 500).end(`no ${request.method}`);
    });
    const { pay, reconcile, target } = await opened({
      pay: { url: `${base}/{order}` },
      reconcile: { url: `${base}/gone` },
    });
    await pay(ORDER);
    const problem = `pay: POST ${base}/o1 responded with 500. The response: no POST`;
    expect(target.notesOn('success')).toEqual([problem]);
    await expect(reconcile?.(ORDER)).rejects.toThrow(`POST ${base}/gone: ECONNRESET.`);
    expect(target.notesOn('success')).toEqual([
      problem,
      `reconcile: POST ${base}/gone: ECONNRESET.`,
    ]);
    await pay({ ...ORDER, order: 'fine' });
    expect(target.notesOn('success')).toHaveLength(1);
    expect(target.notesOn('declined')).toEqual([]);
  });

  it('gets the amount with its digits', async () => {
    const bodies: string[] = [];
    const url = await serverWith(async (request, response) => {
      for await (const chunk of request) bodies.push(`${chunk}`);
      response.end();
    });
    const { pay } = await opened({
      pay: { url, body: { amount: '{amount}', all: ['{amount} {currency}'] } },
    });
    await pay(ORDER);
    expect(bodies).toEqual(['{"amount":19.99,"all":["19.99 XOF"]}']);
  });
});

describe('what an application wrote', () => {
  it('is told after a crash, without secrets, with its first and last lines', async () => {
    const secrets = {
      MOMO_PASSWORD: 'password_of_env',
      PRIVATE_KEY: '-----BEGIN-----\nline_of_a_key\n-----END-----',
      NAME: 'name_of_env',
    };
    const script = `console.log(process.env.APIKEY, process.env.MOMO_MOCK_DRILL_PASSKEY, process.env.MOMO_PASSWORD, process.env.NAME, 'sandbox'); console.log(process.env.PRIVATE_KEY.replaceAll('\\n', ' x\\n')); for (let i = 0; i < 20; i++) console.log('line', i)`;
    const start = listening(script, 'process.exit(7)');
    const { crash, outcome, target } = await opened({ start, outcome: AT_PORT, env: secrets });
    await expect(outcome(ORDER)).rejects.toThrow(/: ECONNRESET\.$/);
    await expect.poll(() => crash?.()).toBe('it ended with exit code 7');
    expect(target.notesOn('success')).toEqual([
      'The application runs no more: it ended with exit code 7.',
      `The application wrote:
  [redacted] [redacted] [redacted] name_of_env sandbox
  [redacted] x
  [redacted] x
  …
  line 13
  line 14
  line 15
  line 16
  line 17
  line 18
  line 19`,
    ]);
  });

  it('is in a file for each failure, for its owner, without secrets', async () => {
    const folder = mkdtempSync(join(tmpdir(), 'momo-mock-logs-'));
    onTestFinished(() => rmSync(folder, { recursive: true }));
    const logs = await LogFiles.open(join(folder, 'new/logs'));
    const file = (name: string) => join(folder, 'new/logs', `${name}.log`);
    const config = {
      start: listening("process.stdout.write('begun '); console.log(process.env.APIKEY)"),
      pay: { command: ['sh', '-c', 'echo paying {order}; echo {apiKey} >&2'] },
      outcome: { command: ['echo', 'paid'] },
      reconcile: { command: ['sh', '-c', 'echo cron; exit 1'] },
    };
    const target = targetFor(config, { logs });
    for (const [failure, times] of [
      ['success', 2],
      ['declined', 1],
    ] as const) {
      for (let time = 0; time < times; time++) {
        const place = await target.place(PROVIDER, failure);
        const application = await place.open(ACCOUNT, trusts);
        await application.pay(ORDER);
        await application.outcome(ORDER);
        await application.reconcile?.(ORDER).catch(() => {});
        await application.close();
      }
    }
    await logs.close();
    const at = String.raw`--- \d\d:\d\d:\d\d\.\d{3}`;
    const once = `${at} start\nbegun \\[redacted\\]\n${at} pay\npaying o1\n\\[redacted\\]\n${at} reconcile\ncron\n`;
    expect(readFileSync(file('success'), 'utf8')).toMatch(new RegExp(`^(${once}){2}$`));
    expect(readFileSync(file('declined'), 'utf8')).toMatch(new RegExp(`^${once}$`));
    expect(statSync(file('success')).mode & 0o777).toBe(0o600);
    // The next drill begins anew.
    const next = await LogFiles.open(join(folder, 'new/logs'));
    await targetFor({}, { logs: next }).place(PROVIDER, 'success');
    await next.close();
    expect(readFileSync(file('success'), 'utf8')).toBe('');
    expect(existsSync(file('declined'))).toBe(true);
  });

  it('that cannot be written is an error in the end', async () => {
    const folder = mkdtempSync(join(tmpdir(), 'momo-mock-logs-'));
    const logs = await LogFiles.open(folder);
    rmSync(folder, { recursive: true });
    await targetFor({}, { logs }).place(PROVIDER, 'success');
    await expect(logs.close()).rejects.toThrow(/^Failed to write .+success\.log: ENOENT\. /);
  });
});

import { beforeEach, describe, expect, it } from 'vitest';
import { run } from '../support/command-in-process.ts';
import { writeFiles } from '../support/fixture-folder.ts';
import { needs } from '../support/machine.ts';
import type { RequestReason } from '../support/momo-mock.ts';
import { HINTS } from '../support/program.ts';
import { openShell, type Ready, type Shell } from './shell.ts';

const TRUST = '--cacert certs/momo-mock.pem';
const KEY = '?apikey=momo_test_key';

/** Asks the service, and gives the status; 000 without a response. */
function ask(shell: Shell, ready: Ready, args: string): string {
  const [flags, path] = [args.split(' ').slice(0, -1), args.split(' ').at(-1)];
  const url = path?.startsWith('http:') ? ready.url.replace('https:', 'http:') : ready.url;
  const target = `${url}${path?.replace('http:', '')}`;
  return shell.run(
    `curl -s --path-as-is ${flags.join(' ')} -o response -w '%{http_code}' '${target}' || true`,
  );
}

async function hintFor(ready: Ready, reason: RequestReason): Promise<unknown> {
  const response = await fetch(`${ready.controlUrl}/requests?reason=${reason}&waitFor=1`);
  const { requests } = (await response.json()) as { requests: { hint: string }[] };
  return requests[0]?.hint;
}

/** What is wrong, the part of the hint that is followed, and what becomes of it. */
type Case = [reason: RequestReason, wrong: string, part: string, right: string];

const QUERY = '?apikey=<key>';
const CASES: Case[] = [
  ['key-missing', `${TRUST} /momo/balance`, QUERY, `${TRUST} /momo/balance${KEY}`],
  ['key-empty', `${TRUST} /momo/balance?apikey=`, QUERY, `${TRUST} /momo/balance${KEY}`],
  ['key-repeated', `${TRUST} /momo/balance${KEY}&apikey=b`, QUERY, `${TRUST} /momo/balance${KEY}`],
  [
    'key-in-header',
    `${TRUST} -H apikey:momo_test_key /momo/balance`,
    QUERY,
    `${TRUST} /momo/balance${KEY}`,
  ],
  ['key-misspelt', `${TRUST} /momo/balance?apiKey=a`, QUERY, `${TRUST} /momo/balance${KEY}`],
  ['plain-http', `http:/momo/balance${KEY}`, 'https://', `${TRUST} /momo/balance${KEY}`],
  ['tls-handshake', `/momo/balance${KEY}`, TRUST, `${TRUST} /momo/balance${KEY}`],
  [
    'bad-url',
    `${TRUST} /momo/balance${KEY}&of=100%`,
    '%25',
    `${TRUST} /momo/balance${KEY}&of=100%25`,
  ],
  [
    'bad-request',
    `${TRUST} -H Host: /momo/balance${KEY}`,
    'curl -v',
    `-v ${TRUST} /momo/balance${KEY}`,
  ],
];

describe('the hint of a refused request says how to fix it', () => {
  beforeEach((context) => needs(context, 'curl'));

  it('of what a client alone does wrong', async () => {
    const shell = openShell();
    const ready = await shell.start('momo-mock');
    for (const [reason, wrong, part, right] of CASES) {
      expect(ask(shell, ready, wrong), reason).not.toBe('200');
      expect(await hintFor(ready, reason), reason).toContain(part);
      expect(ask(shell, ready, right), reason).toBe('200');
    }
  });

  it('key-unknown', async () => {
    const shell = openShell();
    const right = `${TRUST} /momo/balance?apikey=test_zoe`;
    const before = await shell.start('momo-mock');
    expect(ask(shell, before, right)).toBe('401');
    const hint = await hintFor(before, 'key-unknown');
    const setting = /MOMO_MOCK_API_KEYS=<key>/.exec(`${hint}`)?.[0].replace('<key>', 'test_zoe');
    const after = await shell.start(`${setting} momo-mock`);
    expect(ask(shell, after, right)).toBe('200');
    const opened = await fetch(`${before.controlUrl}/accounts`, {
      method: /(\w+) \/accounts/.exec(`${hint}`)?.[1] ?? '',
      headers: { 'content-type': 'application/json' },
      body: '{"apiKey":"test_zoe"}',
    });
    expect(opened.status).toBe(201);
    expect(ask(shell, before, right)).toBe('200');
  });

  it('key-unknown, with the default key if none is configured', async () => {
    const shell = openShell();
    const target = `${TRUST} /momo/balance?apikey=`;
    const [before, other] = [
      await shell.start('momo-mock'),
      await shell.start('MOMO_MOCK_API_KEYS=a momo-mock'),
    ];
    for (const ready of [before, other]) expect(ask(shell, ready, `${target}wrong`)).toBe('401');
    const [, key] = /so send (\w+),/.exec(`${await hintFor(before, 'key-unknown')}`) ?? [];
    expect(ask(shell, before, `${target}${key}`)).toBe('200');
    expect(await hintFor(other, 'key-unknown')).not.toContain('so send');
  });

  it('wrong-method', async () => {
    const shell = openShell();
    const ready = await shell.start('momo-mock');
    const target = `${TRUST} -X POST /momo/balance${KEY}`;
    expect(ask(shell, ready, target)).toBe('405');
    const hint = await hintFor(ready, 'wrong-method');
    expect(hint).not.toContain('fixture');
    const [, method] = /the methods (\w+)/.exec(`${hint}`) ?? [];
    expect(ask(shell, ready, target.replace('POST', `${method}`))).toBe('200');
  });

  it('unknown-path', async () => {
    const shell = openShell();
    const file = 'fixtures/momo/NAME.get.json';
    const right = `${TRUST} /momo/NAME${KEY}`;
    shell.run('momo-mock init');
    const ready = await shell.start('momo-mock');
    expect(ask(shell, ready, right)).toBe('404');
    expect(await hintFor(ready, 'unknown-path')).toContain(file);
    writeFiles(shell.folder, { [file]: '{}' });
    await expect.poll(() => ask(shell, ready, right)).toBe('200');
  });

  it('rate-limited', async () => {
    const shell = openShell();
    const ready = await shell.start('MOMO_MOCK_RATE_LIMIT=1/h momo-mock');
    const right = `${TRUST} /momo/balance${KEY}`;
    expect([ask(shell, ready, right), ask(shell, ready, right)]).toEqual(['200', '429']);
    const hint = await hintFor(ready, 'rate-limited');
    const [, method, path] = /(PUT) (\/rate-limit)/.exec(`${hint}`) ?? [];
    const headers = { 'content-type': 'application/json' };
    const body = '{"limit":2,"window":1000}';
    await fetch(`${ready.controlUrl}${path}`, { method: `${method}`, headers, body });
    expect(ask(shell, ready, right)).toBe('200');
  });

  it('token-unknown and token-expired', async () => {
    const shell = openShell();
    const pay = "export const token = 'bearer';\nexport default () => ({});";
    const token = `export default async (_, { issueToken }) => ({ body: await issueToken({ expiresIn: 60 }) });`;
    writeFiles(shell.folder, { 'fixtures/pay.get.js': pay, 'fixtures/token.get.js': token });
    const ready = await shell.start('momo-mock');
    const payWith = (header: string) => ask(shell, ready, `${TRUST} ${header} /pay${KEY}`);
    const header = (hint: unknown) => {
      expect(ask(shell, ready, `${TRUST} /token${KEY}`)).toBe('200');
      const [, name = ''] = /(Authorization: Bearer) <token>/.exec(`${hint}`) ?? [];
      return `-H${name.replaceAll(' ', '\\ ')}\\ ${shell.run('cat response').trim()}`;
    };
    expect(payWith('')).toBe('401');
    const hint = await hintFor(ready, 'token-unknown');
    const valid = header(hint);
    expect(payWith(valid)).toBe('200');
    await fetch(`${ready.controlUrl}/clock`, {
      method: 'POST',
      headers: { 'content-type': 'application/json' },
      body: '{"advance":60000}',
    });
    expect(payWith(valid)).toBe('401');
    expect(await hintFor(ready, 'token-expired')).toContain('Get a new one');
    expect(payWith(header(hint))).toBe('200');
  });

  it('of a handler names the place to correct', async () => {
    const shell = openShell();
    const write = (code: string) =>
      writeFiles(shell.folder, { 'fixtures/momo/pay.get.js': `export default () => ${code};` });
    write('missing()');
    const ready = await shell.start('momo-mock');
    const pay = `${TRUST} /momo/pay${KEY}`;
    expect(ask(shell, ready, pay)).toBe('500');
    expect(await hintFor(ready, 'handler-failed')).toContain('momo/pay.get.js:1:22');
    write('({ status: 200 })');
    await expect.poll(() => ask(shell, ready, pay)).toBe('200');
  });

  it('of a request schema names the part to correct', async () => {
    const shell = openShell();
    writeFiles(shell.folder, {
      'fixtures/momo/pay.post.json': '{}',
      'fixtures/momo/pay.post.request.schema.json': {
        properties: { body: { required: ['amount'] } },
      },
    });
    const ready = await shell.start('momo-mock');
    const pay = (body: string) => ask(shell, ready, `${TRUST} -d '${body}' /momo/pay${KEY}`);
    expect(pay('{}')).toBe('400');
    expect(await hintFor(ready, 'request-rejected')).toContain('body.amount');
    expect(pay('{"amount":1}')).toBe('200');
  });

  it('names only flags that momo-mock settings lists', async () => {
    const flags = Object.values<string>(HINTS).flatMap((hint) => hint.match(/--[a-z-]+/g) ?? []);
    const ours = flags.filter((flag) => flag !== '--cacert');
    const { stdout } = await run(['settings']);
    expect(ours).toContain('--tls-hosts');
    for (const flag of ours) expect(stdout).toContain(`  ${flag} `);
  });

  it('has a case for each reason there is', () => {
    const tried = [...CASES.map(([reason]) => reason), 'key-unknown', 'unknown-path'];
    const others = ['wrong-method', 'handler-failed', 'request-rejected', 'rate-limited'];
    const tokens = ['token-unknown', 'token-expired'];
    expect([...tried, ...others, ...tokens].sort()).toEqual(Object.keys(HINTS).sort());
  });
});

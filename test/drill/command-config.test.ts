import { existsSync, mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { runCommand } from '../support/command.ts';
import { run } from '../support/command-in-process.ts';
import { temporaryFolder } from '../support/fixture-folder.ts';

const PAY = { url: 'http://127.0.0.1:{port}/orders', body: { id: '{order}' } };
const OUTCOME = { url: 'http://127.0.0.1:{port}/orders/{order}', field: 'status' };
/** A configuration without a mistake. */
const RIGHT = { preset: 'chipdeals', start: 'python app.py {port}', pay: PAY, outcome: OUTCOME };
const RUNNING = {
  preset: 'chipdeals',
  pay: { url: 'http://127.0.0.1:3000/orders', headers: { 'x-account': '{apiKey}' } },
  outcome: { url: 'http://127.0.0.1:3000/orders/{order}' },
};

/** Runs the drill with a configuration that it should refuse. Returns its sentences, without the file. */
async function refused(config: unknown, ...flags: string[]): Promise<string> {
  const folder = temporaryFolder();
  const file = join(folder, 'drill.json');
  const text = typeof config === 'string' ? config : JSON.stringify(config, null, 1);
  writeFileSync(file, text.replaceAll('FOLDER', folder));
  const { code, stdout, stderr } = await run(['drill', '--config', file, ...flags]);
  expect({ code, stdout }).toEqual({ code: 2, stdout: '' });
  expect(existsSync(join(folder, 'started'))).toBe(false);
  return stderr.replaceAll(folder, 'FOLDER');
}

describe('a configuration of the drill', () => {
  it.each([
    ['text that is not JSON', '{"pay": }', ':1:9: it is not JSON (value expected). '],
    ['a list', [], ':1:1: drill: must be an object with pay, outcome'],
    [
      'an unknown field',
      { ...RIGHT, prset: 'x' },
      ': unknown field "prset". Did you mean "preset"?',
    ],
    [
      'an unknown field of a call',
      { ...RIGHT, outcome: { ...OUTCOME, fild: 'x' } },
      ':13:11: unknown field "outcome.fild". Did you mean "field"?',
    ],
    [
      'a name of an earlier version',
      { ...RIGHT, outcome: { url: OUTCOME.url, member: 'status' } },
      ':12:13: unknown field "outcome.member". Did you mean "field"?',
    ],
    [
      'an unknown field of a command',
      { ...RIGHT, pay: { command: ['x'], methd: 'PUT' } },
      ': unknown field "pay.methd". Use only command.',
    ],
    ['no outcome', { ...RIGHT, outcome: undefined }, ': outcome: must be '],
    ['a call without a URL', { ...RIGHT, pay: { method: 'POST' } }, ': pay.url: must be text.'],
    [
      'a method in small letters',
      { ...RIGHT, pay: { ...PAY, method: 'post' } },
      ': pay.method: must be a method in capital letters, such as POST.',
    ],
    [
      'a command that is text',
      { ...RIGHT, pay: { command: 'php pay.php' } },
      ': pay.command: must be ',
    ],
    ['a limit as text', { ...RIGHT, limit: '20000' }, ': limit: must be a whole number from 1000'],
    [
      'too much patience',
      { ...RIGHT, patience: 3_600_001 },
      ': patience: must be a whole number from 1000 to 3600000.',
    ],
    ['no amounts', { ...RIGHT, amounts: {} }, ': amounts: must be an object of lists of amounts'],
    [
      'an amount of nothing',
      { ...RIGHT, amounts: { XOF: [0] } },
      ': amounts: must be an object of lists of amounts',
    ],
    [
      'an unknown failure',
      { ...RIGHT, only: ['success', 'lost-respons'] },
      ': only.1: unknown failure "lost-respons". Did you mean "lost-response"?',
    ],
    [
      'a failure with its earlier name',
      { ...RIGHT, only: ['pending-for-ever'] },
      ': only.0: unknown failure "pending-for-ever". Did you mean "pending-forever"?',
    ],
    [
      'an unknown placeholder',
      { ...RIGHT, pay: { ...PAY, body: { items: [{ phone: '{phoen}' }] } } },
      ': pay.body.items.0.phone: unknown placeholder {phoen}. Did you mean "phone"?',
    ],
    [
      'an unknown placeholder in a header',
      { ...RIGHT, pay: { ...PAY, headers: { key: 'x {apikey}' } } },
      ': pay.headers.key: unknown placeholder {apikey}. Did you mean "apiKey"?',
    ],
    [
      'an order that starts the application',
      { ...RIGHT, env: { ORDER: '{order}' } },
      ': env.ORDER: {order} is known only in pay, outcome, reconcile. ',
    ],
    [
      'a port without a start',
      { ...RUNNING, webhook: 'http://127.0.0.1:{port}/hook' },
      ': webhook: without start, your application runs already, so {port} is unknown. ',
    ],
    [
      'a webhook that it does not have',
      { ...RIGHT, env: { HOOK: '{webhook}' } },
      ': env.HOOK: {webhook} stands for the field webhook. ',
    ],
    [
      'a webhook URL of the mock',
      { ...RIGHT, webhook: '{url}/hooks' },
      ': webhook: {url} is the mock, which sends no webhook to itself. Write the URL of your application, such as http://127.0.0.1:{port}/webhooks.',
    ],
    [
      'a webhook URL that is known too late',
      { ...RIGHT, webhook: 'http://127.0.0.1:{port}/{credentials.shortcode}' },
      ': webhook: {credentials.shortcode} is known only after webhook. Remove it here.',
    ],
    [
      'a URL without a host',
      { ...RIGHT, ready: '/health' },
      ': ready: is not a URL. Use one such as',
    ],
    [
      'a URL of another protocol',
      { ...RIGHT, pay: { ...PAY, url: 'ftp://127.0.0.1:{port}/' } },
      ': pay.url: is not a URL. ',
    ],
    [
      'a running application without an account',
      { ...RUNNING, pay: { url: 'http://127.0.0.1:3000/orders' } },
      ': pay: without start, your application runs already, and takes its account from pay. Add {apiKey} ',
    ],
    [
      'a running application, several times',
      { ...RUNNING, concurrency: 2 },
      ': concurrency: above 1',
    ],
    [
      'one port, several times',
      { ...RIGHT, start: 'x', ...RUNNING, concurrency: 2 },
      ': concurrency: above 1 needs a port for each application. Remove it, or add {port} to start or env.',
    ],
    [
      'a port that the application does not know',
      { ...RIGHT, start: 'python app.py' },
      ': start: your application does not know {port}. ',
    ],
    [
      'nothing that says when the application is ready',
      { start: 'x', pay: { command: ['x'] }, outcome: { command: ['x'] } },
      ': start: nothing says when your application is ready. Add ready.',
    ],
    [
      'a state with two meanings',
      { ...RIGHT, outcome: { ...OUTCOME, paid: ['done'], failed: ['DONE'] } },
      ': outcome.failed: "DONE" is also in paid. ',
    ],
    [
      'a count without JSON',
      { ...RIGHT, outcome: { url: OUTCOME.url, fulfilled: 'n' } },
      ': outcome.fulfilled: without field, the whole text is the state. Add field.',
    ],
  ])('with %s is refused', async (_what, config, sentence) => {
    const stderr = await refused(config);
    expect(stderr).toMatch(/^Failed to read FOLDER\/drill\.json:\d+(:\d+)?: .+\n$/);
    expect(stderr).toContain(sentence);
  });

  it('has a sentence for each wrong placeholder, with its place', async () => {
    const pay = { ...PAY, headers: { a: '{ordr}', b: '{amont}' } };
    expect(await refused({ ...RIGHT, pay })).toBe(
      `Failed to read FOLDER/drill.json:10:9: pay.headers.a: unknown placeholder {ordr}. Did you mean "order"?
Failed to read FOLDER/drill.json:11:9: pay.headers.b: unknown placeholder {amont}. Did you mean "amount"?
`,
    );
  });

  it('that does not exist is refused, by its default name, too', async () => {
    const cwd = temporaryFolder();
    const fix = 'there is no such file. Write one, or name yours with --config.';
    const { code, stderr } = await runCommand(['drill'], { cwd });
    expect({ code, stderr }).toEqual({
      code: 2,
      stderr: `Failed to read momo-mock.drill.json: ${fix}\n`,
    });
    expect((await runCommand(['drill', '--config', 'x.json'], { cwd })).stderr).toContain(fix);
  });
});

describe('a credential in a configuration', () => {
  const started = { ...RIGHT, start: 'touch FOLDER/started {port}' };

  it('that the preset does not have is refused with its place, and nothing starts', async () => {
    const env = { USER: '{credentials.user}' };
    expect(await refused({ ...started, env })).toBe(
      'Failed to read FOLDER/drill.json:15:11: env.USER: unknown placeholder {credentials.user}. The preset has none.\n',
    );
  });

  it('that is mistyped is refused with the closest name of the own drill.js', async () => {
    const fixturesDir = temporaryFolder();
    const drill = `export default {
      flows: {
        payment: {
          ...{ start: ['POST /pay'], status: [], amounts: { XOF: [5] }, lost: 'unknown' },
          ends: { success: { phone: '1' } },
        },
      },
      credentials: ['apiUser', 'shortcode'], prepare: () => ({ apiUser: 'u1', shortcode: '174379' }),
      ledger: () => [],
    };`;
    writeFileSync(join(fixturesDir, 'drill.js'), drill);
    const pay = { ...PAY, headers: { a: '{credentials.apiUser}', b: '{credentials.shortcod}' } };
    const stderr = await refused({ ...started, preset: undefined, fixturesDir, pay });
    expect(stderr).toMatch(/^Failed to read FOLDER\/drill\.json:10:9: pay\.headers\.b: /);
    expect(stderr).toContain(
      'unknown placeholder {credentials.shortcod}. Did you mean "credentials.shortcode"?',
    );
  });
});

describe('wrong flags of the drill', () => {
  it.each([
    [['--only', 'lost-respons'], 'unknown failure "lost-respons". Did you mean "lost-response"?'],
    [['--only', 'success,'], 'unknown failure. Use only success, '],
    [['--only', 'sekret_1'], 'unknown failure. '],
    [['--only', 'pending-for-ever'], 'Did you mean "pending-forever"?'],
    [['--limit', '999'], '--limit is not allowed. Use a whole number from 1000 to 600000.'],
    [['--limit', '1e4'], '--limit is not allowed. '],
    [['--concurrency', '33'], '--concurrency is not allowed. Use a whole number from 1 to 32.'],
    [['--report', 'drill.txt'], '--report does not end with .xml, .md or .json. '],
    [['--report', 'a.xml', '--report', 'b'], '--report does not end with '],
  ])('%j are refused, and nothing starts', async (flags, sentence) => {
    const stderr = await refused({ ...RIGHT, start: 'touch FOLDER/started {port}' }, ...flags);
    expect(stderr).toContain(sentence);
    expect(stderr).not.toContain('sekret');
  });

  it('--report with a file that cannot be written is refused, and nothing starts', async () => {
    const folder = temporaryFolder();
    writeFileSync(join(folder, 'file'), '');
    const report = join(folder, 'file/drill.xml');
    const config = { ...RIGHT, start: 'touch FOLDER/started {port}' };
    expect(await refused(config, '--report', report)).toMatch(/^Failed to write .+: E[A-Z]+\. /);
    mkdirSync(join(folder, 'drill.md'));
    const other = join(folder, 'drill.md');
    expect(await refused(config, '--report', other)).toMatch(/^Failed to write .+: EISDIR\. /);
  });
});

it('--concurrency above 1 is refused if the application cannot run several times', async () => {
  const stderr = await refused(RUNNING, '--concurrency', '2');
  expect(stderr).toBe(
    'Failed to read the command line: --concurrency above 1 needs start. Remove it, or add start.\n',
  );
});

it('--log with a folder that cannot be written is refused, and nothing starts', async () => {
  const folder = temporaryFolder();
  writeFileSync(join(folder, 'file'), '');
  const config = { ...RIGHT, start: 'touch FOLDER/started {port}' };
  const log = join(folder, 'file/logs');
  expect(await refused(config, '--log', log)).toMatch(/^Failed to write .+logs: E[A-Z]+\. /);
});

it('an older report does not stay when the drill stops', async () => {
  const folder = temporaryFolder();
  const report = join(folder, 'drill.json');
  writeFileSync(report, '{"survived":1}');
  // Variables of the shell are not placeholders.
  const start = '$' + '{PYTHON} app.py {port}';
  const stderr = await refused({ ...RIGHT, start, preset: 'none' }, '--report', report);
  expect(stderr).toContain('there is no preset with this name');
  expect(existsSync(report)).toBe(false);
});

it('drill --list says which failures apply to each preset, without a configuration', async () => {
  const { code, stdout, stderr } = await run(['drill', '--list']);
  expect({ code, stderr }).toEqual({ code: 0, stderr: '' });
  expect(stdout).toMatch(
    /^FAILURE +chipdeals +mpesa-daraja +mtn-momo\n(?:[a-z-]+(?: +(?:yes|no)){3} {2,}\S.+\n){26}$/,
  );
  expect(stdout).toMatch(
    /^lost-response( +yes){3} {2,}the payment is taken, and the connection is reset$/m,
  );
  expect(stdout).toMatch(/^webhook-order +yes +no +no /m);
});

it('drill --list says why a failure does not apply to a preset', async () => {
  const { code, stdout, stderr } = await run(['drill', '--list', '--preset', 'mpesa-daraja']);
  expect({ code, stderr }).toEqual({ code: 0, stderr: '' });
  expect(stdout).toMatch(/^(?:[a-z-]+ {2,}\S.+\n){26}$/);
  expect(stdout).toMatch(/^lost-response {2,}the payment is taken, and the connection is reset$/m);
  expect(stdout).toMatch(/^webhook-order {2,}not applicable: \S.+\.$/m);
  const unknown = await run(['drill', '--list', '--preset', 'none']);
  expect(unknown.stderr).toContain('there is no preset with this name');
  expect(unknown.code).toBe(2);
});

import { chmodSync, copyFileSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import momo from '@chipdeals/momo-api';
import { describe, expect, it, vi } from 'vitest';
import { readDocument, rowsBelow } from '../docs/documents.ts';
import { openNodeProject } from '../docs/node-project.ts';
import { programForAnyUser, runCommand, usedFolder } from '../support/command.ts';
import { NOBODY, needs, needsHostsFile } from '../support/machine.ts';
import { startMock, type TestMock } from '../support/mock.ts';
import type { MomoAccount, MomoStartOptions } from '../support/momo-mock.ts';

// Each test starts the command, a client library and often a second mock, which takes long on a busy machine.
vi.setConfig({ testTimeout: 600_000, hookTimeout: 600_000 });

const LIBRARY = '@chipdeals/momo-api';
const [HOST = ''] = JSON.parse(readFileSync('presets/chipdeals/preset.json', 'utf8')).hosts;
const PHONE = '22951010200';

/** The mock of the running test. */
let mock: TestMock;

/** An account whose key the library has. */
async function startFor(options: MomoStartOptions = { preset: 'chipdeals' }): Promise<MomoAccount> {
  mock = await startMock({}, { redirect: HOST, ...options });
  const account = await mock.createAccount();
  momo.setApiKey(account.apiKey).logs(false);
  return account;
}

describe('the Node library', () => {
  /** Waits for the end of a payment or a deposit, whose time passes when the mock has it. */
  async function ended(
    account: MomoAccount,
    request: ReturnType<typeof momo.collect> | ReturnType<typeof momo.deposit>,
  ) {
    vi.spyOn(console, 'log').mockReturnValue();
    const codes: number[] = [];
    const made = request.create();
    made.onStatusChanged(({ statusMessageCode }) => codes.push(statusMessageCode));
    const end = new Promise<{ statusMessageCode: number }>((resolve) =>
      made.onSuccess(resolve).onError(resolve),
    );
    // With a wrong key, it is not a request of the account.
    await mock.requests({ method: 'POST', waitFor: 1 });
    await account.advance('idle');
    return { ...(await end), codes };
  }

  it('reads the balance', async () => {
    await startFor();
    expect(await momo.balance()).toMatchObject([
      { countryCode: 'BJ', operator: 'MTN', currency: 'XOF', amount: 100_000 },
      { countryCode: 'CM', operator: 'MTN', currency: 'XAF', amount: 100_000 },
    ]);
  });

  const rows = rowsBelow(readDocument('docs/troubleshooting.md'), 'The client finds no balance');
  it.each(rows)(
    'reads of the balance %s, with %s, docs/troubleshooting.md says: %s',
    async (...row) => {
      const [name = '', , read] = row;
      const variant = /^`([\w-]+)`$/.exec(name)?.[1];
      const isPreset = name.startsWith('[preset]');
      await startFor(isPreset ? undefined : variant === undefined ? {} : { variant: variant });
      expect((await momo.balance()).length > 0).toBe(read === 'read it');
    },
  );

  it('receives each change of a deposit, and reads its status', async () => {
    const account = await startFor();
    const request = momo.deposit().amount(500).currency('XOF').to(PHONE);
    const { codes, statusMessageCode } = await ended(account, request);
    expect([codes, statusMessageCode]).toEqual([[201], 200]);
    const [made] = Object.keys(await account.state.list('transactions/'));
    const status = await momo.status(`${made?.split('/')[1]}`);
    expect(status).toMatchObject({ type: 'deposit', status: 'success', recipientOperator: 'MTN' });
  });

  it('adds the fee of setFee to the amount that the payer pays', async () => {
    const account = await startFor();
    const request = momo.collect().amount(1000).currency('XOF').setFee(10, true).from(PHONE);
    expect(await ended(account, request)).toMatchObject({ statusMessageCode: 200 });
    expect(await account.state.get('balances/BJ/MTN')).toMatchObject({ amount: 101_100 });
  });

  it.each([
    ['too high a deposit', () => momo.deposit().amount(100_001).to(PHONE), 403],
    ['an incorrect phone number', () => momo.collect().amount(1).from('1'), 400],
    ['a wrong key', () => momo.setApiKey('wrong').logs(false).collect().amount(1).from(PHONE), 401],
  ])('receives an error for %s', async (_what, request, code) => {
    const account = await startFor();
    expect(await ended(account, request().currency('XOF'))).toMatchObject({
      status: 'error',
      statusMessageCode: code,
      statusMessage: expect.stringMatching(/\.$/),
    });
  });

  it('throws a clear error for a wrong key', async () => {
    await startFor();
    momo.setApiKey('wrong').logs(false);
    await expect(momo.balance()).rejects.toThrow('The API key is not correct.');
  });
});

/** A program with the library, and what it says. */
const PROGRAM = `import momo from '${LIBRARY}';
  const log = console.log;
  console.log = () => {};
  momo.setApiKey(process.env.MOMO_MOCK_APIKEY);
  log(await momo.balance());
  const end = new Promise((resolve) =>
    momo.collect().amount(500).currency('XOF').from('${PHONE}').create()
      .onSuccess(resolve).onError(resolve));
  log((await end).status);
  log(await momo.balance());`;
const SAID = /amount: 100000[\s\S]*\nsuccess\n[\s\S]*amount: 100500/;

function openProgram() {
  const project = openNodeProject();
  project.link(LIBRARY);
  project.write('main.js', PROGRAM);
  return project;
}

it.each([
  'momo-mock run --preset chipdeals -- node main.js',
  `momo-mock run --preset chipdeals --redirect ${HOST} -- node main.js`,
  'MOMO_MOCK_PRESET=chipdeals momo-mock run -- node main.js',
  `momo-mock init --preset chipdeals && momo-mock run --redirect ${HOST} -- node main.js`,
])('the Node library works unmodified: %s', (line) => {
  expect(openProgram().run(line)).toMatch(SAID);
});

it('the Node library works with a hosts entry', (context) => {
  needsHostsFile(context);
  const project = openProgram();
  project.write('hosts', `127.0.0.1 localhost ${HOST}\n`);
  const command = join(project.folder, 'momo-mock');
  const run = `${command} run --port 443 --tls-hosts ${HOST} -- node main.js`;
  project.write(
    'line.sh',
    `mount --bind hosts /etc/hosts\n${command} init --preset chipdeals\n${run}`,
  );
  expect(project.run('unshare --mount sh -e line.sh')).toMatch(SAID);
});

it('a preset redirects no other host', () => {
  const project = openProgram();
  project.write(
    'main.js',
    `fetch('https://api.example.invalid/').catch(({ cause }) => console.log(cause.code));`,
  );
  const line = 'momo-mock run --preset chipdeals -- node main.js';
  expect(project.run(line)).toMatch(/ENOTFOUND|EAI_AGAIN/);
});

it("the PHP library's way of calling works for a user who is not root", async (context) => {
  needs(context, 'php');
  const cli = await programForAnyUser();
  const cwd = usedFolder();
  chmodSync(cwd, 0o755);
  copyFileSync('test/presets/momo.php', join(cwd, 'momo.php'));
  writeFileSync(
    join(cwd, 'test.php'),
    `<?php
    require 'momo.php';
    $momo = new Momo();
    $momo->setApiKey(getenv('MOMO_MOCK_APIKEY'));
    $deposit = $momo->deposit()->amount(500)->currency('XOF')->to('${PHONE}')->create();
    echo $deposit->getStatus(), ' ', $momo->getStatus($deposit->getReference())->getStatus(), "\\n";
    echo $momo->getBalances()[0]['amount'], "\\n";
    echo $momo->deposit()->amount('x')->currency('XOF')->to('${PHONE}')->create()->getStatusCode(), "\\n";
    echo $momo->getStatus('unknown')->getStatusCode(), "\\n";
    $momo->setApiKey('wrong');
    echo $momo->getStatus('unknown')->getStatusCode(), "\\n";`,
  );
  const args = ['run', '--preset', 'chipdeals', '--', 'php', 'test.php'];
  const said = await runCommand(args, { cli, cwd, ...(NOBODY && { uid: NOBODY }) });
  expect(said.stdout, said.stderr).toBe('pending pending\n99500\n400-107\n404-100\n401-100\n');
});

import { expect, it } from 'vitest';
import { control } from '../support/client.ts';
import { temporaryFolder, writeFiles } from '../support/fixture-folder.ts';
import { FAULTS, type FaultDefinition } from '../support/program.ts';
import { type RunningMock, runMock } from '../support/running-mock.ts';
import { startWebhook, type Webhook } from '../support/webhook.ts';
import { openInNode, type PageInNode } from './page-in-node.ts';

const TOKEN = 'sekret-token';
const BALANCE = 'GET /momo/balance';

/** A mock whose live page is open. */
interface Opened {
  readonly mock: RunningMock;
  readonly page: PageInNode;
  readonly app: Webhook;
}

/** What the control API says. */
async function read<Value = unknown>({ mock }: Opened, path: string, account = ''): Promise<Value> {
  const headers = { authorization: `Bearer ${TOKEN}`, ...(account && { account }) };
  return (await control(mock, `GET ${path}`, { headers })).json as Value;
}

/** Waits until the control API says this. */
async function expectRead(opened: Opened, path: string, value: unknown, account = '') {
  await expect
    .poll(() => read(opened, path, account), { message: path })
    .toMatchObject(value as object);
}

const options = async ({ page }: Opened, name: string) =>
  [...(await page.find(name)).querySelectorAll('option')].map(
    (option) => (option as { value?: unknown }).value as string,
  );

/** Copies with each button for it that is there. */
async function copyAll({ page }: Opened): Promise<void> {
  for (const name of page.names().filter((one) => /button Copy /.test(one))) {
    const button = await page.click(name);
    const code = button.parentElement?.querySelector('code')?.textContent;
    await expect
      .poll(() => page.window.navigator.clipboard.readText(), { message: name })
      .toBe(code);
    expect(code).not.toBe('');
    await page.find(name.replace(/button .*/, 'button Copied'));
  }
}

async function post({ mock }: Opened, path: string, body: object): Promise<void> {
  const text = JSON.stringify(body);
  const headers = { 'content-type': 'application/json', 'content-length': Buffer.byteLength(text) };
  await mock.get(`${path}?apikey=good`, { method: 'POST', headers, body: text });
}

const STEPS: Record<string, (opened: Opened) => Promise<unknown>> = {
  token: async ({ page }) => {
    await page.count('dialog[open]', 1);
    await page.fill('token/field Token', 'wrong');
    await page.click('token/button Continue');
    await page.says('The token is wrong');
    await page.fill('token/field Token', TOKEN);
    await page.click('token/button Continue');
    await page.says('Waiting for the first request');
  },

  'links and summaries': async ({ page, mock }) => {
    const link = await page.find('top/link how to trust it');
    expect(page.window.document.querySelectorAll(`p${link.getAttribute('href')}`)).toHaveLength(1);
    const download = await page.find('overview/link Download momo-mock.pem');
    const pem = `data:application/x-pem-file,${encodeURIComponent(mock.ca)}`;
    expect(download.getAttribute('href')).toBe(pem);
    expect(download.getAttribute('download')).toBe('momo-mock.pem');
    const summaries = [
      ...['Operations and their files (3)', 'Accounts (1)', 'Certificate, and how to trust it'],
      'Settings',
    ];
    for (const name of summaries) {
      const summary = await page.click(`overview/summary ${name}`);
      expect(summary.parentElement?.hasAttribute('open'), name).toBe(true);
    }
  },

  'copy buttons': copyAll,

  TLS: async (opened) => {
    const modes = await options(opened, 'top/field TLS');
    for (const mode of [...modes.slice(1), 'normal']) {
      await opened.page.fill('top/field TLS', mode);
      await expectRead(opened, '/tls', { mode });
    }
  },

  balance: async (opened) => {
    const { page } = opened;
    const select = 'next/field Balance';
    for (const variant of [...(await options(opened, select)).slice(1), '']) {
      await page.fill(select, variant);
      await expectRead(opened, '/variant', { variant: variant || null });
    }
    const text = 'next/field Balance of all accounts: the whole body, as JSON';
    await page.click('next/button Edit the balance');
    await page.fill(text, '{"balance":');
    await page.says('Line 1, column');
    await page.fill(text, '{"balance":12}');
    await page.click('next/button Set');
    await expectRead(opened, '/balance', { balance: 12 });
    await page.click('next/button Edit the balance');
    await page.click('next/button Remove');
    await expect.poll(() => read(opened, '/balance')).toBeUndefined();
    await page.click('next/button Edit the balance');
    await page.click('next/button Cancel');
    await page.count('#balance-editor textarea', 0);
  },

  'next responses': async (opened) => {
    const { page } = opened;
    const responses: object[] = [];
    for (const [name, response] of [
      ['503 twice', { status: 503, times: 2 }],
      ['429', { status: 429 }],
      ['Slow 2 s', { delay: 2000 }],
      ['No response', { fault: 'hang' }],
      ['Connection reset', { fault: 'reset' }],
      ['Half a body', { fault: 'truncate' }],
    ] as const) {
      await page.click(`next/button ${name}`);
      await page.says('Next for any operation, all accounts: ');
      responses.push(response);
      await expectRead(opened, '/responses', { responses });
      expect(
        (await read<{ responses: object[] }>(opened, '/responses')).responses.at(-1),
      ).not.toHaveProperty('operation');
    }
    await page.click('next/button Remove 429 for any operation');
    responses.splice(1, 1);
    await expectRead(opened, '/responses', { responses });
    await page.click('next/button Remove these 5');
    await expectRead(opened, '/responses', { responses: [] });
  },

  'another response': async (opened) => {
    const { page } = opened;
    await page.click('next/button Other…');
    const fields = { Status: '418', 'Delay in ms': '5', Times: '3' };
    for (const [name, value] of Object.entries(fields))
      await page.fill(`next/field ${name}`, value);
    await page.fill('next/field Body, as JSON or text', '{"tea":true}');
    expect((await options(opened, 'next/field Operation'))[0]).toBe('');
    await page.fill('next/field Operation', 'POST /momo/later');
    await page.click('next/button Add for all accounts');
    const tea = {
      operation: 'POST /momo/later',
      status: 418,
      delay: 5,
      times: 3,
      body: { tea: true },
    };
    await expectRead(opened, '/responses', { responses: [tea] });
    for (const name of Object.keys(fields)) await page.fill(`next/field ${name}`, '');
    await page.fill('next/field Body, as JSON or text', '');
    expect((await options(opened, 'next/field Fault')).slice(1)).toEqual(Object.keys(FAULTS));
    for (const [fault, { options = {} }] of Object.entries<FaultDefinition>(FAULTS)) {
      await page.fill('next/field Fault', fault);
      const fields = Object.entries(options);
      await page.count('[name*="."]', fields.length);
      for (const [, { label, maximum }] of fields)
        await page.fill(`next/field ${label}`, `${maximum}`);
      await page.click('next/button Add for all accounts');
      const given = Object.fromEntries(fields.map(([name, { maximum }]) => [name, maximum]));
      const last = { fault: fields.length === 0 ? fault : { type: fault, ...given } };
      const added = async () =>
        (await read<{ responses: object[] }>(opened, '/responses')).responses.at(-1);
      await expect.poll(added).toMatchObject(last);
    }
    await copyAll(opened);
    await page.click('next/button Close');
    await page.count('#response-form form', 0);
  },

  'rate limit': async (opened) => {
    const limits = await options(opened, 'next/field Rate limit');
    for (const value of [...limits.slice(1), '']) {
      await opened.page.fill('next/field Rate limit', value);
      const [limit = null, window = null] = value === '' ? [] : value.split('/').map(Number);
      await expectRead(opened, '/rate-limit', { limit, window });
    }
  },

  accounts: async (opened) => {
    const { page } = opened;
    await page.click('next/button New account');
    await page.says('The key of the new account.');
    await expectRead(opened, '/accounts', { accounts: [{ id: 'account-1' }, { id: 'account-2' }] });
    await copyAll(opened);
    await page.fill('next/field Balance', 'empty');
    await expectRead(opened, '/variant', { variant: 'empty' }, 'account-2');
    await page.click('top/button Reset account-2');
    await expectRead(opened, '/variant', { variant: null }, 'account-2');
    await page.fill('next/field Account', '');
    await page.click('overview/button Remove account-2');
    await expectRead(opened, '/accounts', { accounts: [{ id: 'account-1' }] });
  },

  phones: async (opened) => {
    const { page, mock } = opened;
    const CHOICES = {
      approve: 'Approve',
      'wrong-pin': 'Wrong PIN',
      'no-funds': 'Not enough money',
      cancel: 'Cancel',
      'call-me-back': 'Call me back',
    };
    const asked = { title: '22990000001', text: 'Pay 1,000 XOF', choices: Object.keys(CHOICES) };
    const chosen: unknown[] = [];
    const ring = () =>
      mock.mock.account('good').prompts.ask(asked, (choice) => chosen.push(choice), {});
    for (const [choice, label] of Object.entries(CHOICES)) {
      ring();
      await page.says('account-1 is asked: 22990000001. Pay 1,000 XOF');
      await page.click(`phones/button ${label}`);
      await page.count('.phone', 0);
      expect(chosen.splice(0)).toEqual([choice]);
    }
    ring();
    await page.click('phones/button Ignore');
    await page.count('.phone', 0);
    await expectRead(opened, '/prompts', { prompts: [asked] });
    expect(chosen).toEqual([]);
  },

  requests: async (opened) => {
    const { page, mock } = opened;
    await page.click('top/button Reset everything…');
    expect(page.questions).toEqual([expect.stringContaining('Reset everything?')]);
    await expectRead(opened, '/responses', { responses: [] });
    const rows = (count: number) => page.count('.requests:not(.webhooks) tbody .entry', count);
    for (const key of ['good', 'wrong']) await mock.get(`/momo/balance?apikey=${key}`);
    await rows(2);
    for (const [name, value] of [
      ['Filter by path, operation or reason', 'key-unknown'],
      ['Filter by account', 'account-1'],
      ['Filter by status', '4xx'],
    ]) {
      await page.fill(`requests/field ${name}`, `${value}`);
      await rows(1);
      await page.fill(`requests/field ${name}`, '');
      await rows(2);
    }
    await page.click('requests/button Pause');
    await mock.get('/momo/balance?apikey=good');
    await page.click('requests/button 1 new');
    await rows(3);
    await page.click('requests/button Pause');
    await page.click('requests/button GET /momo/balance');
    await page.click('requests/button Respond with 503 next time');
    const responses = [{ operation: BALANCE, status: 503 }];
    await expectRead(opened, '/responses', { responses }, 'account-1');
    await copyAll(opened);
    await page.click('requests/button Clear');
    await page.says('Waiting for the first request');
    await expectRead(opened, '/requests', { requests: [] });
  },

  webhooks: async (opened) => {
    const { page, app } = opened;
    for (const [name, script] of [
      ['Lost', { lose: true }],
      ['Wrong signature', { forge: 'signature' }],
      ['Old timestamp', { forge: 'timestamp' }],
      ['Changed body', { forge: 'body' }],
      ['No signature', { forge: 'missing' }],
      ['Twice', { repeat: 2 }],
    ] as const) {
      await page.click(`webhooks/button ${name}`);
      await expectRead(opened, '/webhooks/script', { script: [script] });
    }
    const sent = (count: number) => expect.poll(() => app.calls.length).toBe(count);
    const rows = (count: number) => page.count('.webhooks tbody .entry', count);
    await page.click('webhooks/button Send webhook…');
    await page.fill('webhooks/field URL', app.url);
    await page.fill('webhooks/field Body, as JSON or text', '{"a":1}');
    await page.click('webhooks/button Send for all accounts');
    await sent(2);
    expect(app.calls[0]?.body).toBe('{"a":1}');
    await copyAll(opened);
    await page.click('webhooks/button Close');
    await page.count('#webhook-form form', 0);
    // Nobody reads the rows, so newer ones are shown.
    for (const n of [3, 4, 5]) {
      await post(opened, '/momo/notify', { url: app.url });
      await rows(n);
    }
    await page.click(`webhooks/button POST ${app.url}`);
    await page.click('webhooks/button Send again');
    await sent(6);
    await rows(6);
    await post(opened, '/momo/notify', { url: app.url });
    await page.click('webhooks/button 1 new');
    await rows(7);
    await page.click(`webhooks/button POST ${app.url}`);
  },

  clock: async (opened) => {
    const { page, app } = opened;
    const before = app.calls.length;
    await page.fill('next/field Account', 'account-1');
    await post(opened, '/momo/later', { url: app.url });
    const { now } = await read<{ now: number }>(opened, '/clock', 'account-1');
    await page.click('webhooks/button Advance 1 min');
    const moved = async () =>
      (await read<{ now: number }>(opened, '/clock', 'account-1')).now - now;
    await expect.poll(moved).toBeGreaterThanOrEqual(60_000);
    await page.click('webhooks/button Run all');
    await expect.poll(() => app.calls.length).toBe(before + 1);
  },
};

it('every control of the live page does what its label says', async () => {
  const folder = temporaryFolder();
  writeFiles(folder, {
    'momo/notify.post.js': 'export default ({ body }, { webhook }) => webhook(body);',
    'momo/later.post.js': `export default ({ body }, { after, webhook }) => {
      after(86400000, () => webhook(body));
    };`,
  });
  const mock = await runMock({ FIXTURES_DIR: folder, CONTROL_TOKEN: TOKEN });
  const page = await openInNode(`${mock.controlUrl}`);
  const app = await startWebhook();
  for (const [name, step] of Object.entries(STEPS)) {
    await step({ mock, page, app }).catch((error) => {
      throw new Error(`Failed at ${name}: ${error.message}`, { cause: error });
    });
  }
  expect(page.unused()).toEqual([]);
});

import { expect, it } from 'vitest';
import { ask, control, send } from '../support/client.ts';
import { startServer, type TestServer } from '../support/mock.ts';
import { FAULTS, type FaultDefinition } from '../support/program.ts';
import { startWebhook, type Webhook } from '../support/webhook.ts';
import { openInNode, type PageInNode } from './page-in-node.ts';

const TOKEN = 'sekret-token';
const BALANCE = 'GET /momo/balance';

/** A mock whose live page is open. */
interface Opened {
  readonly mock: TestServer;
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
  await ask(mock, path, { method: 'POST', body });
}

/** The body of a webhook, by which the page names it. */
const PAID = { event: 'payment.changed', data: { id: 7, state: 'success', resultCode: 0 } };

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
    // A row of the page may be older than what happened meanwhile.
    const operation = 'POST /momo/later';
    await page.fill('next/field Operation of the next response', operation);
    await page.click('next/button 503 twice');
    await page.click('next/button 429');
    await page.says(`Next for ${operation}, all accounts: 429.`);
    const last = await page.find(`next/button Remove 429 for ${operation}`);
    await post(opened, '/momo/later', {});
    await post(opened, '/momo/later', {});
    last.click();
    await expectRead(opened, '/responses', { responses: [] });
    await page.fill('next/field Operation of the next response', '');
  },

  'another response': async (opened) => {
    const { page } = opened;
    await page.click('next/button Other…');
    const fields = { Status: '418', 'Delay in ms': '5', Times: '3' };
    for (const [name, value] of Object.entries(fields))
      await page.fill(`next/field ${name}`, value);
    await page.fill('next/field Body, as JSON or text', '{"tea":true}');
    const picker = 'next/field Operation of the next response';
    expect(await options(opened, picker)).toEqual([
      ...['', BALANCE, 'POST /momo/later', 'POST /momo/notify'],
    ]);
    await page.fill(picker, 'POST /momo/later');
    const first =
      'next/field Run the handler first: the payment is made, and the client gets this response';
    await page.click(first);
    await page.click('next/button Add for all accounts');
    const tea = {
      afterHandler: true,
      operation: 'POST /momo/later',
      status: 418,
      delay: 5,
      times: 3,
      body: { tea: true },
    };
    await expectRead(opened, '/responses', { responses: [tea] });
    await page.click(first);
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

  state: async (opened) => {
    const { page, mock } = opened;
    mock.all.state.set('payments/1', { amount: 500 });
    await page.click('next/button Show the state');
    await page.says('1 value of all accounts');
    await page.click('next/button New value…');
    await page.click('next/button Cancel');
    await page.click('next/button New value…');
    await page.fill('next/field Name', 'amount/a b');
    await page.fill('next/field Its value, as JSON', '{"n":');
    await page.says('Line 1, column');
    const digits = '{"n":12345678901234567890,"s":1.00}';
    await page.fill('next/field Its value, as JSON', digits);
    await page.click('next/button Set');
    await page.says('2 values of all accounts');
    const saved = () => mock.all.values.layers.flatMap((layer) => [...layer]);
    expect(saved()).toContainEqual(['amount/a b', digits]);
    const filter = 'next/field Names in the state of all accounts that begin with';
    await page.fill(filter, 'amount');
    await page.says('1 value of all accounts');
    await page.fill(filter, '');
    await page.click('next/button Edit the value amount/a b');
    const value = await page.find('next/field amount/a b, as JSON');
    expect(value.value).toBe('{\n  "n": 12345678901234567890,\n  "s": 1.00\n}');
    // A handler writes it, too.
    mock.all.state.set('amount/a b', 7);
    await expect.poll(() => value.value).toBe('7');
    await page.fill('next/field amount/a b, as JSON', '8');
    mock.all.state.set('amount/a b', 9);
    await page.says('It has changed in the mock since you began to edit it.');
    await page.click('next/button Remove');
    await page.says('1 value of all accounts');
    expect(saved().map(([name]) => name)).toEqual(['payments/1']);
    // A URL can't contain these names.
    for (const name of ['.', '..']) {
      mock.all.state.set(name, 1);
      await page.click(`next/button Edit the value ${name}`);
      await page.fill(`next/field ${name}, as JSON`, '2.0');
      await page.click('next/button Set');
      await expect.poll(saved).toContainEqual([name, '2.0']);
      await page.click(`next/button Edit the value ${name}`);
      await page.click('next/button Remove');
      await expect.poll(saved).toHaveLength(1);
    }
    await page.click('next/button Hide the state');
    await page.count('#state ul', 0);
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
    for (const key of ['good', 'wrong']) await send(mock, `/momo/balance?apikey=${key}`);
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
    await ask(mock);
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

  'webhook script': async (opened) => {
    const { page, mock, app } = opened;
    const script: object[] = [{ repeat: 3 }];
    await mock.all.scriptWebhooks(script);
    for (const [name, entry] of [
      ['Lost', { lose: true }],
      ['Late 5 s', { delay: 5000 }],
      ['Twice', { repeat: 2 }],
      ['Before response', { before: true }],
      ['Wrong signature', { forge: 'signature' }],
      ['Old timestamp', { forge: 'timestamp' }],
      ['Changed body', { forge: 'body' }],
      ['No signature', { forge: 'missing' }],
      ['Unchanged', {}],
    ] as const) {
      await page.click(`webhooks/button ${name}`);
      script.push(entry);
      await expectRead(opened, '/webhooks/script', { script });
    }
    const last = await page.find('webhooks/button Remove twice for any webhook');
    // Two webhooks take the first two entries.
    for (let n = 0; n < 2; n++) {
      const headers = { authorization: `Bearer ${TOKEN}` };
      await control(mock, 'POST /webhooks', { headers, body: { url: app.url, body: PAID } });
    }
    last.click();
    script.splice(3, 1);
    await expectRead(opened, '/webhooks/script', { script: script.slice(2) });
    await page.click('webhooks/button Remove these 7');
    await expectRead(opened, '/webhooks/script', { script: [] });

    await page.click('webhooks/button More…');
    const [said = '', ...others] = (
      await options(opened, 'webhooks/field Like a webhook that was sent')
    ).slice(1);
    expect([said, others]).toEqual(['payment.changed, success, resultCode 0', []]);
    await page.fill('webhooks/field Like a webhook that was sent', said);
    await page.fill('webhooks/field Signature', 'missing');
    await page.fill('webhooks/field Delay in ms', '5');
    await page.fill('webhooks/field Times', '2');
    await page.fill('webhooks/field Sent', '500');
    await page.click('webhooks/field Lose it: it is neither sent nor sent again');
    await copyAll(opened);
    await page.click('webhooks/button Add for all accounts');
    const { event, data } = PAID;
    const match = { body: { event, data: { state: data.state, resultCode: data.resultCode } } };
    const all = { match, lose: true, before: 500, forge: 'missing', delay: 5, repeat: 2 };
    await expectRead(opened, '/webhooks/script', { script: [all] });
    await page.says(`one with ${said}`);
    await page.says('before its response, which waits 500 ms at most');
    const text = 'webhooks/field Only a webhook whose body has this, as JSON or text';
    expect(JSON.parse((await page.find(text)).value)).toEqual(match.body);
    await page.fill(text, 'a text');
    await page.fill('webhooks/field Sent', 'true');
    await page.click('webhooks/button Add for all accounts');
    const early = { match: { body: 'a text' }, before: true };
    await expectRead(opened, '/webhooks/script', { script: [all, early] });
    await page.click('webhooks/button Close');
    await page.count('#webhook-form form', 0);
    await page.click('webhooks/button Remove these 2');
    await expectRead(opened, '/webhooks/script', { script: [] });
    mock.all.webhooks.clear();
  },

  webhooks: async (opened) => {
    const { page, app } = opened;
    const before = app.calls.length;
    const sent = (count: number) => expect.poll(() => app.calls.length - before).toBe(count);
    const rows = (count: number) => page.count('.webhooks tbody .entry', count);
    await rows(0);
    await page.click('webhooks/button Send webhook…');
    await page.fill('webhooks/field URL', app.url);
    await page.fill('webhooks/field Headers, one in a line', 'X-One: 1\n x-two:2:2 \n');
    await page.fill('webhooks/field Body, as JSON or text', '{"a":1}');
    await page.click('webhooks/button Send for all accounts');
    await sent(1);
    expect(app.calls.at(-1)).toMatchObject({
      body: '{"a":1}',
      headers: { 'x-one': '1', 'x-two': '2:2' },
    });
    await copyAll(opened);
    // Nobody reads the rows, so newer ones are shown.
    const sign = { secret: 'shared', headers: { 'x-mac': '{secret}' } };
    const body = { ...PAID, note: 1 };
    await post(opened, '/momo/notify', { url: app.url, headers: { 'x-a': 'b' }, body, sign });
    await rows(2);
    const like = 'webhooks/field Signature and headers';
    await expect.poll(() => options(opened, like)).toHaveLength(3);
    const [, newest = ''] = await options(opened, like);
    await page.fill(like, newest);
    const text = await page.find('webhooks/field Body, as JSON or text');
    await expect.poll(() => text.value).toContain('"note": 1');
    await page.click('webhooks/button Send for all accounts');
    await sent(3);
    await page.fill('webhooks/field Body, as JSON or text', '{"n":1.00}');
    await page.fill('webhooks/field Other headers, one in a line', 'x-a: c');
    await page.click('webhooks/button Send for all accounts');
    await sent(4);
    const received = app.calls.slice(-3).map(({ headers, body }) => {
      return [headers['x-mac'], headers['x-a'], body];
    });
    expect(received).toEqual([
      ['shared', 'b', JSON.stringify(body)],
      ['shared', 'b', JSON.stringify(body)],
      ['shared', 'c', '{"n":1.00}'],
    ]);
    await page.fill(like, '');
    await expect.poll(() => text.value).toBe('');
    await page.click('webhooks/button Close');
    await page.count('#webhook-form form', 0);
    await rows(4);
    const row = `webhooks/button payment.changed, success, resultCode 0 POST ${app.url}`;
    await page.click(row);
    await page.click('webhooks/button Send again');
    await sent(5);
    await rows(5);
    await post(opened, '/momo/notify', { url: app.url });
    await page.click('webhooks/button 1 new');
    await rows(6);
    await page.click(row);
  },

  clock: async (opened) => {
    const { page, app, mock } = opened;
    const before = app.calls.length;
    await page.fill('next/field Account', 'account-1');
    await post(opened, '/momo/later', { url: app.url });
    const { now } = await read<{ now: number }>(opened, '/clock', 'account-1');
    await page.says('Clock of account-1');
    // It stands still with the clock of all accounts.
    await mock.all.clock.change({ freeze: true });
    await page.click('webhooks/button Unfreeze all accounts');
    await expectRead(opened, '/clock', { frozen: false }, 'account-1');
    await page.click('webhooks/button Freeze');
    await expectRead(opened, '/clock', { frozen: true, pending: 1 }, 'account-1');
    await expectRead(opened, '/clock', { frozen: false });
    await page.says('frozen. 1 timer pending');
    await page.click('webhooks/button Unfreeze');
    await expectRead(opened, '/clock', { frozen: false }, 'account-1');
    await page.click('webhooks/button Advance 1 min');
    const moved = async () =>
      (await read<{ now: number }>(opened, '/clock', 'account-1')).now - now;
    await expect.poll(moved).toBeGreaterThanOrEqual(60_000);
    await page.click('webhooks/button Run all');
    await expect.poll(() => app.calls.length).toBe(before + 1);
  },
};

it('every control of the live page does what its label says', async () => {
  const files = {
    'momo/notify.post.js': 'export default ({ body }, { webhook }) => webhook(body);',
    'momo/later.post.js': `export default ({ body }, { after, webhook }) => {
      after(86400000, () => webhook(body));
    };`,
  };
  const mock = await startServer(files, { CONTROL_TOKEN: TOKEN });
  const page = await openInNode(`${mock.controlUrl}`);
  const app = await startWebhook();
  for (const [name, step] of Object.entries(STEPS)) {
    await step({ mock, page, app }).catch((error) => {
      throw new Error(`Failed at ${name}: ${error.message}`, { cause: error });
    });
  }
  expect(page.unused()).toEqual([]);
});

import { EventEmitter, once } from 'node:events';
import { describe, expect, it } from 'vitest';
import { ask, followEvents } from '../support/client.ts';
import { startMock, type TestMock } from '../support/mock.ts';
import type { MomoAccount } from '../support/momo-mock.ts';
import { startWebhook } from '../support/webhook.ts';

/** A payment whose payer is asked. What the person chose is in the state. */
const PAY = `export default ({ body }, { prompt, state, webhook, after, now }) => {
  prompt(
    {
      title: '22990000001',
      text: 'Pay ' + (body?.amount ?? '1,000 XOF'),
      choices: ['approve', 'wrong-pin'],
      ...body?.prompt,
    },
    async (choice = 'none') => {
      await state.update('chosen', (chosen = []) => [...chosen, choice]);
      await state.set('at', now());
      if (body?.url) webhook({ url: body.url, body: { choice } });
      after(60_000, () => state.set('paid', choice));
    },
  );
  return { status: 202 };
};`;

const FILES = {
  'momo/pay.post.js': PAY,
  'momo/open.post.js': `${PAY}\nexport const open = true;`,
  'momo/fail.post.js': `export default (_request, { prompt }) =>
  prompt({ title: 'a', text: 'b', choices: ['approve'], timeout: 1000 }, () => {
    throw new TypeError('sekret');
  });`,
};

type Payer = Pick<MomoAccount, 'url' | 'ca' | 'apiKey'>;

const pay = (of: Payer, body: object = {}, path = '/momo/pay') =>
  ask(of, path, { method: 'POST', body });

/** No test waits as long. */
const LONG = 60_000;

it('a prompt waits for a choice, with which its function runs once', async () => {
  const mock = await startMock(FILES);
  const account = await mock.createAccount();
  const { url, calls } = await startWebhook();
  const asked = mock.prompts({ waitFor: 1, timeout: LONG });
  expect((await pay(account, { url })).status).toBe(202);
  const [prompt] = await asked;
  expect(prompt).toEqual({
    id: expect.any(Number),
    account: account.id,
    title: '22990000001',
    text: 'Pay 1,000 XOF',
    choices: ['approve', 'wrong-pin'],
    since: expect.stringMatching(/^20.*Z$/),
  });
  expect(await account.prompts()).toEqual([prompt]);
  const { id } = prompt ?? { id: 0 };
  expect(await account.answerPrompt(id, 'wrong-pin')).toBeUndefined();
  expect(await account.state.get('chosen')).toEqual(['wrong-pin']);
  expect(await mock.prompts()).toEqual([]);
  const gone = { code: 'MOMO_MOCK_PROMPT_UNKNOWN', message: expect.stringContaining('answered') };
  await expect(mock.answerPrompt(id, 'approve')).rejects.toMatchObject(gone);
  await account.advance('idle');
  expect(await account.state.get('chosen')).toEqual(['wrong-pin']);
  expect(await account.state.get('paid')).toBe('wrong-pin');
  expect(calls).toMatchObject([{ body: '{"choice":"wrong-pin"}' }]);
});

it('refuses a choice that is not offered, and an id that is not open, and the prompt stays open', async () => {
  const mock = await startMock(FILES);
  const account = await mock.createAccount();
  await pay(account);
  const [{ id } = { id: 0 }] = await mock.prompts();
  for (const choice of ['Approve', '', undefined, null]) {
    const refused = expect(account.answerPrompt(id, choice as string), `${choice}`).rejects;
    await refused.toMatchObject({ code: 'MOMO_MOCK_REQUEST_INVALID' });
  }
  await expect(account.answerPrompt(id, 'aprove')).rejects.toThrow(
    'Failed to read choice: must be one of approve, wrong-pin.',
  );
  for (const unknown of [0, -1, id + 1]) {
    const refused = expect(account.answerPrompt(unknown, 'approve'), `${unknown}`);
    await refused.rejects.toMatchObject({ code: 'MOMO_MOCK_PROMPT_UNKNOWN' });
  }
  for (const given of [`${id}`, { id }, '..', undefined]) {
    await expect(account.answerPrompt(given as never, 'approve'), `${given}`).rejects.toThrow(
      'Failed to read id: must be the number of a prompt, as prompts() returns it.',
    );
  }
  await account.answerPrompt(id, 'approve');
});

it('only the first of two people answers', async () => {
  const mock = await startMock(FILES);
  const account = await mock.createAccount();
  await pay(account);
  const [{ id } = { id: 0 }] = await mock.prompts();
  const answers = await Promise.allSettled(
    ['approve', 'wrong-pin'].map((choice) => mock.answerPrompt(id, choice)),
  );
  expect(answers.map(({ status }) => status).sort()).toEqual(['fulfilled', 'rejected']);
  expect(await account.state.get('chosen')).toHaveLength(1);
});

it('accounts have their own prompts, and the mock those of all', async () => {
  const mock = await startMock(FILES);
  const accounts = [await mock.createAccount(), await mock.createAccount()] as const;
  for (const account of accounts) await pay(account);
  const [one, two] = await mock.prompts({ waitFor: 2 });
  expect([one?.account, two?.account]).toEqual(accounts.map(({ id }) => id));
  expect(await accounts[1].prompts()).toEqual([two]);
  await expect(accounts[0].answerPrompt(two?.id ?? 0, 'approve')).rejects.toMatchObject({
    code: 'MOMO_MOCK_PROMPT_UNKNOWN',
  });
  await mock.answerPrompt(two?.id ?? 0, 'approve');
  expect(await accounts[1].state.get('chosen')).toEqual(['approve']);
  expect(await mock.prompts()).toEqual([one]);
});

it('a prompt of an open operation without a key belongs to no account', async () => {
  const mock = await startMock(FILES);
  const account = await mock.createAccount();
  await pay({ ...account, apiKey: 'wrong' }, {}, '/momo/open');
  expect(await account.prompts()).toEqual([]);
  const [prompt] = await mock.prompts();
  expect(prompt).toMatchObject({ account: null });
  await mock.answerPrompt(prompt?.id ?? 0, 'approve');
  expect(await mock.state.get('chosen')).toEqual(['approve']);
});

it('a wait for prompts that do not come says what is open', async () => {
  const mock = await startMock(FILES);
  const [account, other] = [await mock.createAccount(), await mock.createAccount()];
  await pay(other);
  await expect(account.prompts({ waitFor: 1, timeout: 1 })).rejects.toMatchObject({
    code: 'MOMO_MOCK_NOT_VERIFIED',
    message: `Failed to wait: expected at least 1 open prompt of ${account.id} within 1 ms, but 0 are open, and 1 of other accounts. Check that the request arrived, and that its handler asks with context.prompt; a prompt that was answered or timed out is no longer open.`,
  });
  await expect(mock.prompts({ waitFor: 2, timeout: 1 })).rejects.toThrow(
    'expected at least 2 open prompts within 1 ms, but 1 is open. ',
  );
  await expect(mock.prompts({ waitfor: 2 } as object)).rejects.toThrow('Did you mean "waitFor"?');
  await expect(mock.prompts({ waitFor: '1' } as object)).rejects.toThrow('waitFor');
});

it('a timeout follows the clock, and ends the prompt without a choice', async () => {
  const mock = await startMock(FILES);
  const account = await mock.createAccount();
  const { now } = await account.freeze();
  await pay(account, { prompt: { timeout: 30_000 } });
  expect(await account.advance(29_999)).toMatchObject({ prompts: 1, pending: 0, next: null });
  expect(await account.advance(70_001)).toMatchObject({ prompts: 0, pending: 0, now: now + 1e5 });
  expect(await account.state.get('chosen')).toEqual(['none']);
  expect(await account.state.get('at')).toBe(now + 30_000);
  expect(await account.state.get('paid')).toBe('none');
  expect(await account.prompts()).toEqual([]);
});

it('all clocks together run the timeout of an account', async () => {
  const mock = await startMock(FILES);
  const account = await mock.createAccount();
  await pay(account, { prompt: { timeout: 30_000 } });
  expect(await mock.advance('idle')).toMatchObject({ prompts: 1 });
  expect(await mock.advance(30_000)).toMatchObject({ prompts: 0 });
  expect(await account.state.get('chosen')).toEqual(['none']);
});

it('idle and finish neither wait for a person nor use up the time of a prompt', async () => {
  const mock = await startMock(FILES);
  const account = await mock.createAccount();
  await account.freeze();
  await pay(account);
  await pay(account, { prompt: { timeout: 30_000 } });
  const [first, second] = await account.prompts();
  // A timer in a minute is pending from now on.
  await account.answerPrompt(first?.id ?? 0, 'approve');
  expect(await account.finish()).toMatchObject({ prompts: 1, pending: 0 });
  expect(await account.state.get('paid')).toBe('approve');
  expect(await account.advance('idle')).toMatchObject({ prompts: 1, pending: 0, frozen: true });
  await account.unfreeze();
  await account.freeze();
  expect(await account.prompts()).toEqual([second]);
  await account.advance(29_000);
  expect(await account.prompts()).toEqual([second]);
  await account.advance(1000);
  expect(await account.state.get('chosen')).toEqual(['approve', 'none']);
});

it('a choice runs its function while the clock is frozen, and cancels the timeout', async () => {
  const mock = await startMock(FILES);
  const account = await mock.createAccount();
  await account.freeze();
  await pay(account, { prompt: { timeout: 30_000 } });
  const [{ id } = { id: 0 }] = await account.prompts();
  await account.answerPrompt(id, 'approve');
  await account.advance(1e6);
  expect(await account.state.get('chosen')).toEqual(['approve']);
});

it('real time runs a timeout', async () => {
  const mock = await startMock(FILES);
  const account = await mock.createAccount();
  const { url } = await startWebhook();
  await pay(account, { url, prompt: { timeout: 20 } });
  await mock.webhooks({ waitFor: 1, timeout: LONG });
  expect(await account.state.get('chosen')).toEqual(['none']);
});

it('a reset, a restore and a removal end a prompt, and its function never runs', async () => {
  const mock = await startMock(FILES);
  const account = await mock.createAccount();
  const ends = [
    () => account.reset(),
    async () => account.restore(await account.snapshot()),
    async () => mock.restore(await mock.snapshot()),
  ];
  let before = 0;
  for (const end of ends) {
    await pay(account, { prompt: { timeout: 1000 } });
    const [{ id } = { id: 0 }] = await account.prompts();
    expect(id).toBeGreaterThan(before);
    before = id;
    await end();
    expect(await mock.prompts(), `${end}`).toEqual([]);
    await expect(mock.answerPrompt(id, 'approve')).rejects.toThrow('ended by a reset');
    await account.advance(2000);
    expect(await account.state.get('chosen'), `${end}`).toBeUndefined();
  }
  await pay(account);
  await account.remove();
  expect(await mock.prompts()).toEqual([]);
});

it('a function that fails is an error of the answer and of the advance, with its place', async () => {
  const mock = await startMock(FILES);
  const account = await mock.createAccount();
  await account.freeze();
  for (const _ of [1, 2]) await pay(account, {}, '/momo/fail');
  const [{ id } = { id: 0 }] = await account.prompts();
  const failed = (start: string) => ({
    code: 'MOMO_MOCK_TIMER_FAILED',
    message: expect.stringMatching(
      new RegExp(`^${start}: a timer failed at .*fail.post.js:3:11: it threw a TypeError\\.`),
    ),
  });
  await expect(account.answerPrompt(id, 'approve')).rejects.toMatchObject(
    failed('Failed to answer the prompt'),
  );
  await expect(account.advance(1000)).rejects.toMatchObject(failed('Failed to advance the clock'));
  expect(await account.prompts()).toEqual([]);
});

describe('over HTTP', () => {
  it('events tell of a prompt, of its answer and of its timeout, and never of its text', async () => {
    const mock = await startMock(FILES, { control: true });
    for (const end of [
      () => mock.prompts().then(([one]) => mock.answerPrompt(one?.id ?? 0, 'approve')),
      () => mock.advance(1000),
      () => mock.reset(),
    ]) {
      using asked = await followEvents(mock);
      await pay(mock.account(), { prompt: { timeout: 1000 } });
      expect(await asked.until('{"what":"prompts"}')).not.toContain('1,000 XOF');
      using ended = await followEvents(mock);
      await end();
      await ended.until('{"what":"prompts"}');
    }
  });
});

it('a wait ends when the mock closes', async () => {
  const mock = await startMock(FILES);
  const waiting = expect(mock.prompts({ waitFor: 1, timeout: LONG })).rejects.toMatchObject({
    code: 'MOMO_MOCK_CLOSED',
  });
  await mock.account().prompts();
  await mock.close();
  await waiting;
});

describe('context.prompt', () => {
  const WRONG: Record<string, [given: object | string, message: string]> = {
    'no title': [{ title: undefined }, 'title: must be text of 1 to 500 characters'],
    'an empty text': [{ text: '' }, 'text: must be text of 1 to 500 characters'],
    'a long title': [{ title: 'x'.repeat(501) }, 'title: must be text of 1 to 500 characters'],
    'no choices': [{ choices: [] }, 'choices: must have at least one name, and each only once'],
    'a choice twice': [
      { choices: ['a', 'a'] },
      'choices: must have at least one name, and each only once',
    ],
    'a choice in another case': [
      { choices: ['Wrong PIN'] },
      'choices[0]: must be a name in kebab-case of at most 40 characters, such as wrong-pin',
    ],
    'too many choices': [
      { choices: Array.from({ length: 11 }, (_, at) => `a${at}`) },
      'choices: must be a list of at most 10',
    ],
    'a timeout as text': [{ timeout: '1' }, 'timeout: must be a number from 0 to 3153600000000'],
    'a timeout beyond the clock': [{ timeout: -1 }, 'timeout: must be a number from 0'],
    'a mistyped field': [{ choises: [] }, 'Unknown field "choises". Did you mean "choices"?'],
    'no function': [{ callback: null }, 'what prompt runs: must be a function'],
  };

  it.each(Object.entries(WRONG))('refuses %s with a sentence', async (_what, [given, message]) => {
    const mock = await startMock({}, { apiKeys: ['sekret-key-of-test'] });
    let failure: Error | undefined;
    await mock.handle('POST /momo/pay', (_request, { prompt }) => {
      const { callback = () => {}, ...rest } = Object(given);
      try {
        prompt({ title: 'a', text: 'b', choices: ['approve'], ...rest }, callback);
      } catch (error) {
        failure = error as Error;
      }
      return undefined;
    });
    await pay(mock.account());
    expect(failure?.message).toContain(message);
    expect(failure).toMatchObject({ code: 'MOMO_MOCK_REQUEST_INVALID' });
    expect(await mock.prompts()).toEqual([]);
  });

  it('takes a choice that is a key by its name, and as it is shown if no other is shown so', async () => {
    const mock = await startMock(FILES, { apiKeys: ['good', 'approve', 'later'] });
    const { url, calls } = await startWebhook();
    for (const [choices, shown, choice] of [
      [['approve', 'wrong-pin'], ['[redacted]', 'wrong-pin'], 'approve'],
      [['approve', 'wrong-pin'], ['[redacted]', 'wrong-pin'], '[redacted]'],
      [['approve', 'later'], ['[redacted]', '[redacted]'], 'later'],
    ] as const) {
      expect((await pay(mock.account(), { url, prompt: { choices } })).status).toBe(202);
      const [{ id, choices: all } = { id: 0 }] = await mock.prompts({ waitFor: 1 });
      expect(all).toEqual(shown);
      const wrong = choice === 'later' ? '[redacted]' : 'later';
      const refused = `choice: must be one of ${shown.join(', ')}.`;
      await expect(mock.answerPrompt(id, wrong)).rejects.toThrow(refused);
      await mock.answerPrompt(id, choice);
    }
    await mock.webhooks({ waitFor: 3 });
    expect(calls.map(({ body }) => JSON.parse(body).choice)).toEqual([
      'approve',
      'approve',
      'later',
    ]);
  });

  it('allows 1,000 open prompts of an account', async () => {
    const mock = await startMock();
    let failure: Error | undefined;
    await mock.handle('POST /momo/pay', (_request, { prompt }) => {
      const asked = { title: 'a', text: 'b', choices: ['approve'] };
      for (let n = 0; n < 1000; n++) prompt({ ...asked, timeout: 1000 }, () => {});
      try {
        prompt(asked, () => {});
      } catch (error) {
        failure = error as Error;
      }
      return undefined;
    });
    await pay(mock.account());
    expect(failure?.message).toMatch(/an account can have at most 1000 open prompts/);
    expect(await mock.advance(1000)).toMatchObject({ prompts: 0 });
  });

  it('may be called again by its function, and by a timer', async () => {
    const mock = await startMock();
    const account = mock.account();
    const chosen: unknown[] = [];
    await mock.handle('POST /momo/pay', (_request, { prompt, after }) => {
      const askFor = (title: string, next?: () => void) =>
        prompt({ title, text: 'b', choices: ['approve'] }, (choice) => {
          chosen.push([title, choice]);
          next?.();
        });
      after(1000, () => askFor('number', () => askFor('PIN')));
      return undefined;
    });
    await pay(account);
    await account.advance('idle');
    for (const title of ['number', 'PIN']) {
      const [prompt] = await account.prompts();
      expect(prompt?.title).toBe(title);
      await account.answerPrompt(prompt?.id ?? 0, 'approve');
    }
    expect(chosen).toEqual([
      ['number', 'approve'],
      ['PIN', 'approve'],
    ]);
  });

  it('answers after the client timeout if its function does not settle', async () => {
    const mock = await startMock({}, { clientTimeout: 5000 });
    await mock.handle('POST /momo/pay', (_request, { prompt }) => {
      prompt({ title: 'a', text: 'b', choices: ['approve'] }, () => new Promise(() => {}));
      return undefined;
    });
    await pay(mock.account());
    const [{ id } = { id: 0 }] = await mock.prompts();
    await expect(mock.answerPrompt(id, 'approve')).rejects.toThrow(
      'did not settle within 5000 ms, which is MOMO_MOCK_CLIENT_TIMEOUT',
    );
  });

  it('shows no configured key in a prompt', async () => {
    const mock = await startMock(FILES, { apiKeys: ['sekret-key-of-test'] });
    const body = { prompt: { title: 'for sekret-key-of-test', text: 'pay sekret-key-of-test' } };
    await pay(mock.account(), body);
    expect(await mock.prompts()).toMatchObject([
      { title: 'for [redacted]', text: 'pay [redacted]' },
    ]);
  });

  it('of a request that ran during a removal asks nobody', async () => {
    const mock: TestMock = await startMock();
    const account = await mock.createAccount();
    const events = new EventEmitter();
    const running = once(events, 'running');
    await mock.handle('POST /momo/pay', async (_request, { prompt }) => {
      events.emit('running');
      await once(events, 'gone');
      prompt({ title: 'a', text: 'b', choices: ['approve'] }, () => {});
      return undefined;
    });
    const paid = pay(account);
    await running;
    await account.remove();
    events.emit('gone');
    expect((await paid).status).toBe(200);
    expect(await mock.prompts()).toEqual([]);
  });
});

it('a snapshot has no prompts, and its restore keeps those of other accounts', async () => {
  const mock: TestMock = await startMock(FILES);
  const [one, two] = [await mock.createAccount(), await mock.createAccount()];
  for (const account of [one, two]) await pay(account);
  const snapshot = await one.snapshot();
  expect(JSON.stringify(snapshot)).not.toContain('22990000001');
  await one.restore(snapshot);
  expect((await mock.prompts()).map(({ account }) => account)).toEqual([two.id]);
});

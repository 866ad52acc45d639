import { describe, expect, it } from 'vitest';
import { ask, control } from '../support/client.ts';
import { preparedMock, sharedMock, startMock, type TestMock } from '../support/mock.ts';
import type {
  RequestExpectation,
  RequestsOptions,
  WebhookExpectation,
  WebhooksOptions,
} from '../support/momo-mock.ts';
import { refusal } from '../support/refusal.ts';
import { NOTIFY, notify, respondAsAsked, startWebhook } from '../support/webhook.ts';

const FILES = {
  'momo/status/[reference].get.json': { status: 'PENDING' },
  ...NOTIFY,
};

/** One request for each way in which a request can go. */
async function receive(mock: TestMock): Promise<void> {
  await ask(mock);
  await ask({ ...mock, apiKey: '' });
  await ask(mock, '/momo/status/7');
  await ask(mock, '/momo/status/8');
  await ask(mock, '/momo/balance', { method: 'POST' });
  await mock.respondWith({ fault: 'close' });
  await ask(mock).catch(() => {});
  await mock.respondWith({ fault: 'hang' });
  const gone = new AbortController();
  const asked = ask(mock, '/momo/balance', { signal: gone.signal }).catch(() => {});
  await mock.requests({ waitFor: 7 });
  gone.abort();
  await asked;
  await mock.requests({ waitFor: 7, ended: true });
  await mock.respondWith({ delay: 600_000 });
  void ask(mock).catch(() => {});
  await mock.requests({ waitFor: 8 });
}

/** One attempt for each way in which a webhook can go. */
async function callBack(mock: TestMock, hook: string): Promise<void> {
  const call = async (webhook: object, ended: number) => {
    await notify(mock, webhook);
    await mock.webhooks({ waitFor: ended });
  };
  await call({ url: hook, body: { n: 1 } }, 1);
  await call({ url: `${hook}?status=500`, retry: [0] }, 3);
  await call({ url: 'nothing', method: 'put' }, 4);
}

describe('the list of requests', () => {
  const mock = preparedMock(receive, FILES);

  it.each<[fields: RequestExpectation, ids: number[]]>([
    [{}, [1, 2, 3, 4, 5, 6, 7, 8]],
    [{ status: 200 }, [1, 3, 4]],
    [{ status: 418 }, []],
    [{ status: null }, [6, 7]],
    [{ reason: 'key-empty' }, [2]],
    [{ reason: 'key-missing' }, []],
    [{ path: '/momo/balance' }, [1, 2, 5, 6, 7, 8]],
    [{ path: '/momo/status/8' }, [4]],
    [{ path: '/momo/status/:reference' }, [3, 4]],
    [{ operation: 'GET /momo/status/:reference' }, [3, 4]],
    [{ operation: 'POST /momo/notify' }, []],
    [{ method: 'post' }, [5]],
    [{ method: 'PUT' }, []],
    [{ fault: 'hang' }, [7]],
    [{ fault: 'close' }, [6]],
    [{ fault: 'reset' }, []],
    [{ aborted: true }, [7]],
    [{ aborted: false }, [1, 2, 3, 4, 5, 6, 8]],
    [{ ended: true }, [1, 2, 3, 4, 5, 6, 7]],
    [{ ended: false }, [8]],
    [{ status: null, aborted: true }, [7]],
    [{ status: 200, path: '/momo/balance', method: 'GET', ended: true }, [1]],
  ])('and verify find the requests with %j: %j', async (fields, ids) => {
    expect((await mock().requests(fields)).map(({ id }) => id)).toEqual(ids);
    // The request in flight may still get any status.
    const known = { ...('status' in fields && { ended: true }), ...fields };
    await mock().verify({ ...known, times: ids.length });
    const failed = mock().verify({ ...known, times: ids.length + 1 });
    await expect(failed).rejects.toThrow(`but ${ids.length} of 8 requests match`);
  });

  it.each<[page: RequestsOptions, ids: number[]]>([
    [{ since: 6 }, [7, 8]],
    [{ since: 8 }, []],
    [{ limit: 2 }, [7, 8]],
    [{ limit: 0 }, []],
    [{ limit: 99 }, [1, 2, 3, 4, 5, 6, 7, 8]],
    [{ since: 1, status: 200, limit: 1 }, [4]],
    [{ status: 200, waitFor: 3, timeout: 600_000 }, [1, 3, 4]],
    [{ waitFor: 8, limit: 1 }, [8]],
  ])('is a part with the options %j: %j', async (page, ids) => {
    expect((await mock().requests(page)).map(({ id }) => id)).toEqual(ids);
  });
});

describe('the list of webhooks', () => {
  let hook = '';
  const mock = preparedMock(async (mock, over) => {
    const app = await startWebhook(respondAsAsked, over);
    hook = app.url;
    await callBack(mock, hook);
  }, FILES);

  it.each<[fields: (hook: string) => WebhookExpectation, ids: number[]]>([
    [() => ({}), [1, 2, 3, 4]],
    [(hook) => ({ url: hook }), [1, 2, 3]],
    [(hook) => ({ url: `${hook}?status=500` }), [2, 3]],
    [(hook) => ({ url: `${hook}?status=200` }), []],
    [(hook) => ({ url: new URL('/', hook).href }), []],
    [() => ({ url: 'nothing' }), [4]],
    [() => ({ method: 'Put' }), [4]],
    [() => ({ status: 200 }), [1]],
    [() => ({ reason: 'bad-url' }), [4]],
    [() => ({ reason: 'lost' }), []],
    [() => ({ attempt: 2 }), [3]],
    [(hook) => ({ url: hook, attempt: 1, status: 500 }), [2]],
  ])('and verifyWebhooks find the webhooks with %s: %j', async (fields, ids) => {
    expect((await mock().webhooks(fields(hook))).map(({ id }) => id)).toEqual(ids);
    await mock().verifyWebhooks({ ...fields(hook), times: ids.length });
    const failed = mock().verifyWebhooks({ ...fields(hook), times: ids.length + 1 });
    await expect(failed).rejects.toThrow(`but ${ids.length} of 4 webhooks match`);
  });

  it.each<[page: WebhooksOptions, ids: number[]]>([
    [{ since: 2 }, [3, 4]],
    [{ since: 1, limit: 2 }, [3, 4]],
    [{ limit: 0 }, []],
    [{ attempt: 1, waitFor: 3, timeout: 600_000 }, [1, 2, 4]],
  ])('are a part of what there is with %j: %j', async (page, ids) => {
    expect((await mock().webhooks(page)).map(({ id }) => id)).toEqual(ids);
  });
});

describe('the lists of an account', () => {
  it('have only its own requests and webhooks, and its reset removes only those', async () => {
    const mock = await startMock(FILES);
    const [one, two] = [await mock.createAccount(), await mock.createAccount()];
    for (const [before, account] of [one, two, one].entries()) {
      await notify(account, { url: 'nothing' });
      await mock.webhooks({ waitFor: before + 1 });
    }
    await ask({ ...mock, apiKey: 'unknown' });
    const seen = async () => {
      const scopes = [mock, one, two];
      const requests = await Promise.all(scopes.map((scope) => scope.requests()));
      const webhooks = await Promise.all(scopes.map((scope) => scope.webhooks()));
      return [...requests, ...webhooks].map((entries) => entries.map(({ id }) => id));
    };
    expect(await seen()).toEqual([[1, 2, 3, 4], [1, 3], [2], [1, 2, 3], [1, 3], [2]]);
    await one.verify({ times: 2 });
    await one.verifyWebhooks({ times: 2 });
    await expect(two.verify({ status: 418 })).rejects.toThrow('The closest is request 2,');
    await one.reset();
    expect(await seen()).toEqual([[2, 4], [], [2], [2], [], [2]]);
    await mock.reset();
    expect(await mock.requests()).toEqual([]);
    expect(await mock.webhooks()).toEqual([]);
  });
});

it('have the newest 1000 entries, unless a limit or waitFor is higher', async () => {
  const many = `export default (_request, { webhook }) => {
    for (let n = 1; n <= 1200; n++) webhook({ url: 'nothing' });
  };`;
  const mock = await startMock({ 'momo/notify.post.js': many }, { journalSize: 1500 });
  await ask(mock, '/momo/notify', { method: 'POST' });
  await mock.webhooks({ waitFor: 1200 });
  const asked = async (options: WebhooksOptions) => {
    const found = await mock.webhooks(options);
    return [found.at(0)?.id, found.length];
  };
  expect(await asked({})).toEqual([201, 1000]);
  expect(await asked({ limit: 1100 })).toEqual([101, 1100]);
  expect(await asked({ waitFor: 1100 })).toEqual([101, 1100]);
  expect(await asked({ waitFor: 1100, limit: 1 })).toEqual([1200, 1]);
  expect(await asked({ since: 1000 })).toEqual([1001, 200]);
});

describe('the control API', () => {
  const mock = sharedMock(FILES, { control: true });

  it('responds with an empty list, how many entries match and how many were dropped', async () => {
    const empty = { dropped: 0, total: 0 };
    expect((await control(mock(), 'GET /requests')).json).toEqual({ requests: [], ...empty });
    expect((await control(mock(), 'GET /webhooks')).json).toEqual({ webhooks: [], ...empty });
    for (let count = 0; count < 3; count++) await ask(mock());
    const { headers, json } = await control(mock(), 'GET /requests?limit=1');
    expect(headers['content-type']).toBe('application/json; charset=utf-8');
    expect(json).toMatchObject({ requests: [{ status: 200 }], dropped: 0, total: 3 });
    expect(await control(mock(), 'HEAD /requests')).toMatchObject({ status: 200, text: '' });
  });

  it.each([
    ['status=200&ended=true&aborted=false', 1],
    ['path=/momo/balance&limit=007', 1],
    ['path=%2Fmomo%2Fbalance&operation=GET+%2Fmomo%2Fbalance', 1],
    ['status=null', 0],
    ['path=/null', 0],
    ['path=/true', 0],
    ['aborted=true', 0],
  ])('converts the text values of ?%s', async (query, total) => {
    await ask(mock());
    const response = await control(mock(), `GET /requests?${query}`);
    expect(response).toMatchObject({ status: 200, json: { total } });
  });

  it.each([
    ['requests?aborted=yes', 'aborted: must be true or false.'],
    ['requests?ended=1', 'ended: must be true or false.'],
    ['requests?fault=slow', 'fault: must be one of reset, close, truncate'],
    ['requests?status=99', 'status: must be a whole number from 100 to 599, or null.'],
    ['requests?status=none', 'status: must be a whole number from 100 to 599, or null.'],
    ['requests?status=200&status=404', 'status: must be a whole number from 100 to 599, or null.'],
    ['requests?limit=null', 'limit: must be a whole number'],
    ['requests?path=null', 'path: must begin with a slash, without a query'],
    ['requests?path=a&path=sekret', 'path: must be text.'],
    ['requests?__proto__=1', 'Unknown field "__proto__". Use only method'],
    ['requests?apikey=sekret', "the query: must not contain a key. Send the account's key in"],
    ['requests?apiKey=sekret', "the query: must not contain a key. Send the account's key in"],
    ['webhooks?status=null', 'status: must be a whole number from 100 to 599.'],
    ['webhooks?attempt=0', 'attempt: must be a whole number from 1'],
    ['webhooks?reason=key-empty', 'reason: must be one of bad-url'],
    ['webhooks?path=/', 'Unknown field "path". Use only url, method'],
    ['events?limit=0', 'limit: must be a whole number from 1 to 1000.'],
    ['events?limit=1.5', 'limit: must be a whole number from 1 to 1000.'],
    ['events?limit=1001', 'limit: must be a whole number from 1 to 1000.'],
    ['events?since=1', 'Unknown field "since". Use only limit.'],
  ])('refuses %s, and says what is wrong', async (path, message) => {
    const response = await control(mock(), `GET /${path}`);
    expect(response).toMatchObject({
      status: 400,
      json: {
        error: {
          code: 'MOMO_MOCK_REQUEST_INVALID',
          message: expect.stringContaining(refusal(message)),
        },
      },
    });
    expect(response.text).not.toContain('sekret');
  });

  it('shows no account key in an error about an unknown field', async () => {
    await mock().createAccount({ apiKey: 'alice-key' });
    const { json } = await control(mock(), 'GET /requests?alice-key=1');
    expect(json).toMatchObject({
      error: { message: expect.stringContaining('Unknown field in filter. Use only') },
    });
  });
});

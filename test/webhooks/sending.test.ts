import { createHmac } from 'node:crypto';
import { once } from 'node:events';
import type { RequestListener } from 'node:http';
import { describe, expect, it } from 'vitest';
import { ask } from '../support/client.ts';
import { sharedMock, startMock, startServer } from '../support/mock.ts';
import { startReal } from '../support/real-service.ts';
import { refusal } from '../support/refusal.ts';
import { NOTIFY, notify, startWebhook } from '../support/webhook.ts';

const FILES = {
  ...NOTIFY,
  // Responds with what webhook() throws.
  'momo/try.post.js': `export default ({ body: { bytes, ...given } }, { webhook }) => {
    const long = bytes && { body: 'x'.repeat(bytes) };
    try { webhook({ url: 'nothing', ...given, ...long }); }
    catch ({ code, message }) { return { body: { code, message } }; }
  };`,
  'momo/returned.post.js': 'export default ({ body: webhook }) => ({ status: 202, webhook });',
  'momo/later.post.js': `export default ({ body }, { after, webhook }) => {
    after(1, () => webhook(body));
    return { status: 202 };
  };`,
  'momo/function.post.js': `export default (_request, { webhook }) => {
    webhook({ url: 'http://localhost', body: () => 1 });
  };`,
};
const mock = sharedMock(FILES);

/** How the only attempt of a webhook ends. */
async function outcomeOf(webhook: object): Promise<unknown> {
  await notify(mock(), webhook);
  const [attempt] = await mock().webhooks({ waitFor: 1 });
  return attempt?.status ?? attempt?.reason;
}

describe('a webhook', () => {
  const json = 'application/json; charset=utf-8';
  const plain = 'text/plain; charset=utf-8';
  const form = 'application/x-www-form-urlencoded';

  it.each<{ webhook: object; type: string | undefined; body: string; algorithm?: string }>([
    {
      webhook: { body: { amount: 5, name: 'é' } },
      type: json,
      body: '{"amount":5,"name":"é"}',
      algorithm: 'sha256',
    },
    { webhook: { body: [1] }, type: json, body: '[1]' },
    { webhook: { body: null }, type: json, body: 'null' },
    { webhook: { body: 'amount=é' }, type: plain, body: 'amount=é', algorithm: 'sha512' },
    { webhook: { body: '"5"' }, type: plain, body: '"5"', algorithm: 'sha1' },
    {
      webhook: { form: { a: 'b c', d: 'é' } },
      type: form,
      body: 'a=b+c&d=%C3%A9',
      algorithm: 'sha384',
    },
    { webhook: { body: 1, headers: { 'Content-Type': 'x/y' } }, type: 'x/y', body: '1' },
    { webhook: {}, type: undefined, body: '', algorithm: 'sha256' },
  ])(
    '$webhook is sent as $type, and signed with the sent bytes',
    async ({ webhook, type, body, algorithm }) => {
      const { url, calls } = await startWebhook();
      const sign = { header: 'X-Signature', secret: 'sekret', algorithm };
      await outcomeOf({ url: `${url}?a=b%20c`, ...webhook, sign });
      const [call] = calls;
      expect(call).toEqual({
        method: 'POST',
        target: '/hook?a=b%20c',
        body,
        headers: {
          host: new URL(url).host,
          connection: 'close',
          'user-agent': 'momo-mock',
          ...(type !== undefined && { 'content-type': type }),
          'content-length': `${Buffer.byteLength(body)}`,
          'x-signature': createHmac(algorithm ?? 'sha256', 'sekret')
            .update(body)
            .digest('hex'),
        },
      });
    },
  );

  it('has its own method and headers, and no content-length if it needs no body', async () => {
    const { url, calls } = await startWebhook();
    const headers = { 'X-Type': 'y', 'User-Agent': 'other' };
    await notify(mock(), { url, method: 'put', headers, body: 1 });
    await notify(mock(), { url, method: 'get' });
    await mock().webhooks({ waitFor: 2 });
    const [put, get] = calls[0]?.method === 'PUT' ? calls : calls.toReversed();
    expect(put).toMatchObject({ headers: { 'x-type': 'y', 'user-agent': 'other' }, body: '1' });
    expect(get).toMatchObject({ method: 'GET', body: '' });
    expect(get?.headers).not.toHaveProperty('content-length');
  });

  it('is shown with everything that was sent, without secrets', async () => {
    const { url } = await startWebhook(202);
    await notify(mock(), {
      url: `${url}?password=w0rd&a=1`,
      headers: { authorization: 'Bearer t0ken', 'X-Note': `w0rd ${mock().apiKey}` },
      body: { pin: 't0ken', secret: 's3cret', note: 's3cret w0rd' },
      sign: { header: 'x-signature', secret: 'signed' },
    });
    const [entry] = await mock().webhooks({ waitFor: 1 });
    const [request] = await mock().requests();
    expect(entry).toEqual({
      id: expect.any(Number),
      time: expect.stringMatching(/^20.*Z$/),
      account: request?.account,
      url: `${url}?password=[redacted]&a=1`,
      method: 'POST',
      headers: {
        'user-agent': 'momo-mock',
        'content-type': json,
        authorization: '[redacted]',
        'x-note': '[redacted] [redacted]',
        'content-length': '54',
        'x-signature': '[redacted]',
      },
      body: '{"pin":"[redacted]","secret":"[redacted]","note":"[redacted] [redacted]"}',
      webhookId: expect.stringMatching(/^[\da-f-]{36}$/),
      attempt: 1,
      forge: null,
      status: 202,
      accepted: true,
      reason: null,
      hint: null,
      duration: Math.round(Number(entry?.duration) * 10) / 10,
    });
  });

  it('is shown with the first 64 KiB of its body, and no part of a key at the end', async () => {
    const body = `${'x'.repeat(65_530)}${mock().apiKey}`;
    await notify(mock(), { url: 'nothing', body });
    const [entry] = await mock().webhooks({ waitFor: 1 });
    expect(entry?.body).toBe(`${'x'.repeat(65_530)}[redacted]`);
  });

  it.each(['ftp://localhost/', 'localhost:80/hook', 'http://', '/hook'])(
    'to %s is not sent, because it is not an HTTP URL',
    async (url) => {
      expect(await outcomeOf({ url, retry: [] })).toBe('bad-url');
    },
  );

  it.each([
    ['8 KiB', `http://localhost/${'x'.repeat(8192)}`],
    ['1,000 fields', `http://localhost/?${'a&'.repeat(1001)}`],
  ])('to a URL over %s is not sent, and no handler or timer fails', async (_what, url) => {
    for (const how of ['notify', 'returned', 'later']) {
      const { status } = await ask(mock(), `/momo/${how}`, { method: 'POST', body: { url } });
      expect(status, how).toBeLessThan(300);
    }
    await mock().advance('idle');
    const bad = { reason: 'bad-url', url: 'too-long', hint: expect.stringContaining('8 KiB') };
    expect(await mock().webhooks({ waitFor: 3 })).toMatchObject([bad, bad, bad]);
  });

  it('has the user and the password of its URL, unless they cannot be decoded', async () => {
    const { url, calls } = await startWebhook();
    expect(await outcomeOf({ url: url.replace('//', '//u:p%40w@') })).toBe(200);
    expect(calls).toMatchObject([{ headers: { authorization: 'Basic dTpwQHc=' } }]);
    await mock().reset();
    expect(await outcomeOf({ url: url.replace('//', '//u:p%zz@') })).toBe('bad-url');
  });

  it.each<[object, message: string]>([
    [{ url: 1 }, 'url: must be text, such as http://localhost:3000/webhooks.'],
    [{ urll: '' }, 'Unknown field "urll". Did you mean "url"?'],
    [{ method: 'CONNECT' }, 'method: must be GET, POST, PUT, PATCH or DELETE.'],
    [{ headers: { 'Content-Length': '1' } }, 'headers: must be an object of header names'],
    [{ headers: { connection: '1' } }, 'headers: must be'],
    [{ headers: { a: 'b\n' } }, 'headers: must be'],
    [{ headers: { a: ['b'] } }, 'headers: must be'],
    [{ body: 1, form: {} }, 'form: must be left out if there is a body.'],
    [{ form: { a: 1 } }, 'form: must be an object of names and texts.'],
    [{ retry: 5 }, 'retry: must be a list of whole numbers from 0 to 86400000.'],
    [{ retry: [1, -1] }, 'retry[1]: must be a whole number from 0 to 86400000.'],
    [{ retry: Array(101).fill(1) }, 'retry: must be a list of at most 100.'],
    [{ accept: [99] }, 'accept[0]: must be a whole number from 100 to 599.'],
    [{ timeout: 60_001 }, 'timeout: must be a whole number from 1 to 60000.'],
    [{ bytes: 1_048_577 }, 'body: must be at most 1 MiB.'],
    [{ sign: { header: 'x' } }, 'sign'],
    [{ sign: { secret: '' } }, 'sign.headers: must have at least one header.'],
    [{ sign: { secret: '', headers: {} } }, 'sign.headers: must have at least one header.'],
    [
      { sign: { secret: '', header: 'x', headers: {} } },
      'sign.header: must be left out if there are headers.',
    ],
    [
      { sign: { secret: '', headers: { x: '{sig}' } } },
      'sign.headers: has an unknown placeholder. Use only {signature}, {timestamp}, {id}, {secret}, {body}.',
    ],
    [
      { sign: { secret: '', header: 'x', payload: '{signature}' } },
      'sign.payload: has an unknown placeholder. Use only {timestamp}, {id}, {secret}, {body}.',
    ],
    [
      { sign: { secret: 'a b', header: 'x', secretEncoding: 'base64' } },
      'sign.secret: must be base64.',
    ],
    [
      { sign: { secret: 'a\nb', headers: { x: '{secret}' } } },
      'sign.secret: must be one line of text, because it is sent in a header.',
    ],
    [
      { body: 'a\nb', sign: { secret: '', headers: { x: '{body}' } } },
      'sign: sends the body in a header, so the body must be one line of text.',
    ],
    [{ sign: { secret: '', header: 'x', encoding: 'base65' } }, 'sign.encoding: must be one of'],
    [{ delay: 86_400_001 }, 'delay: must be a whole number from 0 to 86400000.'],
    [{ sign: { header: 'x', secret: '', algorithm: 'md5' } }, 'sign.algorithm: must be'],
    [
      { sign: { header: 'x', secret: '', algo: 'sha1' } },
      'Unknown field "sign.algo". Did you mean "algorithm"?',
    ],
    [
      { sign: { header: 'x', secret: '', hash: 'sha1' } },
      'Unknown field in sign. Use only secret, headers, payload',
    ],
    ...[
      'Content-Length',
      'transfer-encoding',
      'Connection',
      'date',
      'trailer',
      'x y',
      'a\r\nb',
      '',
    ].map((header): [object, string] => [
      { sign: { header, secret: '' } },
      'sign.header: must be the name of a header',
    ]),
  ])('%o is refused, and the error names the field', async (webhook, message) => {
    const { json } = await ask(mock(), '/momo/try', { method: 'POST', body: webhook });
    expect(json).toEqual({
      code: 'MOMO_MOCK_REQUEST_INVALID',
      message: expect.stringContaining(refusal(message)),
    });
    expect(await mock().webhooks()).toEqual([]);
  });

  it('that is refused fails only the handler, and the log says where and why', async () => {
    const mock = await startServer(FILES);
    const failed = await ask(mock, '/momo/function', { method: 'POST' });
    expect(failed.status).toBe(500);
    expect(mock.records.find(({ level }) => level === 50)?.msg).toMatch(
      /function\.post\.js.*Failed to read body: must be a value that can be written as JSON/,
    );
    expect((await ask(mock)).status).toBe(200);
  });
});

describe('an application that', () => {
  it.each<[string, application: RequestListener, outcome: unknown]>([
    ['responds', (_request, response) => response.writeHead(418).end('thanks'), 418],
    [
      'redirects to another URL, which is not followed,',
      (_request, response) => response.writeHead(302, { location: '/elsewhere' }).end(),
      302,
    ],
    ['does not respond', () => {}, 'timeout'],
    [
      'responds without an end',
      (_request, response) => {
        response.write('a');
        const dribble = setInterval(() => response.write('a'), 10);
        response.on('close', () => clearInterval(dribble));
      },
      'timeout',
    ],
    ['closes the connection', ({ socket }) => socket.destroy(), 'connection-failed'],
    [
      'breaks off its response',
      ({ socket }, response) => {
        const begun = response.writeHead(200, { 'content-length': '100' });
        begun.write('a', () => socket.destroy());
      },
      'connection-failed',
    ],
    ['speaks another protocol', ({ socket }) => socket.end('hello\r\n'), 'bad-response'],
    ...[
      'content-length: 2\r\ntransfer-encoding: chunked\r\n\r\n2\r\n{}\r\n0\r\n\r\n',
      'content-length: 2\r\ncontent-length: 3\r\n\r\n{}',
      'transfer-encoding: chunked\r\n\r\nx\r\n{}',
    ].map((rest): [string, RequestListener, string] => [
      `responds with ${JSON.stringify(rest)}`,
      ({ socket }) => socket.end(`HTTP/1.1 200 OK\r\n${rest}`),
      'bad-response',
    ]),
    [
      'responds with 17 KiB of headers',
      (_request, response) => response.setHeader('x-a', 'a'.repeat(17_408)).end(),
      'headers-too-large',
    ],
  ])('%s has this outcome in the journal', async (_what, application, outcome) => {
    const { url, calls } = await startWebhook(application);
    expect(await outcomeOf({ url, timeout: outcome === 'timeout' ? 100 : 10_000 })).toBe(outcome);
    expect(calls.map(({ target }) => target)).toEqual(['/hook']);
  });

  it('responds with 1 GB is read only as far as needed', async () => {
    let written = 0;
    let isClosed: Promise<unknown> = Promise.resolve();
    const { url } = await startWebhook((_request, response) => {
      isClosed = once(response, 'close');
      const chunk = Buffer.alloc(65_536);
      const write = () => {
        while (!response.destroyed && written < 1e9 && response.write(chunk)) written += 65_536;
        written += 65_536;
      };
      response.on('drain', write);
      write();
    });
    expect(await outcomeOf({ url })).toBe(200);
    await isClosed;
    expect(written).toBeLessThan(1e8);
  });

  it.each(['http', 'https'])('is not running causes a failed connection, by %s', async (scheme) => {
    const gone = await startMock();
    await gone.close();
    const url = gone.url.replace('https', scheme);
    expect(await outcomeOf({ url })).toBe('connection-failed');
  });

  it('does not speak TLS, or has an untrusted certificate, causes a failed handshake', async () => {
    const { url } = await startWebhook();
    expect(await outcomeOf({ url: url.replace('http', 'https') })).toBe('tls-failed');
    await mock().reset();
    const untrusted = await startReal({});
    expect(await outcomeOf({ url: `${untrusted.url}/hook` })).toBe('tls-failed');
    expect(untrusted.requests).toEqual([]);
  });
});

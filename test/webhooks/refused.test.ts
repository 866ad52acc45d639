import { describe, expect, it } from 'vitest';
import { sharedMock, startLogged } from '../support/mock.ts';
import { REFUSED_WEBHOOK_HINTS } from '../support/program.ts';
import { NOTIFY, notify, startWebhook } from '../support/webhook.ts';

describe('an attempt that an application refuses', () => {
  const mock = sharedMock(NOTIFY);

  it.each([
    [400, 'ALLOWED_HOSTS in Django'],
    [401, 'without a login'],
    [403, 'csrf_exempt in Django'],
    [404, 'has no such path'],
    [405, 'not for this method'],
  ])('has a hint for the status %i', async (status, words) => {
    const { url } = await startWebhook(status);
    await notify(mock(), { url });
    const [attempt] = await mock().webhooks({ waitFor: 1 });
    expect(attempt).toMatchObject({ status, accepted: false, reason: null });
    expect(attempt?.hint).toContain(words);
    await expect(mock().verifyWebhooks({ status: 200 })).rejects.toThrow(`\n  ${attempt?.hint}`);
  });

  it('has no hint for a status whose cause nobody can guess', async () => {
    const { url } = await startWebhook(500);
    await notify(mock(), { url });
    expect(await mock().webhooks({ waitFor: 1 })).toMatchObject([{ status: 500, hint: null }]);
    expect(Object.keys(REFUSED_WEBHOOK_HINTS)).not.toContain('500');
  });

  it('has no hint if a test forged it, or accepts the status', async () => {
    const { url } = await startWebhook(401);
    const sign = { secret: 'canary', header: 'x-signature' };
    await mock().scriptWebhooks([{ forge: 'signature' }]);
    await mock().sendWebhook({ url, body: 'a', sign });
    await mock().sendWebhook({ url, accept: [401] });
    expect(await mock().webhooks()).toMatchObject([
      { status: 401, forge: 'signature', hint: null },
      { status: 401, accepted: true, hint: null },
    ]);
  });
});

it('the log counts attempts that did not get through, by URL and outcome, and has no key', async () => {
  const mock = await startLogged(NOTIFY, { API_KEYS: 'alice-key' });
  const app = await startWebhook((request, response) =>
    response.writeHead(request.url === '/ok' ? 200 : 403).end(),
  );
  const base = new URL('/', app.url).href;
  const urls = ['hook?a=1', 'hook/alice-key', 'hook?a=2', 'ok', 'hook/9f8e7d6c5b4a'];
  const own = base.replace('//', '//me:secret@').concat('secret?token=hidden');
  const odd = ['alice-key', 'http://alice-key.test/', own, `${base}hidden?token=hidden`];
  for (const url of [...urls.map((path) => base + path), ...odd]) {
    await mock.sendWebhook({ url });
  }
  const failed = mock.records.filter(({ msg }) => /^A webhook/.test(`${msg}`));
  const hint = REFUSED_WEBHOOK_HINTS[403];
  const words = 'A webhook attempt did not get through:';
  expect(failed.map(({ level, msg, count }) => [level, msg, count])).toEqual([
    [30, `${words} 403 from ${base}hook. ${hint}`, 1],
    [30, `${words} 403 from ${base}hook/…. ${hint}`, 1],
    [30, `${words} 403 from ${base}hook (2 so far).`, 2],
    [30, `${words} 403 from ${base}hook/… (2 so far).`, 2],
    [30, expect.stringContaining(`${words} bad-url at an invalid URL. The URL does not`), 1],
    [30, expect.stringContaining(`${words} host-not-allowed at http://[redacted].test/. Web`), 1],
    [30, `${words} 403 from ${base}…. ${hint}`, 1],
    [30, `${words} 403 from ${base}… (2 so far).`, 2],
  ]);
  expect(mock.logged()).not.toMatch(/alice-key|secret|hidden/);
});

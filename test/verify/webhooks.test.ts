import { describe, expect, it } from 'vitest';
import { control } from '../support/client.ts';
import { preparedMock, startMock } from '../support/mock.ts';
import type { ExpectedWebhooks } from '../support/momo-mock.ts';
import { refusal } from '../support/refusal.ts';
import { NOTIFY, notify, respondAsAsked, startWebhook } from '../support/webhook.ts';

const HOOK = 'http://127.0.0.1:PORT/hook';
const CLOSEST = `The closest is webhook 1, POST ${HOOK} attempt 1: 200:`;
const MAY_COME = 'If the webhook may still follow, set timeout to wait for it.';

describe('for webhooks with the statuses 200, 500 and 500', () => {
  let port = '';
  const mock = preparedMock(async (mock, over) => {
    const app = await startWebhook(respondAsAsked, over);
    port = `${app.port}`;
    await notify(mock, { url: app.url, body: { n: 1 } });
    await mock.webhooks({ waitFor: 1 });
    await notify(mock, { url: `${app.url}?status=500`, body: [2], retry: [0] });
    await mock.webhooks({ waitFor: 3 });
  }, NOTIFY);
  const here = <Value>(value: Value): Value =>
    JSON.parse(JSON.stringify(value).replaceAll('PORT', port));

  it.each<[ExpectedWebhooks]>([
    [{ url: HOOK, body: { n: 1 }, status: 200, times: 1 }],
    [{ headers: { 'Content-Type': 'application/json; charset=utf-8' }, times: { min: 3 } }],
    [{ reason: 'lost', times: 0 }],
    [[{ attempt: 1, status: 500 }, { attempt: 2 }]],
    [{ exactly: [{ body: { n: 1 } }, { status: 500, times: 2 }] }],
  ])('%j is verified', async (expected) => {
    await mock().verifyWebhooks(here(expected));
  });

  it.each<[ExpectedWebhooks, lines: string[]]>([
    [
      { url: HOOK, body: { n: 2 }, status: 200, method: 'post' },
      [
        `expected post ${HOOK} with body {"n":2}, status 200 at least once, but 0 of 3 webhooks match.`,
        CLOSEST,
        '  body.n: expected 2, received 1',
        MAY_COME,
      ],
    ],
    [
      { url: `${HOOK}?status=200`, status: 200 },
      [
        `expected ${HOOK}?status=200 with status 200 at least once, but 0 of 3 webhooks match.`,
        CLOSEST,
        `  url: expected "${HOOK}?status=200", received "${HOOK}"`,
        MAY_COME,
      ],
    ],
    [
      { status: 500, times: 1 },
      [
        `expected a webhook with status 500 exactly once, but 2 of 3 webhooks match: webhook 2, POST ${HOOK}?status=500 attempt 1: 500; webhook 3, POST ${HOOK}?status=500 attempt 2: 500.`,
      ],
    ],
    [
      [{ status: 500, times: 2 }, { attempt: 3 }],
      [
        `expected 3 webhooks in this order, but number 3, a webhook with attempt 3, did not happen after webhook 3, POST ${HOOK}?status=500 attempt 2: 500.`,
        `The closest is webhook 3, POST ${HOOK}?status=500 attempt 2: 500:`,
        '  attempt: expected 3, received 2',
        MAY_COME,
      ],
    ],
    [
      { exactly: [{ times: 2 }] },
      [
        `expected exactly 2 webhooks, but 1 webhook more followed: webhook 3, POST ${HOOK}?status=500 attempt 2: 500.`,
      ],
    ],
  ])('%j is not verified, and the message shows the difference', async (expected, lines) => {
    await expect(mock().verifyWebhooks(here(expected))).rejects.toMatchObject({
      code: 'MOMO_MOCK_NOT_VERIFIED',
      message: `Failed to verify: ${here(lines).join('\n')}`,
    });
  });

  it.each<[expected: unknown, message: string]>([
    [{ url: 'http://localhost/?token=[redacted]' }, 'url: [redacted] and … only stand for what'],
    [{ body: { apikey: '[redacted]' } }, 'body.apikey: [redacted] and … only stand for what'],
    [{ url: 1 }, 'url: must be text.'],
    [{ exactly: [], times: 1 }, 'expected'],
    [{ state: 1 }, 'Unknown field "state". Did you mean "status"?'],
  ])('%j is refused', async (expected, message) => {
    await expect(mock().verifyWebhooks(expected as object)).rejects.toMatchObject({
      code: 'MOMO_MOCK_REQUEST_INVALID',
      message: expect.stringContaining(refusal(message)),
    });
  });
});

it('verifyWebhooks says what to check if there was no webhook, or one without a status', async () => {
  const mock = await startMock(NOTIFY);
  await expect(mock.verifyWebhooks({ method: 'put' })).rejects.toThrow(
    'No webhook was sent. Check that a handler calls webhook(), and advance the clock if it is frozen.',
  );
  await notify(mock, { url: 'nothing' });
  await mock.webhooks({ waitFor: 1 });
  await expect(mock.verifyWebhooks({ status: 200 })).rejects.toThrow(
    /The closest is webhook 1, POST nothing attempt 1: bad-url:\n.*\n {2}The URL does not begin/,
  );
});

it('POST /verify/webhooks responds with 200 if all expectations are met, or else with 422 and the closest attempts', async () => {
  const mock = await startMock(NOTIFY, { control: true });
  await notify(mock, { url: 'nothing' });
  await mock.webhooks({ waitFor: 1 });
  const verify = (body: object) => control(mock, 'POST /verify/webhooks', { body });
  expect(await verify({ reason: 'bad-url' })).toMatchObject({
    status: 200,
    json: { verified: true },
  });
  expect(await verify({ method: 'PUT' })).toMatchObject({
    status: 422,
    json: {
      error: { code: 'MOMO_MOCK_NOT_VERIFIED' },
      closest: [{ id: 1, method: 'POST', url: 'nothing' }],
    },
  });
});

import { expect, it } from 'vitest';
import { contentOf } from '../../src/page/webhook-content.ts';

it.each<{ body: string; words: string | undefined; match?: unknown }>([
  {
    body: '{"event":"x.changed","data":{"id":1,"country":{"code":"BJ"},"status":"success","statusMessageCode":200}}',
    words: 'x.changed, success, statusMessageCode 200',
    match: { event: 'x.changed', data: { status: 'success', statusMessageCode: 200 } },
  },
  {
    body: '{"Body":{"callback":{"Id":"a","ResultCode":1032,"ResultDesc":"Cancelled by the user."}}}',
    words: 'ResultCode 1032',
    match: { Body: { callback: { ResultCode: 1032 } } },
  },
  {
    body: '{"externalId":"1","status":"FAILED","reason":"NOT_ENOUGH_FUNDS"}',
    words: 'FAILED, NOT_ENOUGH_FUNDS',
    match: { status: 'FAILED', reason: 'NOT_ENOUGH_FUNDS' },
  },
  {
    body: '{"data":{"status":"inner"},"status":"outer"}',
    words: 'outer',
    match: { status: 'outer' },
  },
  { body: 'id=1&status=PAID+OUT', words: 'PAID OUT', match: 'status=PAID+OUT' },
  { body: '{"__proto__":{"status":"x"}}', words: 'x' },
  { body: `{"status":"${'x'.repeat(61)}","type":["list"]}`, words: undefined },
  { body: '{"status":12345678901234567890}', words: undefined },
  ...['', '[]', 'null', '"status"', '{"status":""}', '{"a":{"b":'].map((body) => ({
    ...{ body, words: undefined },
  })),
])('the body $body says $words', ({ body, words, match }) => {
  const content = contentOf(body);
  expect(content?.words).toBe(words);
  if (match !== undefined) expect(content?.match).toEqual(match);
  expect(({} as { status?: unknown }).status).toBeUndefined();
});

import { describe, expect, it, onTestFinished } from 'vitest';
import { ask, control } from '../support/client.ts';
import { startMock } from '../support/mock.ts';
import { connectMomoMock } from '../support/momo-mock.ts';

const nested = (levels: number): string => '['.repeat(levels) + ']'.repeat(levels);
const JSON_TYPE = { 'content-type': 'application/json' };
const withControl = (files = {}) => startMock(files, { control: true });
const post = (body: string) => ({ method: 'POST', body });

/** Not valid, and its brackets stand after a text without its end. */
const UNENDED = `["\n${'['.repeat(300_000)}`;

describe('deep JSON', () => {
  it.each([101, 9000])('of %i levels that nothing reads can be verified', async (levels) => {
    const mock = await withControl({ 'momo/plain.post.json': {} });
    expect((await ask(mock, '/momo/plain', post(nested(levels)))).status).toBe(200);
    const body = JSON.stringify({ body: { a: 1 } });
    const failed = await control(mock, 'POST /verify', { body, headers: JSON_TYPE });
    expect(failed.status).toBe(422);
    expect(JSON.parse(failed.text).error.message).toContain('a value with more than 100 levels');
    expect(JSON.parse((await control(mock, 'GET /requests')).text).requests).toHaveLength(1);
  });

  it.each([
    ['PUT /state/a', (value: string) => value, 204],
    ['PATCH /state', (value: string) => `{"set":{"a":${value}}}`, 204],
    ['PUT /balance', (value: string) => value, 204],
    ['PUT /responses', (value: string) => `[{"body":${value}}]`, 200],
    ['POST /verify', (value: string) => `{"exactly":[{"body":${value}}]}`, 422],
    ['POST /accounts', (value: string) => `{"state":{"a":${value}}}`, 201],
  ])('may have 100 levels in a value of %s, and no more', async (line, bodyOf, status) => {
    const mock = await withControl();
    const send = (levels: number) =>
      control(mock, line, { body: bodyOf(nested(levels)), headers: JSON_TYPE });
    expect((await send(100)).status).toBe(status);
    for (const levels of [101, 102, 103, 104, 20_000]) {
      expect([400, 422], `${levels} levels`).toContain((await send(levels)).status);
    }
    const { text } = await control(mock, 'GET /state');
    expect(['{}', `{"a":${nested(100)}}`]).toContain(text);
  });

  it('may have as many levels from elsewhere as in process', async () => {
    const mock = await withControl();
    const remote = await connectMomoMock(`${mock.controlUrl}`);
    onTestFinished(() => remote.close());
    const value = JSON.parse(nested(100));
    for (const { state, respondWith } of [mock, remote]) {
      await state.transaction((draft) => draft.set('deep', value));
      await respondWith([{ body: value }]);
      expect(await state.get('deep')).toEqual(value);
      await expect(state.transaction((draft) => draft.set('deep', [value]))).rejects.toThrow('100');
      await expect(respondWith([{ body: [value] }])).rejects.toThrow('100');
    }
  });

  it('that is broken and deeper than its check sees is told, and is no crash', async () => {
    const mock = await withControl();
    const refused = await control(mock, 'PUT /balance', { body: UNENDED, headers: JSON_TYPE });
    expect([refused.status, refused.text]).toEqual([
      400,
      expect.stringContaining('line 1, column 2'),
    ]);
    const schema = { 'momo/balance.get.schema.json': {} };
    for (const files of [
      { 'momo/balance.get.json': UNENDED },
      { 'momo/balance.get.http': `HTTP/2 200\n\n${UNENDED}`, ...schema },
    ]) {
      await expect(startMock(files)).rejects.toMatchObject({ code: 'MOMO_MOCK_FIXTURE_INVALID' });
    }
  });
});

it('a query is shown by its first 1,000 fields, and the secrets of all are redacted', async () => {
  const mock = await startMock({ 'momo/plain.post.json': {} });
  const query = `${'n=1&'.repeat(1000)}extra=1&token=canary-5ecret`;
  const { status } = await ask(mock, `/momo/plain?${query}`, post('see canary-5ecret'));
  expect(status).toBe(400);
  const [entry] = await mock.requests();
  expect(entry).toMatchObject({ query: { n: { length: 1000 } }, body: 'see [redacted]' });
  expect(JSON.stringify(entry)).not.toMatch(/extra|canary/);
});

it('a transaction ends at the value for which the state has no room', async () => {
  const mock = await startMock();
  const value = 'x'.repeat(1_048_576 - 2);
  let written = 0;
  const full = mock.state.transaction((draft) => {
    // Written again, a value takes no more room.
    for (let times = 0; times < 40; times++) draft.set('first', value);
    for (; written < 100; written++) draft.set(`name-${written}`, value);
  });
  await expect(full).rejects.toMatchObject({
    code: 'MOMO_MOCK_STATE_INVALID',
    message: expect.stringContaining('16 MiB at most'),
  });
  expect(written).toBeLessThan(16);
  expect(await mock.state.list()).toEqual([]);
});

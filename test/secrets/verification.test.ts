import { expect, it } from 'vitest';
import { ask } from '../support/client.ts';
import { startMock, type TestMock } from '../support/mock.ts';
import type { RequestExpectation } from '../support/momo-mock.ts';

const SECRET = 'kanarien-0a9b8c7d-vogel';
/** No beginning of the secret may be left, and no end. */
const PART = /kana|vogel/i;
const OFFSETS = [0, 3, 8, 15, 22];

type Sent = NonNullable<Parameters<typeof ask>[2]> & { readonly query?: string };

/** A secret that lies over a cut, and further or nearer by some characters. */
const CUTS: Readonly<
  Record<string, (offset: number) => readonly [sent: Sent, expected: RequestExpectation]>
> = {
  '200 characters of a received value': (offset) => [
    { method: 'POST', body: { token: SECRET, note: 'x'.repeat(200 - offset) + SECRET } },
    { body: { note: 'other' } },
  ],
  '200 characters of a received body': (offset) => [
    { method: 'POST', body: `{"note":"${'x'.repeat(190 - offset)}${SECRET}","token":"${SECRET}"}` },
    { body: 'other' },
  ],
  '200 characters of an expected value': (offset) => [
    { method: 'POST', body: { token: SECRET, note: 'other' } },
    { body: { note: 'x'.repeat(200 - offset) + SECRET } },
  ],
  '200 characters of an expected body': (offset) => [
    { method: 'POST', body: { token: 'other' } },
    { body: `${'x'.repeat(192 - offset)} token=${SECRET}` },
  ],
  'the end of a message': (offset) => {
    const names = Array.from({ length: 20 }, (_, n) => `${n}`.padEnd(500 + offset, 'x') + SECRET);
    const members = names.map((name) => [name, SECRET] as const);
    return [{ method: 'POST', body: { token: SECRET } }, { body: Object.fromEntries(members) }];
  },
  '64 KiB of a body': (offset) => [
    { method: 'POST', headers: { 'x-token': SECRET }, body: 'x'.repeat(65_536 - offset) + SECRET },
    { body: 'other' },
  ],
  '64 KiB of JSON': (offset) => {
    const start = `{"token":"${SECRET}","note":"`;
    const filler = 'x'.repeat(65_536 - start.length - offset);
    return [{ method: 'POST', body: `${start}${filler}${SECRET}"}` }, { body: { note: SECRET } }];
  },
  '1,000 parameters': (offset) => [
    { query: `${'a&'.repeat(998 + (offset % 4))}token=${SECRET}&note=${SECRET}` },
    { query: { note: 'other', token: 'other' }, headers: { 'x-note': SECRET } },
  ],
};

const failed = async (mock: TestMock, expected: RequestExpectation) => {
  const error = await mock.verify(expected).then(
    () => expect.unreachable(),
    (reason) => reason,
  );
  expect(error.code).toBe('MOMO_MOCK_NOT_VERIFIED');
  return `${error.message}\n${JSON.stringify(error.closest)}`;
};

it.each(Object.entries(CUTS))(
  'a failed verification shows no part of a secret at a cut: %s',
  async (_cut, at) => {
    for (const offset of OFFSETS) {
      for (const isKey of [false, true]) {
        const mock = await startMock();
        if (isKey) await mock.createAccount({ apiKey: SECRET });
        const [{ query = '', ...sent }, expected] = at(offset);
        await ask(mock, `/momo/balance?${query}`, sent);
        const text = await failed(mock, { ...expected, status: 299 });
        expect(text).toContain('The closest is request 1');
        expect(text).not.toMatch(PART);
        const listed = mock.requests({ ...{ status: 299 }, waitFor: 1, timeout: 1 });
        await expect(listed).rejects.not.toThrow(PART);
      }
    }
  },
);

it('a failed verification shows neither side of a secret, and no length', async () => {
  const mock = await startMock();
  await ask(mock, '/momo/balance', {
    method: 'POST',
    headers: { 'x-token': SECRET },
    body: { pass: { list: [SECRET] }, ids: [`a ${SECRET}`], note: 'n' },
  });
  const text = await failed(mock, {
    headers: { 'x-token': 'other-secret' },
    body: { pass: { list: ['other-secret', ''] }, ids: ['b other-secret'], note: SECRET },
  });
  expect(text.split('\n').slice(2, 6)).toEqual([
    '  headers.x-token: expected [redacted], received [redacted]',
    '  body.pass.[redacted].[redacted]: expected [redacted], received [redacted]',
    '  body.ids[0]: expected [redacted], received [redacted]',
    '  body.note: expected [redacted], received [redacted]',
  ]);
  expect(text).not.toMatch(/other-secret|kana|vogel/);
});

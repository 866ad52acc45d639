import { expect, it } from 'vitest';
import { ask } from '../support/client.ts';
import { startMock } from '../support/mock.ts';
import type { MomoMock } from '../support/momo-mock.ts';
import { NOTIFY, startWebhook } from '../support/webhook.ts';

const FORM = 'application/x-www-form-urlencoded';

interface Sent {
  readonly headers: Readonly<Record<string, string>>;
  readonly body: string;
}

const urlEncoded = (body: string): Sent => ({ headers: { 'content-type': FORM }, body });

/** A form of text fields and a file, as fetch sends it. */
async function multipart(fields: Readonly<Record<string, string>>): Promise<Sent> {
  const form = new FormData();
  for (const [name, value] of Object.entries(fields)) form.append(name, value);
  form.append('receipt', new Blob(['amount=5'], { type: 'text/plain' }), 'amount.txt');
  const response = new Response(form);
  const type = `${response.headers.get('content-type')}`;
  return { headers: { 'content-type': type }, body: await response.text() };
}

const FIELDS = { amount: '1000', note: 'a&b=c', phone: '0712345678', 'a"b': 'x\r\ny' };

const FORMS: Readonly<Record<string, () => Sent | Promise<Sent>>> = {
  'a form': () => urlEncoded(`${new URLSearchParams(FIELDS)}`),
  'a form in multipart': () => multipart(FIELDS),
};

/** What a form is, and what it is not. */
const EXPECTED: readonly (readonly [body: object, isMatch: boolean])[] = [
  [{ amount: '1000' }, true],
  [{ amount: 1000 }, true],
  [{ amount: 10_000_000_000n }, false],
  [{ amount: 1000n, note: 'a&b=c' }, true],
  [{ amount: 100 }, false],
  [{ amount: '1000.00' }, false],
  [{ amount: ['1000'] }, false],
  [{ note: 'a' }, false],
  [{ phone: '0712345678' }, true],
  [{ phone: 712345678 }, false],
  [{ 'a"b': 'x\r\ny' }, true],
  [{ receipt: 'amount=5' }, false],
  [{ reference: '1' }, false],
];

const verifications: Readonly<
  Record<string, (mock: MomoMock, sent: Sent) => Promise<(expected: object) => Promise<void>>>
> = {
  async requests(mock, { headers, body }) {
    await ask(mock, '/momo/notify', { method: 'POST', headers, body });
    return (expected) => mock.verify(expected);
  },
  async webhooks(mock, { headers, body }) {
    const { url } = await startWebhook();
    await mock.sendWebhook({ url, headers, body });
    return (expected) => mock.verifyWebhooks(expected);
  },
};

for (const [journal, add] of Object.entries(verifications)) {
  it.each(Object.entries(FORMS))(
    `verification of ${journal} compares the fields of %s`,
    async (_name, sent) => {
      const mock = await startMock({ 'momo/notify.post.js': 'export default () => {};' });
      const verify = await add(mock, await sent());
      for (const [body, isMatch] of EXPECTED) {
        await verify({ body, times: isMatch ? 1 : 0 });
        await expect(verify({ body, times: isMatch ? 0 : 1 })).rejects.toThrow('Failed to verify');
      }
    },
  );
}

it.each(Object.entries(FORMS))(
  'match of a webhook script compares the fields of %s',
  async (_name, sent) => {
    const mock = await startMock(NOTIFY);
    const { url } = await startWebhook();
    for (const [body, isMatch] of EXPECTED) {
      await mock.scriptWebhooks([{ match: { body }, lose: true }]);
      const { reason } = await mock.sendWebhook({ url, ...(await sent()) });
      expect(reason, JSON.stringify(Object.keys(body))).toBe(isMatch ? 'lost' : null);
    }
  },
);

it('verification shows how a field of a form differs', async () => {
  const mock = await startMock();
  const { headers, body } = urlEncoded('amount=900&amount=901.50&fee=1.50');
  await ask(mock, '/momo/balance', { method: 'POST', headers, body });
  await mock.verify({ body: { amount: [900, 901.5], fee: 1.5 }, times: 1 });
  await expect(mock.verify({ body: { fee: 2 } })).rejects.toThrow(
    '  body.fee: expected 2, received "1.50"',
  );
});

it('a number in JSON is still no text, whatever the content type', async () => {
  const mock = await startMock();
  const { headers, body } = urlEncoded('{"amount":"1000"}');
  await ask(mock, '/momo/balance', { method: 'POST', headers, body });
  await mock.verify({ body: { amount: 1000 }, times: 0 });
  await mock.verify({ body: { amount: '1000' }, times: 1 });
});

it('verification of a form cannot tell if it was cut', async () => {
  const mock = await startMock();
  const sent = urlEncoded(`amount=1&x=${'x'.repeat(66_000)}`);
  await ask(mock, '/momo/balance', { method: 'POST', ...sent });
  for (const times of [0, 1]) {
    await expect(mock.verify({ body: { amount: '1' }, times })).rejects.toThrow('cut at 64 KiB');
  }
});

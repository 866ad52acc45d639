import { createHmac } from 'node:crypto';
import { expect, it } from 'vitest';
import { ask } from '../support/client.ts';
import { startMock } from '../support/mock.ts';
import { startWebhook } from '../support/webhook.ts';

it.each([
  ['JSON', { body: { amount: 5, name: 'é' } }, '{"amount":5,"name":"é"}', 'sha256'],
  ['text', { body: 'amount=é' }, 'amount=é', 'sha512'],
  ['text in quotes', { body: '"5"' }, '"5"', 'sha1'],
  ['a form', { form: { amount: 'é' } }, 'amount=%C3%A9', 'sha384'],
  ['nothing', {}, '', 'sha256'],
])('signs the bytes that it sends of %s', async (_what, content, sent, algorithm) => {
  const notify = 'export default ({ body }, { callback }) => callback(body);';
  const mock = await startMock({ 'momo/notify.post.js': notify });
  const { url, calls } = await startWebhook();
  const sign = { header: 'x-signature', secret: 'sekret', algorithm };
  const body = { url, ...content, sign };
  await ask(mock, '/momo/notify', { method: 'POST', body });
  await mock.callbacks({ waitFor: 1 });
  const hmac = createHmac(algorithm, 'sekret').update(sent).digest('hex');
  expect(calls).toMatchObject([{ body: sent, headers: { 'x-signature': hmac } }]);
});

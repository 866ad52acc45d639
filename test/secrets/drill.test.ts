import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, it, vi } from 'vitest';
import { drill } from '../drill/drill-command.ts';

// Each failure takes some seconds, and starts an application.
vi.setConfig({ testTimeout: 300_000 });

/** The environment of the application has it, too. */
const CONFIGURED = 'canary_of_the_drill';

/** A shop that writes its secrets wherever it can, and pays twice. Arguments: its port, a folder. */
const SHOP = `const { MOMO_MOCK_URL: url, MOMO_MOCK_APIKEY: key, MOMO_MOCK_DRILL_WEBHOOK_SECRET: secret } = process.env;
const [port, folder] = process.argv.slice(1);
console.log(key, secret);
console.log(process.env.MOMO_MOCK_API_KEYS);
console.error(JSON.stringify({ [key]: encodeURIComponent(secret) }));
require('fs').writeFileSync(folder + '/secrets-' + port, key + ' ' + secret);
const pay = (id) => fetch(url + '/momo/requestPayment?apikey=' + key, {
  method: 'POST',
  headers: { 'content-type': 'application/json' },
  body: JSON.stringify({ amount: 1000, currency: 'XOF', senderPhoneNumber: '22990000001', merchantOrderId: id }),
});
require('http').createServer(async (request, response) => {
  if (request.method === 'POST') await Promise.all([pay(key), pay(secret)]);
  response.end(JSON.stringify({ [key]: key, status: 'paid', number: secret }));
}).listen(port, '127.0.0.1');`;

const CONFIG = {
  preset: 'chipdeals',
  limit: 2000,
  start: `exec node -e ${JSON.stringify(SHOP).replaceAll('$', '\\$').replaceAll('\\n', ' ')} {port} FOLDER`,
  pay: { url: 'http://127.0.0.1:{port}/{apiKey}' },
  outcome: { url: 'http://127.0.0.1:{port}/?{apiKey}={webhookSecret}', field: 'status' },
};

it.each([
  ['a wrong verdict', CONFIG, 1, 'The customer was charged twice'],
  [
    'an outcome that cannot be read',
    { ...CONFIG, outcome: { ...CONFIG.outcome, fulfilled: 'number' } },
    2,
    'The application wrote:\n  [redacted] [redacted]\n',
  ],
  [
    'a command that fails',
    {
      ...CONFIG,
      outcome: { command: ['sh', '-c', 'echo {apiKey} {webhookSecret} $MOMO_MOCK_APIKEY; exit 1'] },
    },
    2,
    'It wrote:\n  [redacted] [redacted] [redacted]\n',
  ],
  ['a program that does not exist', { ...CONFIG, pay: { command: ['{apiKey}'] } }, 2, '[redacted]'],
])('no secret of an account is shown with %s', async (_what, config, expected, reached) => {
  const reports = ['a.xml', 'b.md'];
  const env = { MOMO_MOCK_API_KEYS: CONFIGURED };
  const { code, stdout, stderr, folder } = await drill(config, { reports, env });
  expect(code).toBe(expected);
  const files = readdirSync(folder).filter((name) => /^(a|b|report)\./.test(name));
  expect(files).toHaveLength(code === 1 ? 3 : 0);
  const texts = files.map((name) => readFileSync(join(folder, name), 'utf8'));
  const all = [stdout, stderr, ...texts].join('\n');
  expect(all).toContain(reached);
  const [own = ''] = readdirSync(folder).filter((name) => name.startsWith('secrets-'));
  const secrets = readFileSync(join(folder, own), 'utf8').split(' ');
  expect(secrets).toEqual([expect.stringMatching(/^.{16,}$/), expect.stringMatching(/^.{16,}$/)]);
  for (const secret of [...secrets, CONFIGURED]) expect(all).not.toContain(secret);
});

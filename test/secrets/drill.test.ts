import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, it, vi } from 'vitest';
import { drill } from '../drill/drill-command.ts';

// Each failure takes some seconds, and starts an application.
vi.setConfig({ testTimeout: 300_000 });

/** What the environment of the application has besides the secrets of its account. */
const OTHERS = {
  MOMO_MOCK_API_KEYS: 'canary_of_the_drill',
  MOMO_MOCK_CONTROL_TOKEN: 'canary_of_the_control_api',
  MOMO_MOCK_REAL_KEY: 'canary_of_the_real_service',
};
const PASSWORD = 'canary_of_the_configuration';

/** A shop that writes its secrets wherever it can, and pays twice. Arguments: its port, a folder. */
const SHOP = `const { MOMO_MOCK_URL: url, MOMO_MOCK_APIKEY: key, MOMO_MOCK_DRILL_WEBHOOK_SECRET: secret } = process.env;
const [port, folder] = process.argv.slice(1);
console.log(key, secret);
console.log(process.env.MOMO_MOCK_API_KEYS, process.env.MOMO_MOCK_CONTROL_TOKEN);
console.log(process.env.MOMO_MOCK_REDIRECT);
console.log(process.env.MOMO_MOCK_REAL_KEY, process.env.SHOP_PASSWORD, 'sandbox');
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
  env: { SHOP_PASSWORD: PASSWORD, SHOP_MODE: 'sandbox' },
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
    'It wrote:\n  [redacted] [redacted] [redacted]',
  ],
  ['a program that does not exist', { ...CONFIG, pay: { command: ['{apiKey}'] } }, 2, '[redacted]'],
])('no secret of an account is shown with %s', async (_what, config, expected, reached) => {
  const reports = ['a.xml', 'b.md'];
  const flags = ['--log', 'FOLDER/logs'];
  const { code, stdout, stderr, folder } = await drill(config, { reports, flags, env: OTHERS });
  expect(code).toBe(expected);
  const files = readdirSync(folder).filter((name) => /^(a|b|report)\./.test(name));
  expect(files).toHaveLength(code === 1 ? 3 : 0);
  const texts = files.map((name) => readFileSync(join(folder, name), 'utf8'));
  const log = readFileSync(join(folder, 'logs/success.log'), 'utf8');
  expect(log).toContain('start\n[redacted] [redacted]\n[redacted] [redacted]\n{');
  expect(log).toContain('"proxy":"http://momo-mock:[redacted]@');
  expect(log).toContain('\n[redacted] [redacted] sandbox\n');
  const all = [stdout, stderr, log, ...texts].join('\n');
  expect(all).toContain(reached);
  const [own = ''] = readdirSync(folder).filter((name) => name.startsWith('secrets-'));
  const secrets = readFileSync(join(folder, own), 'utf8').split(' ');
  expect(secrets).toEqual([expect.stringMatching(/^.{16,}$/), expect.stringMatching(/^.{16,}$/)]);
  for (const secret of [...secrets, ...Object.values(OTHERS), PASSWORD])
    expect(all).not.toContain(secret);
});

it('keys that are words break no report', async () => {
  const env = { MOMO_MOCK_API_KEYS: 'failures,testcase,success,survived,failed,customer' };
  const { code, stdout, folder, report } = await drill(CONFIG, { reports: ['a.xml', 'b.md'], env });
  expect(code).toBe(1);
  expect(report).toMatchObject({ failed: 1, failures: [{ name: 'success', verdict: 'failed' }] });
  expect(stdout).toMatch(/^1\/1 ✗ success {2,}The \[redacted\] was charged twice: /);
  expect(stdout).toContain('\n0 survived, 1 failed (');
  const xml = readFileSync(join(folder, 'a.xml'), 'utf8');
  expect(xml).toMatch(
    /<testcase classname="momo-mock drill" name="success" time="[\d.]+"><failure /,
  );
  const markdown = readFileSync(join(folder, 'b.md'), 'utf8');
  expect(markdown).toContain('\n| ✗ | `success` | failed | The [redacted] was charged twice');
});

import dns from 'node:dns';
import net from 'node:net';
import { expect, it, onTestFinished } from 'vitest';
import { replaceBuiltin } from '../support/builtin.ts';
import { needsIpv6 } from '../support/machine.ts';
import { startMock } from '../support/mock.ts';
import { NOTIFY, notify, startWebhook } from '../support/webhook.ts';

/** Where names lead: an address that leads to this machine and is not allowed for itself, or others. */
const ADDRESSES: Readonly<Record<string, readonly string[]>> = {
  'app.localhost': ['127.0.0.1'],
  'both.localhost': ['192.0.2.1', '127.0.0.1'],
  'elsewhere.localhost': ['192.0.2.1'],
};

/**
 * Lets every name but those of loopback be found without a network.
 *
 * @returns the names that are looked up
 */
function resolveNames(): readonly string[] {
  const { lookup } = dns;
  const names: string[] = [];
  replaceBuiltin(
    dns,
    'lookup',
    (name: string, options: object, callback: (...found: unknown[]) => void) => {
      names.push(name);
      if (name === 'localhost') return lookup(name, options, callback as never);
      if (name.startsWith('missing.')) return callback(new Error('ENOTFOUND'));
      const found = ADDRESSES[name.replace(/\.$/, '')] ?? ['0.0.0.0'];
      callback(
        null,
        found.map((address) => ({ address, family: 4 })),
      );
    },
  );
  return names;
}

/** How a webhook to a host ends, with webhookHosts as it is given. */
async function outcomeOf(host: string, webhookHosts: readonly string[]): Promise<unknown> {
  const mock = await startMock(NOTIFY, { webhookHosts });
  const { port } = await startWebhook();
  resolveNames();
  await notify(mock, { url: `http://${host}:${port}/` });
  const [attempt] = await mock.webhooks({ waitFor: 1 });
  return attempt?.status ?? attempt?.reason;
}

it.each([
  ['localhost', 200],
  ['127.0.0.1', 200],
  ['127.1', 200],
  ['app.localhost', 200],
  ['both.localhost', 200],
  ['elsewhere.localhost', 'host-not-allowed'],
  ['missing.localhost', 'connection-failed'],
  ['192.0.2.1', 'host-not-allowed'],
  ['[2001:db8::1]', 'host-not-allowed'],
  ['0.0.0.0', 'host-not-allowed'],
  ['[::ffff:192.0.2.1]', 'host-not-allowed'],
  ['elsewhere.test', 'host-not-allowed'],
])(
  'a webhook goes only to this machine without the setting: to %s with the outcome %s',
  async (host, outcome) => {
    expect(await outcomeOf(host, [])).toBe(outcome);
  },
);

it.each(['shop.example', 'localhost.example', 'notlocalhost'])(
  'a webhook to a host that is not allowed is refused without a lookup of its name: %s',
  async (host) => {
    const mock = await startMock(NOTIFY, { webhookHosts: ['hook.test'] });
    const names = resolveNames();
    await notify(mock, { url: `https://${host}/` });
    const [attempt] = await mock.webhooks({ waitFor: 1 });
    expect(attempt).toMatchObject({ status: null, reason: 'host-not-allowed' });
    expect(names).not.toContain(host);
  },
);

it.each(['localhost', '127.0.0.1', '0.0.0.0', '[::ffff:127.0.0.1]', 'app.localhost', 'hook.test'])(
  'a webhook does not go to the mock itself, or another mock of its process: %s',
  async (host) => {
    const mock = await startMock(NOTIFY, { control: true, webhookHosts: ['0.0.0.0', 'hook.test'] });
    const other = await startMock(NOTIFY, { control: true, host: '0.0.0.0' });
    resolveNames();
    await mock.setBalance({ amount: 1 });
    const urls = [mock, other].flatMap(({ url, controlUrl }) => [url, `${controlUrl}`]);
    for (const url of urls) {
      const { protocol, port } = new URL(url);
      await notify(mock, { url: `${protocol}//${host}:${port}/reset` });
    }
    const attempts = await mock.webhooks({ waitFor: urls.length });
    const hint = expect.stringContaining('not to the ports of momo-mock. Correct the port');
    for (const attempt of attempts) {
      expect(attempt).toMatchObject({ status: null, reason: 'host-not-allowed', hint });
    }
    expect(await mock.requests()).toHaveLength(urls.length);
  },
);

it('a webhook goes to the IPv4 loopback address in the form of IPv6', async (test) => {
  needsIpv6(test);
  expect(await outcomeOf('[::ffff:127.0.0.1]', [])).toBe(200);
});

it.each([
  ['a configured name', 'hook.test', 200],
  ['the name in capitals and with a dot', 'HOOK.test.', 200],
  ['a subdomain of a configured name', 'a.hook.test', 'host-not-allowed'],
  ['a name that only ends like one', 'my-hook.test', 'host-not-allowed'],
  ['a name in place of a wildcard', 'a.example.com', 200],
  ['a name in capitals in its place', 'A.Example.COM', 200],
  ['two names in its place', 'a.b.example.com', 'host-not-allowed'],
  ['nothing in its place', 'example.com', 'host-not-allowed'],
  ['a name that only ends like it', 'a.notexample.com', 'host-not-allowed'],
  ['an address outside the setting', '192.0.2.1', 'host-not-allowed'],
])(
  'a webhook to %s follows the setting: to %s with the outcome %s',
  async (_what, host, outcome) => {
    expect(await outcomeOf(host, ['hook.test', '*.example.com'])).toBe(outcome);
  },
);

it.each([
  ['0.0.0.0', 200],
  // Only a name that is listed is looked up.
  ['a.test', 'host-not-allowed'],
  // Nobody listens there.
  ['[0:0::0]', 'connection-failed'],
  ['192.0.2.1', 'host-not-allowed'],
])('a webhook goes to configured addresses: to %s with the outcome %s', async (host, outcome) => {
  expect(await outcomeOf(host, ['0.0.0.0', '::'])).toBe(outcome);
});

it('the lookup of a webhook returns one address if Node asks for one', async () => {
  const usual = net.getDefaultAutoSelectFamily();
  net.setDefaultAutoSelectFamily(false);
  onTestFinished(() => net.setDefaultAutoSelectFamily(usual));
  expect(await outcomeOf('both.localhost', [])).toBe(200);
});

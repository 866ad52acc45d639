import { networkInterfaces } from 'node:os';
import { expect, it, vi } from 'vitest';
import { listenableHost } from '../../src/net/host.ts';

const addresses: Record<string, string> = {
  'api.example.com': '192.0.2.1',
  'six.example.com': '2001:db8::1',
  'hosts-entry.example.com': '127.0.0.1',
  'another.example.com': '127.0.1.1',
  'own.example.com': Object.values(networkInterfaces()).flat()[0]?.address ?? '',
};

vi.mock('node:dns/promises', () => ({
  lookup: async (name: string) => {
    if (addresses[name] === undefined) throw Object.assign(new Error(), { code: 'ENOTFOUND' });
    return { address: addresses[name] };
  },
}));

it.each(['api.example.com', 'six.example.com', 'no-such.example.com'])(
  'the host %s, which is not this machine, becomes localhost',
  async (host) => {
    expect(await listenableHost(host)).toBe('localhost');
  },
);

it.each([
  ...['hosts-entry.example.com', 'another.example.com', 'own.example.com'],
  ...['localhost', '127.0.0.1', '::1', '0.0.0.0', '::', '192.0.2.1'],
])('the host %s stays as it is', async (host) => {
  expect(await listenableHost(host)).toBe(host);
});

import { expect, test } from 'vitest';
import { isService, memoryCertificate } from '../../src/tls/certificate.ts';
import { certificateHosts } from '../../src/tls/configured-certificate.ts';

test.each<[host: string, where: 'loopback' | 'elsewhere' | undefined]>([
  ['localhost', 'loopback'],
  ['LOCALHOST', 'loopback'],
  ['127.0.0.1', 'loopback'],
  ['[::1]', 'loopback'],
  ['momo.test', 'elsewhere'],
  ['a.wild.test', 'elsewhere'],
  ['10.0.0.5', 'elsewhere'],
  ['10.0.0.6', undefined],
  ['other.test', undefined],
  ['a b', undefined],
])('the host %s is in the certificate: %s', async (host, where) => {
  const hosts = ['momo.test', '*.wild.test', '10.0.0.5'];
  const certificate = await memoryCertificate({ hosts });
  const isServiceAt = (port: number) =>
    isService(certificate, 'https://localhost:8443', host, port);
  expect(isServiceAt(8443)).toBe(where !== undefined);
  // Other programs are on this machine.
  expect(isServiceAt(1)).toBe(where === 'elsewhere');
});

test.each(['0.0.0.0', '::'])('%s is a place to listen, not a name', (HOST) => {
  expect(certificateHosts({ HOST, TLS_HOSTS: ['a.test'] })).toEqual(['a.test']);
});

import { X509Certificate } from 'node:crypto';
import { join } from 'node:path';
import { afterAll, describe, expect, test } from 'vitest';
import { isService } from '../../../src/tls/certificate.ts';
import {
  certificateHosts,
  configuredCertificate,
} from '../../../src/tls/configured-certificate.ts';
import { namesOf } from '../../../src/tls/names.ts';
import { temporaryFolder } from '../../support/fixture-folder.ts';

const NOWHERE = { CERTS_DIR: 'nowhere', HOST: 'localhost', TLS_HOSTS: [] };

test('the certificate is in the folder, for the host and the other names', async () => {
  const CERTS_DIR = temporaryFolder();
  const settings = { CERTS_DIR, HOST: 'momo.test', TLS_HOSTS: ['10.0.0.5'] };
  const { file, cert } = await configuredCertificate(settings);
  expect(file).toBe(join(CERTS_DIR, 'momo-mock.pem'));
  const names = namesOf(new X509Certificate(cert));
  expect(names).toEqual(['localhost', '127.0.0.1', '::1', 'momo.test', '10.0.0.5']);
});

test('a pair of files is read instead of the folder, and one file alone is not', async () => {
  const CERTS_DIR = temporaryFolder();
  const settings = { ...NOWHERE, CERTS_DIR };
  const made = await configuredCertificate(settings);
  const TLS_CERT_FILE = join(CERTS_DIR, 'momo-mock.pem');
  const TLS_KEY_FILE = join(CERTS_DIR, 'momo-mock-key.pem');
  const own = await configuredCertificate({ ...NOWHERE, TLS_CERT_FILE, TLS_KEY_FILE });
  expect(own).toMatchObject({ key: made.key, file: TLS_CERT_FILE });
  for (const one of [{ TLS_CERT_FILE: 'none.pem' }, { TLS_KEY_FILE: 'none.pem' }]) {
    expect((await configuredCertificate({ ...settings, ...one })).cert).toBe(made.cert);
  }
});

test.each(['0.0.0.0', '::'])('%s is a place to listen, not a name', (HOST) => {
  expect(certificateHosts({ HOST, TLS_HOSTS: ['a.test'] })).toEqual(['a.test']);
});

describe('a host', () => {
  const CERTS_DIR = temporaryFolder(afterAll);
  const settings = { CERTS_DIR, HOST: 'momo.test', TLS_HOSTS: ['*.wild.test', '10.0.0.5'] };

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
  ])('%s is in the certificate: %s', async (host, where) => {
    const certificate = await configuredCertificate(settings);
    const isServiceAt = (port: number) =>
      isService(certificate, 'https://localhost:8443', host, port);
    expect(isServiceAt(8443)).toBe(where !== undefined);
    // Other programs are on this machine.
    expect(isServiceAt(1)).toBe(where === 'elsewhere');
  });
});

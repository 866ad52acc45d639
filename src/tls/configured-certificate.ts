import type { Certificate } from './certificate.ts';
import { certsDirCertificate } from './certs-dir-certificate.ts';
import { userCertificate } from './user-certificate.ts';

interface CertificateSettings {
  readonly TLS_CERT_FILE?: string | undefined;
  readonly TLS_KEY_FILE?: string | undefined;
  readonly CERTS_DIR: string;
  readonly HOST: string;
  readonly TLS_HOSTS: readonly string[];
}

export function configuredCertificate(settings: CertificateSettings): Promise<Certificate> {
  const { TLS_CERT_FILE: certFile, TLS_KEY_FILE: keyFile, CERTS_DIR: certsDir } = settings;
  if (certFile !== undefined && keyFile !== undefined) {
    return userCertificate({ certFile, keyFile });
  }
  return certsDirCertificate({ certsDir, hosts: certificateHosts(settings) });
}

/** The names besides the loopback names. */
export function certificateHosts({
  HOST,
  TLS_HOSTS,
}: Pick<CertificateSettings, 'HOST' | 'TLS_HOSTS'>): string[] {
  // Clients cannot connect to the address that means "listen on all addresses".
  return HOST === '0.0.0.0' || HOST === '::' ? [...TLS_HOSTS] : [HOST, ...TLS_HOSTS];
}

import type { Config } from './config/config.ts';
import { reachableHost } from './net/host.ts';
import { type Certificate, obtainCertificate, readCertificatePair } from './tls/certificate.ts';

/** What of the configuration the certificate depends on. */
export type CertificateConfig = Pick<
  Config,
  'TLS_CERT_FILE' | 'TLS_KEY_FILE' | 'TLS_HOSTS' | 'CERTS_DIR' | 'HOST'
>;

/**
 * The certificate that the settings ask for: the user's own, or the one that is made and kept.
 *
 * @throws MomoMockError `MOMO_MOCK_CERTIFICATE_UNUSABLE`
 */
export function configuredCertificate(config: CertificateConfig): Promise<Certificate> {
  const { TLS_CERT_FILE: certFile, TLS_KEY_FILE: keyFile } = config;
  if (certFile !== undefined && keyFile !== undefined) {
    return readCertificatePair({ certFile, keyFile });
  }
  return obtainCertificate({ certsDir: config.CERTS_DIR, hosts: certificateHosts(config) });
}

/** The names that the certificate is for, beside the loopback ones. */
export function certificateHosts({
  HOST,
  TLS_HOSTS,
}: Pick<CertificateConfig, 'HOST' | 'TLS_HOSTS'>): string[] {
  return [reachableHost(HOST), ...TLS_HOSTS];
}

/** A certificate to serve with, its key, and what to tell a person about it. */
export interface Certificate {
  /**
   * PEM to trust, in which the certificate is the first: the bundle for the TLS modes, or the
   * user's whole chain. Never holds the key.
   */
  readonly cert: string;
  /** PEM to serve in TLS mode `normal`: the certificate, or the user's whole chain. */
  readonly chain: string;
  /** PEM of the private key, PKCS #8. */
  readonly key: string;
  /** Absolute path of the file that holds `cert`; null where it is in memory only. */
  readonly file: string | null;
  /** The moment after which clients refuse the certificate. */
  readonly expiresAt: Date;
  /** For the log, when something is less than it should be: memory only, near its end. */
  readonly warning?: string;
}

export { type Credentials, credentialsFor } from './credentials.ts';
export { watchExpiry } from './expiry.ts';
export { obtainCertificate } from './kept-certificate.ts';
export { makeCertificateInMemory } from './memory-certificate.ts';
export { TLS_MODES, type TlsMode } from './mode.ts';
export { isNamedBy } from './named-by.ts';
export { readCertificatePair } from './own-certificate.ts';

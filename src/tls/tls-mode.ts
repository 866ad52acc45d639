/**
 * Which certificate the service uses. All modes except `normal` are wrong on purpose, so that a
 * test can prove that a client verifies the certificate:
 *
 * - `normal`: the certificate that clients trust
 * - `expired`: a certificate with the right names that has expired
 * - `wrong-host`: a valid certificate for another host name
 * - `untrusted`: a valid certificate with the right names, but with a key that no client trusts
 */
export const TLS_MODES = ['normal', 'expired', 'wrong-host', 'untrusted'] as const;

/** The certificate that the service presents: a valid one, or one that clients must refuse. */
export type MomoTlsMode = (typeof TLS_MODES)[number];

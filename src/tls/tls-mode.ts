/**
 * Which certificate the service serves. All modes but `normal` are wrong on purpose, so that a test
 * can prove that a client verifies:
 *
 * - `normal`: the certificate that clients trust
 * - `expired`: the right names, but no longer valid
 * - `wrong-host`: valid, but for another host name
 * - `untrusted`: the right names and valid, but self-signed with a key that no client trusts
 */
export const TLS_MODES = ['normal', 'expired', 'wrong-host', 'untrusted'] as const;

/** One of {@link TLS_MODES}. */
export type TlsMode = (typeof TLS_MODES)[number];

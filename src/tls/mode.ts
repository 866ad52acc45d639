/**
 * What certificate the service serves. All but `normal` are wrong on purpose, so that a test
 * proves that a client verifies:
 *
 * - `normal`: the one that clients trust
 * - `expired`: the right names, but its validity is over
 * - `wrong-host`: valid, but for another host name
 * - `untrusted`: the right names and valid, but self-signed with a key that nobody was told to trust
 */
export const TLS_MODES = ['normal', 'expired', 'wrong-host', 'untrusted'] as const;

/** One of {@link TLS_MODES}. */
export type TlsMode = (typeof TLS_MODES)[number];

import type { KeyObject } from 'node:crypto';
import type { TlsMode } from './mode.ts';
import { makeCertificate, VALIDITY_DAYS } from './self-signed.ts';
import { DAY_MS } from './validity.ts';

/** The only name in the certificate for the wrong host. RFC 6761: no host is ever called so. */
export const WRONG_HOST = 'wrong-host.invalid';

// Different for each mode: clients look a certificate up in their trust store by its subject, and
// a person who looks at what a client refused sees why.
const COMMON_NAMES: Readonly<Record<TlsMode, string>> = {
  normal: 'momo-mock',
  expired: 'momo-mock expired',
  'wrong-host': 'momo-mock wrong host',
  untrusted: 'momo-mock untrusted',
};

/** The subject of the certificate for a mode. */
export function subjectOf(mode: TlsMode): string {
  return `CN=${COMMON_NAMES[mode]}`;
}

/**
 * The self-signed certificate for a mode, as PEM. Untrusted is what comes with a key of its own.
 *
 * @param options.key EC P-256
 * @param options.names what a right certificate names, as `certificateNames` spells it
 * @param options.now the moment at which it is valid, or has been expired for a day
 */
export function makeModeCertificate(
  mode: TlsMode,
  options: { key: KeyObject; names: readonly string[]; now: Date },
): Promise<string> {
  const { key, names, now } = options;
  const commonName = COMMON_NAMES[mode];
  switch (mode) {
    case 'expired': {
      const then = new Date(now.getTime() - (VALIDITY_DAYS + 1) * DAY_MS);
      return makeCertificate({ commonName, key, names, now: then });
    }
    case 'wrong-host':
      return makeCertificate({ commonName, key, names: [WRONG_HOST], now });
    default:
      return makeCertificate({ commonName, key, names, now });
  }
}

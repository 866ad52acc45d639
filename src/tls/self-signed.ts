import { createPublicKey, generateKeyPairSync, type KeyObject } from 'node:crypto';
import { isAddress } from './names.ts';
import { DAY_MS } from './validity.ts';

/** The longest validity, in days, that strict clients take (CA/Browser Forum). */
export const VALIDITY_DAYS = 397;

const CLOCK_SKEW_MS = 3_600_000;

/** A new private key, EC P-256. */
export function makeKey(): KeyObject {
  return generateKeyPairSync('ec', { namedCurve: 'P-256' }).privateKey;
}

/** Whether {@link makeCertificate} can sign with the key. */
export function isSigningKey(key: KeyObject): boolean {
  return key.asymmetricKeyDetails?.namedCurve === 'prime256v1';
}

/** A private key as PEM, PKCS #8. */
export function pemOf(key: KeyObject): string {
  return key.export({ type: 'pkcs8', format: 'pem' }).toString();
}

/**
 * A self-signed server certificate as PEM. It is no CA: whoever trusts it trusts it alone.
 *
 * @param options.commonName what its subject and issuer are called
 * @param options.key EC P-256
 * @param options.names DNS names and IP addresses, as `certificateNames` spells them
 * @param options.now it is valid from one hour before, for clients whose clock is behind
 */
export async function makeCertificate(options: {
  commonName: string;
  key: KeyObject;
  names: readonly string[];
  now: Date;
}): Promise<string> {
  // Loaded only when there is something to make: it takes longer than all the rest of a start.
  const { generate } = await import('selfsigned');
  // Certificates count whole seconds, and both ends belong to the validity.
  const start = Math.floor((options.now.getTime() - CLOCK_SKEW_MS) / 1000) * 1000;
  const { cert } = await generate([{ name: 'commonName', value: options.commonName }], {
    keyType: 'ec',
    algorithm: 'sha256',
    keyPair: {
      privateKey: pemOf(options.key),
      publicKey: createPublicKey(options.key).export({ type: 'spki', format: 'pem' }).toString(),
    },
    notBeforeDate: new Date(start),
    notAfterDate: new Date(start + VALIDITY_DAYS * DAY_MS - 1000),
    extensions: [
      { name: 'basicConstraints', cA: false, critical: true },
      { name: 'keyUsage', digitalSignature: true, critical: true },
      { name: 'extKeyUsage', serverAuth: true },
      {
        name: 'subjectAltName',
        altNames: options.names.map((name) =>
          isAddress(name) ? { type: 7, ip: name } : { type: 2, value: name },
        ),
      },
    ],
  });
  return cert.endsWith('\n') ? cert : `${cert}\n`;
}

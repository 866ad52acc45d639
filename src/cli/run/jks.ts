import { createHash, X509Certificate } from 'node:crypto';

/**
 * A trust store in the format JKS, which every JVM reads, with the password that Java's own has. It
 * contains no expired certificate, because Java accepts one that it trusts.
 *
 * @param certificates in PEM
 */
export function trustStore(certificates: readonly string[]): Buffer {
  const now = Date.now();
  const trusted = certificates.flatMap((pem) => {
    try {
      const { raw, validTo } = new X509Certificate(pem);
      return Date.parse(validTo) > now ? [raw] : [];
    } catch {
      // Java would refuse the whole file.
      return [];
    }
  });
  const entries = trusted.flatMap((der, index) => [
    uint32(TRUSTED_CERTIFICATE),
    text(`certificate-${index}`),
    CREATED,
    text('X.509'),
    uint32(der.length),
    der,
  ]);
  const store = Buffer.concat([
    uint32(0xfeedfeed),
    uint32(VERSION),
    uint32(trusted.length),
    ...entries,
  ]);
  const password = Buffer.from(PASSWORD, 'utf16le').swap16();
  const digest = createHash('sha1').update(password).update('Mighty Aphrodite').update(store);
  return Buffer.concat([store, digest.digest()]);
}

const VERSION = 2;
const TRUSTED_CERTIFICATE = 2;
/** In ms since 1970, as 64 bits. */
const CREATED = Buffer.alloc(8);
const PASSWORD = 'changeit';

function uint32(value: number): Buffer {
  const bytes = Buffer.alloc(4);
  bytes.writeUInt32BE(value);
  return bytes;
}

/** An ASCII text after its length, in 16 bits. */
function text(value: string): Buffer {
  const length = Buffer.alloc(2);
  length.writeUInt16BE(value.length);
  return Buffer.concat([length, Buffer.from(value, 'latin1')]);
}

import { X509Certificate } from 'node:crypto';
import { configuredCertificate } from '../certificate.ts';
import { MomoMockError } from '../errors.ts';
import type { Invocation } from './arguments.ts';
import { configure } from './configure.ts';

/** `momo-mock cert`: makes the certificate where there is none, and shows it. */
export async function cert({ flags }: Invocation): Promise<number> {
  const { config } = await configure(flags);
  const { cert: pem, file, warning } = await configuredCertificate(config);
  if (file === null) {
    const text = warning ?? 'Failed to keep the certificate: it is in memory only.';
    throw new MomoMockError('MOMO_MOCK_CERTIFICATE_UNUSABLE', text);
  }
  const { subjectAltName, validTo, fingerprint256 } = new X509Certificate(pem);
  process.stdout.write(`certificate  ${file}
names        ${(subjectAltName ?? '').replaceAll(/DNS:|IP Address:/g, '')}
valid until  ${new Date(validTo).toISOString()}
SHA-256      ${fingerprint256}
`);
  if (warning) process.stderr.write(`${warning}\n`);
  return 0;
}

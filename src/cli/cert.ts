import { X509Certificate } from 'node:crypto';
import { MomoMockError } from '../errors.ts';
import { configuredCertificate } from '../tls/configured-certificate.ts';
import { namesOf } from '../tls/names.ts';
import type { Invocation } from './arguments.ts';
import { configure } from './configure.ts';

/** `momo-mock cert`: makes the certificate where there is none, and shows it. */
export async function cert({ flags, hosts }: Invocation): Promise<number> {
  const { config } = await configure(flags, { withKeys: false });
  const TLS_HOSTS = [...config.TLS_HOSTS, ...hosts];
  const { cert: pem, file, warning } = await configuredCertificate({ ...config, TLS_HOSTS });
  if (file === null) {
    const text = warning ?? 'Failed to keep the certificate: it is in memory only.';
    throw new MomoMockError('MOMO_MOCK_CERTIFICATE_UNUSABLE', text);
  }
  const leaf = new X509Certificate(pem);
  process.stdout.write(`certificate  ${file}
names        ${namesOf(leaf).join(', ')}
valid until  ${new Date(leaf.validTo).toISOString()}
SHA-256      ${leaf.fingerprint256}
`);
  if (warning) process.stderr.write(`${warning}\n`);
  return 0;
}

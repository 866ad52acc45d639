import { MomoMockError } from '../errors.ts';
import { configuredCertificate } from '../tls/configured-certificate.ts';
import { namesOf } from '../tls/names.ts';
import type { Command, CommandLine } from './command-line.ts';
import { configure } from './configure.ts';

export const cert: Command = {
  usage: 'momo-mock cert [flags]',
  about: 'Creates the certificate if there is none, and prints it, without starting the mock.',
  examples: ['momo-mock cert', 'momo-mock cert --tls-hosts momo.test,10.0.0.5'],
  run: showCertificate,
};

async function showCertificate({ flags }: CommandLine): Promise<number> {
  const { config } = await configure(flags, { withKeys: false });
  const { leaf, file, expiresAt, warning } = await configuredCertificate(config);
  if (file === null) {
    // A certificate in memory has a warning, which says why.
    throw new MomoMockError('MOMO_MOCK_CERTIFICATE_UNUSABLE', `${warning}`);
  }
  process.stdout.write(`certificate  ${file}
names        ${namesOf(leaf).join(', ')}
valid until  ${expiresAt.toISOString()}
SHA-256      ${leaf.fingerprint256}
`);
  if (warning) process.stderr.write(`${warning}\n`);
  return 0;
}

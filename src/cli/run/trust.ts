import { readdir, readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { rootCertificates } from 'node:tls';
import { certificateBlocks } from '../../tls/pem.ts';
import type { MockAccess } from './mock-access.ts';

/** The root certificates of common systems. */
const SYSTEM_ROOTS = [
  '/etc/ssl/certs/ca-certificates.crt', // Debian, Alpine, Arch
  '/etc/pki/tls/certs/ca-bundle.crt', // Fedora, Red Hat
  '/etc/ssl/ca-bundle.pem', // openSUSE
  '/etc/ssl/cert.pem', // macOS, BSD
];

/** The variables that name a file of root certificates to trust instead of the usual ones. */
const ROOTS_VARIABLES = ['SSL_CERT_FILE', 'REQUESTS_CA_BUNDLE', 'CURL_CA_BUNDLE'] as const;

export interface TrustFiles {
  readonly variables: Readonly<Record<string, string>>;
  /** The usual root certificates and the mock's certificate. */
  readonly bundle: string;
  readonly warnings: readonly string[];
}

/**
 * Creates the files and variables that make a command trust the mock and everything that it already
 * trusts. A file that a variable names is replaced by a copy with the mock's certificate.
 */
export async function trustFor({ server, file, folder, env }: MockAccess): Promise<TrustFiles> {
  const warnings: string[] = [];
  /** The certificates in the file or folder that a variable names. */
  const named = async (name: string): Promise<string[] | undefined> => {
    const path = env[name] ?? '';
    if (path === '') return undefined;
    const blocks = await certificatesIn(path);
    if (blocks.length > 0) return blocks;
    warnings.push(
      `Failed to read certificates from ${name}: the command will not trust them. Check the path.`,
    );
    return undefined;
  };
  const write = async (name: string, blocks: readonly string[]): Promise<string> => {
    const path = join(folder, name);
    await writeFile(path, `${[...blocks, server.certificate.cert.trim()].join('\n')}\n`);
    return path;
  };

  const usual = (await named('SSL_CERT_FILE')) ?? (await systemRoots());
  const bundle = await write('bundle.pem', usual);
  const variables: Record<string, string> = { NODE_EXTRA_CA_CERTS: file };
  for (const name of ROOTS_VARIABLES) {
    const roots = name === 'SSL_CERT_FILE' ? undefined : await named(name);
    variables[name] = roots === undefined ? bundle : await write(`${name}.pem`, roots);
  }
  const extra = await named('NODE_EXTRA_CA_CERTS');
  if (extra) variables.NODE_EXTRA_CA_CERTS = await write('NODE_EXTRA_CA_CERTS.pem', extra);
  return { variables, bundle, warnings };
}

async function systemRoots(): Promise<readonly string[]> {
  for (const path of SYSTEM_ROOTS) {
    const blocks = await certificatesIn(path);
    if (blocks.length > 0) return blocks;
  }
  return rootCertificates;
}

/** The certificates in a file, or in all files of a folder. */
async function certificatesIn(path: string): Promise<string[]> {
  const names = await readdir(path).catch(() => undefined);
  const files = names?.map((name) => join(path, name)) ?? [path];
  const texts = await Promise.all(files.map((file) => readFile(file, 'latin1').catch(() => '')));
  return [...new Set(texts.flatMap(certificateBlocks))];
}

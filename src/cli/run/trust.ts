import { readdir, readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { rootCertificates } from 'node:tls';
import { certificateBlocks } from '../../tls/pem.ts';

/** Where systems keep the usual roots, in one file. */
const SYSTEM_ROOTS = [
  '/etc/ssl/certs/ca-certificates.crt', // Debian, Alpine, Arch
  '/etc/pki/tls/certs/ca-bundle.crt', // Fedora, Red Hat
  '/etc/ssl/ca-bundle.pem', // openSUSE
  '/etc/ssl/cert.pem', // macOS, BSD
];

/** The variables that name a file of roots to trust instead of the usual ones. */
const INSTEAD = ['SSL_CERT_FILE', 'REQUESTS_CA_BUNDLE', 'CURL_CA_BUNDLE'] as const;

/** What makes a command trust the mock. */
export interface Trust {
  /** For the environment of the command. */
  readonly variables: Readonly<Record<string, string>>;
  /** The file of the usual roots and the mock's certificate. */
  readonly bundle: string;
  /** Sentences for the log. */
  readonly warnings: readonly string[];
}

/** What trust is made from. */
export interface TrustOptions {
  /** Where files can be written. */
  readonly folder: string;
  /** PEM of the mock's certificate. */
  readonly cert: string;
  /** The file that holds it. */
  readonly file: string;
  /** The environment that the command would have. */
  readonly env: Readonly<Record<string, string | undefined>>;
}

/**
 * Makes the files and variables by which a command trusts the mock, beside all that it trusts
 * already: the certificates that a variable names are in the file that it names afterwards.
 */
export async function trustFor({ folder, cert, file, env }: TrustOptions): Promise<Trust> {
  const warnings: string[] = [];
  /** The certificates that a variable names. */
  const named = async (name: string): Promise<string[] | undefined> => {
    const path = env[name] ?? '';
    if (path === '') return undefined;
    const blocks = await certificatesIn(path);
    if (blocks.length > 0) return blocks;
    warnings.push(`Failed to read certificates from ${name}: they are left out. Look at its path.`);
    return undefined;
  };
  const write = async (name: string, blocks: readonly string[]): Promise<string> => {
    const path = join(folder, name);
    await writeFile(path, `${[...blocks, cert.trim()].join('\n')}\n`);
    return path;
  };

  const usual = (await named('SSL_CERT_FILE')) ?? (await systemRoots());
  const bundle = await write('bundle.pem', usual);
  const variables: Record<string, string> = { NODE_EXTRA_CA_CERTS: file };
  for (const name of INSTEAD) {
    const own = name === 'SSL_CERT_FILE' ? undefined : await named(name);
    variables[name] = own === undefined ? bundle : await write(`${name}.pem`, own);
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

/** The certificates in a file, or in all files of a folder: both can be named. */
async function certificatesIn(path: string): Promise<string[]> {
  const names = await readdir(path).catch(() => undefined);
  const files = names?.map((name) => join(path, name)) ?? [path];
  const texts = await Promise.all(files.map((file) => readFile(file, 'latin1').catch(() => '')));
  return [...new Set(texts.flatMap(certificateBlocks))];
}

import { readdir, readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { rootCertificates } from 'node:tls';
import { certificateBlocks } from '../../tls/pem.ts';
import { listProblem, type MockAccess } from './environment.ts';
import { javaTrust } from './java.ts';
import { phpSettings } from './php.ts';

const SYSTEM_ROOTS = [
  '/etc/ssl/certs/ca-certificates.crt', // Debian, Alpine, Arch
  '/etc/pki/tls/certs/ca-bundle.crt', // Fedora, Red Hat
  '/etc/ssl/ca-bundle.pem', // openSUSE
  '/etc/ssl/cert.pem', // macOS, BSD
];

/**
 * Creates the files and variables that make a command trust the mock and everything that it already
 * trusts. A file that a variable names is replaced by a copy with the mock's certificate.
 *
 * @param redirect the variables of `redirectFor`
 * @returns the variables. `SSL_CERT_FILE` is a bundle of the usual root certificates and the mock's
 */
export async function trustFor(
  access: MockAccess,
  redirect: Readonly<Record<string, string>>,
  warn: (text: string) => void,
) {
  const { server, file, folder } = access;
  const named = async (name: string): Promise<string[] | undefined> => {
    const path = process.env[name] ?? '';
    if (path === '') return undefined;
    const blocks = await certificatesIn(path);
    if (blocks.length > 0) return blocks;
    warn(
      `Failed to read certificates from ${name}: the command will not trust them. Check the path.`,
    );
    return undefined;
  };
  const own = certificateBlocks(server.certificate.cert);
  const write = async (name: string, blocks: readonly string[]): Promise<string> => {
    const path = join(folder, name);
    await writeFile(path, `${[...blocks, ...own].join('\n')}\n`);
    return path;
  };

  const usual = (await named('SSL_CERT_FILE')) ?? (await systemRoots());
  const bundle = await write('bundle.pem', usual);
  const problem = listProblem(folder, 'PHP_INI_SCAN_DIR');
  if (problem !== undefined) warn(`Failed to set up PHP: ${problem}`);
  const copyOr = async (name: string, otherwise: string): Promise<string> => {
    const roots = await named(name);
    return roots === undefined ? otherwise : await write(`${name}.pem`, roots);
  };
  return {
    SSL_CERT_FILE: bundle,
    REQUESTS_CA_BUNDLE: await copyOr('REQUESTS_CA_BUNDLE', bundle),
    CURL_CA_BUNDLE: await copyOr('CURL_CA_BUNDLE', bundle),
    NODE_EXTRA_CA_CERTS: await copyOr('NODE_EXTRA_CA_CERTS', file),
    ...(!('PHP_INI_SCAN_DIR' in redirect) && (await phpSettings(folder))),
    ...(await javaTrust(folder, [...usual, ...own], redirect, warn)),
  };
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

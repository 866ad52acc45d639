// The bare server, the Fastify app and momo-mock, and the folder where all are measured.
import { execFile } from 'node:child_process';
import { cpSync, mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout } from 'node:timers/promises';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import { startServer } from './server.mjs';

export const ROOT = fileURLToPath(new URL('..', import.meta.url));
export const SERVERS = join(ROOT, 'bench/servers.cjs');
const CLI = 'node_modules/momo-mock/dist/cli.cjs';
const NPM = ['--ignore-scripts', '--loglevel=error', '--no-audit', '--no-fund'];

/** Runs a program to its end, and returns what it wrote. */
export async function run(file, args, options) {
  const { stdout } = await promisify(execFile)(file, args, { timeout: 300_000, ...options });
  return stdout.trim();
}

/** Installs a package into a folder. Its scripts are not run. */
export async function install(folder, name) {
  writeFileSync(join(folder, 'package.json'), '{"private":true}');
  await run('npm', ['install', ...NPM, name], { cwd: folder });
}

/**
 * Makes a folder with momo-mock in it as users install it, and with the certificate and the body
 * that all sides answer with. It is removed when this process exits.
 */
export async function openWorkshop() {
  const folder = mkdtempSync(join(tmpdir(), 'momo-mock-bench-'));
  process.once('exit', () => rmSync(folder, { recursive: true, force: true }));
  const newFolder = () => mkdtempSync(join(folder, 'run-'));
  const [packed, installed, certs] = [newFolder(), newFolder(), newFolder()];
  const tarball = await run('npm', ['pack', ...NPM, '--pack-destination', folder, ROOT]);
  await install(packed, join(folder, tarball));
  cpSync(packed, installed, { recursive: true });
  await run(process.execPath, [join(installed, CLI), 'cert', '--certs-dir', certs]);
  // The file has more certificates for clients to trust. The first is the server's.
  const [leaf] = readFileSync(join(certs, 'momo-mock.pem'), 'utf8').split(
    /(?<=-----END .*-----\n)/,
  );
  const body = readFileSync(join(ROOT, 'fixtures/momo/balance.get.json'), 'utf8').trimEnd();
  const [cert, bodyFile] = [join(folder, 'cert.pem'), join(folder, 'body.json')];
  writeFileSync(cert, leaf);
  writeFileSync(bodyFile, body);
  const key = join(certs, 'momo-mock-key.pem');
  const workshop = { folder, newFolder, packed, installed, certs, cert, key, body, bodyFile };
  // It keeps the code that V8 compiled, for its next starts.
  const server = await startServer(momoMock(workshop));
  await setTimeout(2000);
  await server.stop('SIGTERM');
  return workshop;
}

/** A server of `servers.cjs`, on the address that the others have. */
export function reference(name, { newFolder, cert, key, bodyFile }) {
  const flags = ['--dns-result-order=ipv4first', SERVERS, name];
  const args = (port) => [...flags, port, cert, key, bodyFile];
  return { name, command: (port) => ({ cwd: newFolder(), args: args(port), ca: cert }) };
}

/**
 * momo-mock as it is shipped: its journal on, its log at info.
 *
 * @param options.isFirst whether each start is a first one, without certificate and compiled code
 * @param options.installed where it is installed, if it is another build
 * @param options.paths what is asked for in turn; the balance by default
 */
export function momoMock(workshop, options = {}) {
  const { name = 'momo-mock', isFirst = false, flags = [], nodeFlags = [], paths } = options;
  const command = (port) => {
    const cwd = workshop.newFolder();
    const installed = isFirst ? join(cwd, 'installed') : (options.installed ?? workshop.installed);
    if (isFirst) cpSync(workshop.packed, installed, { recursive: true });
    const certs = isFirst ? join(cwd, 'certs') : workshop.certs;
    const own = ['--port', port, '--control-port', '0', '--certs-dir', certs, ...flags];
    const ca = join(certs, 'momo-mock.pem');
    return { cwd, args: [...nodeFlags, join(installed, CLI), ...own], ca };
  };
  return { name, paths, command };
}

const numbered = (count) => Array.from({ length: count }, (_, index) => `bench-${index}`);

/** Options of a momo-mock with this many accounts, which are asked for in turn. */
export function manyAccounts(workshop, count = 10_000) {
  const file = join(workshop.newFolder(), 'keys');
  writeFileSync(file, numbered(count).join('\n'));
  const paths = numbered(count).map((key) => `/momo/balance?apikey=${key}`);
  return { flags: ['--api-keys-file', file], paths };
}

/** Options of a momo-mock with this many more operations, which are asked for in turn. */
export function manyOperations(workshop, count = 1000) {
  const tree = workshop.newFolder();
  for (const segment of numbered(count)) {
    writeFileSync(join(tree, `${segment}.get.json`), workshop.body);
  }
  const paths = numbered(count).map((segment) => `/${segment}?apikey=momo_test_key`);
  return { flags: ['--fixtures-dir', tree], paths };
}

/** Flags of a momo-mock whose balance is what a handler always returns. */
export function constantHandler(workshop) {
  const tree = workshop.newFolder();
  mkdirSync(join(tree, 'momo'));
  const handler = `const body = ${workshop.body};\nexport default () => ({ body });\n`;
  writeFileSync(join(tree, 'momo/balance.get.js'), handler);
  return ['--fixtures-dir', tree];
}

// The bare server, the Fastify app, momo-mock and its peers, and the folder where all are measured.
import { execFile } from 'node:child_process';
import {
  cpSync,
  existsSync,
  mkdirSync,
  mkdtempSync,
  readFileSync,
  renameSync,
  rmSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { setTimeout } from 'node:timers/promises';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import { PEERS } from './peers.mjs';
import { nextPort, startServer } from './server.mjs';

export const ROOT = fileURLToPath(new URL('..', import.meta.url));
const SERVERS = join(ROOT, 'bench/servers.cjs');
const CLI = 'node_modules/momo-mock/dist/cli.cjs';
const NPM = ['--ignore-scripts', '--loglevel=error', '--no-audit', '--no-fund'];

/** Runs a program to its end, and returns what it wrote. */
export async function run(file, args, options) {
  const { stdout } = await promisify(execFile)(file, args, { timeout: 300_000, ...options });
  return stdout.trim();
}

/** Installs a package of npm, unless an earlier run has; gives its node_modules. */
export async function installed(name) {
  const folder = join(tmpdir(), 'momo-mock-bench', name.replace('/', '-'));
  if (!existsSync(folder)) {
    const scratch = `${folder}.${process.pid}`;
    await install(scratch, name);
    renameSync(scratch, folder);
  }
  return join(folder, 'node_modules');
}

async function install(folder, name) {
  mkdirSync(folder, { recursive: true });
  writeFileSync(join(folder, 'package.json'), '{"private":true}');
  await run('npm', ['install', ...NPM, name], { cwd: folder });
}

/** A folder that is removed when this process exits. */
function temporaryFolder() {
  const folder = mkdtempSync(join(tmpdir(), 'momo-mock-bench-'));
  process.once('exit', () => rmSync(folder, { recursive: true, force: true }));
  return folder;
}

/** A clean build of a commit of this project; gives its folder. */
export async function builtFrom(commit) {
  const folder = join(temporaryFolder(), 'source');
  await run('git', ['clone', '--quiet', '--no-checkout', ROOT, folder]);
  await run('git', ['checkout', '--quiet', '--detach', commit], { cwd: folder });
  await run('npm', ['ci', ...NPM], { cwd: folder });
  await run('npm', ['run', 'build'], { cwd: folder });
  return folder;
}

/**
 * Makes a folder with momo-mock in it as users install it, and with the certificate and the body
 * that all sides answer with. It is removed when this process exits.
 *
 * @param root the project's folder, built
 */
export async function openWorkshop(root = ROOT) {
  const folder = temporaryFolder();
  const newFolder = () => mkdtempSync(join(folder, 'run-'));
  const [packed, used, certs] = [newFolder(), newFolder(), newFolder()];
  const tarball = await run('npm', ['pack', ...NPM, '--pack-destination', folder, root]);
  await install(packed, join(folder, tarball));
  cpSync(packed, used, { recursive: true });
  await run(process.execPath, [join(used, CLI), 'cert', '--certs-dir', certs]);
  // The file has more certificates for clients to trust. The first is the server's.
  const [leaf] = readFileSync(join(certs, 'momo-mock.pem'), 'utf8').split(
    /(?<=-----END .*-----\n)/,
  );
  const body = readFileSync(join(ROOT, 'fixtures/momo/balance.get.json'), 'utf8').trimEnd();
  const [cert, bodyFile] = [join(folder, 'cert.pem'), join(folder, 'body.json')];
  writeFileSync(cert, leaf);
  writeFileSync(bodyFile, body);
  const key = join(certs, 'momo-mock-key.pem');
  const workshop = { newFolder, packed, used, certs, cert, key, body, bodyFile };
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
 * @param isFirst whether each start is a first one, without certificate and compiled code
 */
export function momoMock(workshop, { name = 'momo-mock', isFirst = false } = {}) {
  const command = (port) => {
    const cwd = workshop.newFolder();
    const place = isFirst ? join(cwd, 'installed') : workshop.used;
    if (isFirst) cpSync(workshop.packed, place, { recursive: true });
    const certs = isFirst ? join(cwd, 'certs') : workshop.certs;
    const own = ['--port', port, '--control-port', '0', '--certs-dir', certs];
    return { cwd, args: [join(place, CLI), ...own], ca: join(certs, 'momo-mock.pem') };
  };
  return { name, command };
}

/** The peers as sides. Each is installed before its first start. */
export function peerSides(workshop) {
  return Object.entries(PEERS).map(([name, startOf]) => {
    const command = async (port) => {
      const modules = await installed(name);
      const cwd = workshop.newFolder();
      const ports = { port, otherPort: nextPort() };
      const start = startOf({ ...workshop, modules, servers: SERVERS, cwd, ...ports });
      for (const [file, content] of Object.entries(start.files ?? {})) {
        mkdirSync(dirname(join(cwd, file)), { recursive: true });
        writeFileSync(join(cwd, file), JSON.stringify(content));
      }
      for (const [program, ...args] of start.prepare ?? []) await run(program, args, { cwd });
      return { cwd, ca: workshop.cert, ...start };
    };
    return { name, isPeer: true, command };
  });
}

import { execFileSync, spawnSync } from 'node:child_process';
import { createServer } from 'node:net';
import { networkInterfaces } from 'node:os';
import { describe, type TaskMeta, type TestContext } from 'vitest';

/** The packages of Debian that bring the commands which some tests need. */
export const PACKAGES = {
  curl: 'curl',
  git: 'git',
  'gnutls-cli': 'gnutls-bin',
  go: 'golang-go',
  java: 'default-jdk-headless',
  javac: 'default-jdk-headless',
  keytool: 'default-jdk-headless',
  nginx: 'nginx-light',
  openssl: 'openssl',
  php: 'php-cli',
  python3: 'python3',
  ruby: 'ruby',
  script: 'bsdutils',
  setsid: 'util-linux',
} as const;

/** A command that some tests need and that is not on every machine. */
export type Command = keyof typeof PACKAGES;

/** Whether a command is on this machine. */
export function has(command: string): boolean {
  try {
    execFileSync('sh', ['-c', `command -v ${command}`], { stdio: 'ignore' });
    return true;
  } catch {
    return false;
  }
}

/** The reasons to skip a test that needs a package of Python, which say what installs it. */
const NO_PACKAGE = {
  pytest: 'pytest is not installed: apt-get install python3-pytest',
  requests: 'requests of Python is not installed: apt-get install python3-requests',
} as const;

/** Skips a test where Python or a package that it needs is not on this machine. */
export function needsPython(
  context: Pick<TestContext, 'skip'>,
  ...packages: (keyof typeof NO_PACKAGE)[]
): void {
  needs(context, 'python3');
  for (const name of packages) {
    const isThere = spawnSync('python3', ['-c', `import ${name}`]).status === 0;
    context.skip(!isThere, NO_PACKAGE[name]);
  }
}

/** Whether this machine has the loopback address of IPv6. */
export const HAS_IPV6 = Object.values(networkInterfaces()).some((list) =>
  list?.some(({ address }) => address === '::1'),
);

/** Skips a test where the machine has no IPv6. */
export function needsIpv6({ skip }: Pick<TestContext, 'skip'>): void {
  skip(!HAS_IPV6, 'this machine has no IPv6');
}

/** Skips a test where `fetch` of this Node uses no proxy of the environment. */
export function needsEnvProxy({ skip }: Pick<TestContext, 'skip'>): void {
  const [major = 0, minor = 0] = process.versions.node.split('.').map(Number);
  const usesProxy = major >= 24 || (major === 22 && minor >= 21);
  skip(!usesProxy, 'this Node uses no proxy of the environment');
}

/** The reason to skip a test that needs a command: it says what installs that. */
export function notInstalled(command: Command): string {
  return `${command} is not installed: apt-get install ${PACKAGES[command]}`;
}

/** Skips a test where a command that it needs is not on this machine. */
export function needs({ skip }: Pick<TestContext, 'skip'>, ...commands: Command[]): void {
  for (const command of commands) skip(!has(command), notInstalled(command));
}

/** What a suite misses, with what installs it; `undefined` where the command is there. */
export function missing(command: Command): string | undefined {
  return has(command) ? undefined : notInstalled(command);
}

/** A suite whose tests are skipped for a reason, if there is one. */
export function describeUnless(
  whySkipped: string | undefined,
  name: string,
  suite: () => void,
): void {
  describe(name, { skip: whySkipped !== undefined, meta: { whySkipped } as TaskMeta }, suite);
}

/** An address for documentation, which no machine has. */
export const FOREIGN_ADDRESS = '192.0.2.1';

/** Skips a test where this machine can listen on {@link FOREIGN_ADDRESS}, or has no IPv4. */
export async function needsForeignAddress({ skip }: Pick<TestContext, 'skip'>): Promise<void> {
  const server = createServer();
  const code = await new Promise<string>((done) => {
    server.once('error', (error: NodeJS.ErrnoException) => done(`${error.code}`));
    server.listen(0, FOREIGN_ADDRESS, () => done('none'));
  });
  server.close();
  const says = code === 'none' ? 'it listens there' : `it says ${code}`;
  skip(code !== 'EADDRNOTAVAIL', `this machine does not reject ${FOREIGN_ADDRESS}: ${says}`);
}

/** A user who owns nothing, for a test that runs as root, whom no mode keeps out. */
export const NOBODY = process.getuid?.() === 0 ? 65534 : undefined;

/** Skips a test where a hosts file cannot be put over the machine's for one process, or 443 is taken. */
export function needsHostsFile({ skip }: Pick<TestContext, 'skip'>): void {
  const reason =
    'only root can put a hosts file in place for one process, and port 443 has to be free';
  const listen = `require('node:net').createServer().on('error', () => process.exit(1)).listen(443, '127.0.0.1', () => process.exit(0))`;
  try {
    const line = 'mount --bind /etc/hosts /etc/hosts';
    execFileSync('unshare', ['--mount', 'sh', '-c', line], { stdio: 'ignore' });
    execFileSync(process.execPath, ['-e', listen], { stdio: 'ignore' });
  } catch {
    skip(reason);
  }
}

import type { X509Certificate } from 'node:crypto';
import { basename, delimiter } from 'node:path';
import { MomoMockError } from '../../errors.ts';
import { hostToRedirect, mockAddress, PRELOAD, RUBY_FOLDER } from '../../redirect/redirect.ts';
import { isValidFor } from '../../tls/names.ts';
import type { MockAccess } from './environment.ts';
import { javaProxy } from './java.ts';
import { phpSettings, phpWarnings } from './php.ts';
import { noProxyEntries, proxiedHosts } from './proxy.ts';
import { redirectPython } from './python.ts';

export function readHosts(text: string): string[] {
  return text.split(',').map((given) => {
    const read = hostToRedirect(given);
    if ('host' in read) return read.host;
    throw new MomoMockError(
      'MOMO_MOCK_USAGE',
      `Failed to read --redirect: ${JSON.stringify(given)} is not a host name of another machine. Use names such as api.example.com, comma-separated.`,
    );
  });
}

/** The value of `MOMO_MOCK_REDIRECT`, which the preloaded module reads. */
interface Instructions {
  /** Those of this run, and those of the runs around it. */
  readonly redirects: readonly { hosts: readonly string[]; target: object; ca: string }[];
  readonly proxy: string | undefined;
  /** Variables of Node processes; null means unset. */
  readonly inNode: Readonly<Record<string, string | null>>;
  /** The same variables of other programs, which use the proxy. */
  readonly forOthers: Readonly<Record<string, string>>;
}

/**
 * Creates the files and variables that redirect hosts. Node, Deno and Bun preload a module that
 * replaces `tls.connect`, Python one that resolves names, and Ruby a file that replaces the host of its
 * sockets. Other programs use the proxy, as do Deno and Bun: Java by its options, and PHP's streams by
 * a file that PHP prepends.
 */
export async function redirectFor(
  hosts: readonly string[],
  access: MockAccess,
  words: readonly string[],
  warn: (text: string) => void,
): Promise<Readonly<Record<string, string>>> {
  const around = instructionsAround(process.env.MOMO_MOCK_REDIRECT);
  if (hosts.length === 0) return {};
  const { server, proxy, file, folder } = access;
  const { HTTPS_PROXY = null, https_proxy = null, NODE_USE_ENV_PROXY = null } = process.env;
  const { url, certificate } = server;
  const forOthers: Instructions['forOthers'] = proxy
    ? { ...proxiedHosts(proxy, hosts, warn), ...USE_ENV_PROXY }
    : (around?.forOthers ?? {});
  const direct = [...noProxyEntries(), ...hosts].join();
  const noProxy = { NO_PROXY: direct, no_proxy: direct };
  const all = { HTTPS_PROXY, https_proxy, ...noProxy, NODE_USE_ENV_PROXY };
  const instructions: Instructions = {
    redirects: [
      { hosts, target: mockAddress(url, certificate.cert), ca: file },
      ...(around?.redirects ?? []),
    ],
    proxy: proxy ?? around?.proxy,
    inNode: Object.fromEntries(Object.entries(all).filter(([name]) => name in forOthers)),
    forOthers,
  };
  const warnings =
    proxy === undefined
      ? [
          `${NOT_PROXIED}: the control API, which is their proxy, is off. Set --control-port to a port.`,
        ]
      : [
          ...invalidFor(certificate.leaf, hosts),
          ...forgottenBy(hosts, around),
          ...phpWarnings(words),
        ];
  for (const text of warnings) warn(text);
  return {
    ...forOthers,
    ...preloadOptions(),
    MOMO_MOCK_REDIRECT: JSON.stringify(instructions),
    ...rubyOptions(),
    ...(await redirectPython(folder, warn)),
    ...(proxy && (await phpSettings(folder, certificate))),
    ...(proxy && javaProxy(proxy, forOthers.NO_PROXY ?? '')),
  };
}

/** @throws MomoMockError `MOMO_MOCK_USAGE` for a value that a user sets */
function instructionsAround(text = ''): Instructions | undefined {
  if (text === '') return undefined;
  try {
    const instructions: Instructions = JSON.parse(text);
    if (Array.isArray(instructions.redirects)) return instructions;
  } catch {}
  throw new MomoMockError(
    'MOMO_MOCK_USAGE',
    'Failed to read MOMO_MOCK_REDIRECT: momo-mock run sets it for its command, and it is not a setting. Unset it, and use --redirect HOST.',
  );
}

/**
 * For Node programs that do not preload the module, because their `NODE_OPTIONS` are replaced. Node
 * 22 writes a warning in every process that has this variable.
 */
const USE_ENV_PROXY = Number.parseInt(process.versions.node, 10) >= 24 && {
  NODE_USE_ENV_PROXY: '1',
};

function preloadOptions(): Record<string, string> {
  const { NODE_OPTIONS = '', BUN_OPTIONS = '' } = process.env;
  const inNode = `--require ${JSON.stringify(PRELOAD)}`;
  const inBun = JSON.stringify(`--preload=${PRELOAD}`);
  return {
    NODE_OPTIONS: NODE_OPTIONS.includes(inNode) ? NODE_OPTIONS : `${NODE_OPTIONS} ${inNode}`.trim(),
    // It comes first, because Bun takes a quoted text behind a flag as the value of the flag.
    BUN_OPTIONS: BUN_OPTIONS.includes(inBun) ? BUN_OPTIONS : `${inBun} ${BUN_OPTIONS}`.trim(),
  };
}

/** `RUBYOPT` cannot contain a path with a space. */
function rubyOptions() {
  const { RUBYOPT = '', RUBYLIB } = process.env;
  return {
    RUBYOPT: `${RUBYOPT} -rmomo_mock_redirect`.trim(),
    RUBYLIB: [...(RUBYLIB ? [RUBYLIB] : []), RUBY_FOLDER].join(delimiter),
  };
}

const NOT_PROXIED = 'Failed to redirect programs that use a proxy';

function invalidFor(leaf: X509Certificate, hosts: readonly string[]): string[] {
  const missing = hosts.filter((host) => !isValidFor(leaf, host));
  const why = 'your certificate is not valid for it. Add the name to it.';
  return missing.map((host) => `Failed to redirect programs other than Node to ${host}: ${why}`);
}

/** The hosts of a run around this one, which have another proxy. */
function forgottenBy(hosts: readonly string[], around: Instructions | undefined): string[] {
  const outer = (around?.redirects ?? []).flatMap((redirect) => redirect.hosts);
  const forgotten = [...new Set(outer)].filter((host) => !hosts.includes(host));
  return forgotten.map((host) => {
    const why = "a program has one proxy, and this run's refuses hosts of the run around it";
    return `${NOT_PROXIED} to ${host}: ${why}. Use one run with --redirect ${[host, ...hosts].join()}.`;
  });
}

/** What asks the real host in spite of a redirect, by the beginning of the program's name. */
const NOT_REDIRECTED: Readonly<Record<string, string>> = {
  bun: 'a Bun that ignores BUN_OPTIONS is redirected only in fetch',
  deno: 'without --allow-env and --allow-read, only fetch is redirected',
  java: "a client that does not read Java's proxy properties, such as Apache HttpClient, is not redirected",
  python:
    'clients that do not use socket, such as uvloop, are not redirected, nor is Python with -I, -E or -S',
  ruby: 'clients that look up names by themselves, and read no https_proxy, are not redirected',
};

/**
 * For the end of a run that redirects hosts, and whose command did not reach the mock.
 *
 * @returns `undefined` for a program of which nothing is known, such as npm
 */
export function unreachedLine(
  hosts: readonly string[],
  [program = '']: readonly string[],
): string | undefined {
  const name = Object.keys(NOT_REDIRECTED).find((known) => basename(program).startsWith(known));
  if (name === undefined || hosts.length === 0) return undefined;
  const why = NOT_REDIRECTED[name];
  return `If ${name} sent requests to ${hosts.join(', ')}, they reached the real host: ${why}. Set the base URL of the client, as in --set MOMO_BASE_URL={url}, or add an entry for the host to /etc/hosts.`;
}

import type { X509Certificate } from 'node:crypto';
import { mkdir, writeFile } from 'node:fs/promises';
import { basename, delimiter, join } from 'node:path';
import { MomoMockError } from '../../errors.ts';
import { mockAddress, PRELOAD, redirectedHost } from '../../redirect/redirect.ts';
import { isValidFor } from '../../tls/names.ts';
import type { MockAccess } from './environment.ts';
import { noProxyEntries, proxiedHosts } from './proxy.ts';
import { redirectPython } from './python.ts';

export function readHosts(text: string): string[] {
  return text.split(',').map((given) => {
    const read = redirectedHost(given);
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
  readonly routes: readonly { hosts: readonly string[]; target: object; ca: string }[];
  readonly proxy: string | undefined;
  /** Variables of Node processes; null means unset. */
  readonly inNode: Readonly<Record<string, string | null>>;
  /** The same variables of other programs, which use the proxy. */
  readonly forOthers: Readonly<Record<string, string>>;
}

/**
 * Creates the files and variables that redirect hosts. Node, Deno and Bun preload a module that
 * replaces `tls.connect`, and Python one that resolves names. Other programs use the proxy, as do
 * Deno and Bun. PHP's streams need a file that PHP prepends.
 */
export async function redirectFor(
  hosts: readonly string[],
  { server, proxy, file, folder }: MockAccess,
  words: readonly string[],
  warn: (text: string) => void,
): Promise<Readonly<Record<string, string>>> {
  const around = instructionsAround(process.env.MOMO_MOCK_REDIRECT);
  if (hosts.length === 0) return {};
  const { HTTPS_PROXY = null, https_proxy = null, NODE_USE_ENV_PROXY = null } = process.env;
  const { url, certificate } = server;
  const forOthers: Instructions['forOthers'] = proxy
    ? { ...proxiedHosts(proxy, hosts, warn), ...USE_ENV_PROXY }
    : (around?.forOthers ?? {});
  const direct = [...noProxyEntries(), ...hosts].join();
  const noProxy = { NO_PROXY: direct, no_proxy: direct };
  const all = { HTTPS_PROXY, https_proxy, ...noProxy, NODE_USE_ENV_PROXY };
  const instructions: Instructions = {
    routes: [
      { hosts, target: mockAddress(url, certificate.cert), ca: file },
      ...(around?.routes ?? []),
    ],
    proxy: proxy ?? around?.proxy,
    inNode: Object.fromEntries(Object.entries(all).filter(([name]) => name in forOthers)),
    forOthers,
  };
  const php = join(folder, 'php');
  const isForPhp = proxy !== undefined && !php.includes(delimiter);
  const warnings =
    proxy === undefined
      ? [
          `${ONLY_NODE} and Python: the control API, which is their proxy, is off. Set --control-port to a port.`,
        ]
      : [
          ...invalidFor(certificate.leaf, hosts),
          ...forgottenBy(hosts, around),
          ...phpWarnings(php, words),
        ];
  for (const text of warnings) warn(text);
  return {
    ...forOthers,
    ...preloadOptions(),
    MOMO_MOCK_REDIRECT: JSON.stringify(instructions),
    ...(isForPhp && (await redirectPhp(php, certificate))),
    ...(await redirectPython(folder, warn)),
  };
}

/** @throws MomoMockError `MOMO_MOCK_USAGE` for a value that a user sets */
function instructionsAround(text = ''): Instructions | undefined {
  if (text === '') return undefined;
  try {
    const instructions: Instructions = JSON.parse(text);
    if (Array.isArray(instructions.routes)) return instructions;
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

const ONLY_NODE = 'Failed to redirect programs other than Node';

function invalidFor(leaf: X509Certificate, hosts: readonly string[]): string[] {
  const missing = hosts.filter((host) => !isValidFor(leaf, host));
  const why = 'your certificate is not valid for it. Add the name to it.';
  return missing.map((host) => `${ONLY_NODE} to ${host}: ${why}`);
}

/** The hosts of a run around this one, which have another proxy. */
function forgottenBy(hosts: readonly string[], around: Instructions | undefined): string[] {
  const outer = (around?.routes ?? []).flatMap((route) => route.hosts);
  const forgotten = [...new Set(outer)].filter((host) => !hosts.includes(host));
  return forgotten.map((host) => {
    const why = "a program has one proxy, and this run's refuses hosts of the run around it";
    return `${ONLY_NODE} to ${host}: ${why}. Use one run with --redirect ${[host, ...hosts].join()}.`;
  });
}

function phpWarnings(php: string, [program = '', ...words]: readonly string[]): string[] {
  const failed = "Failed to redirect PHP's streams, such as file_get_contents";
  if (php.includes(delimiter)) {
    const why = `the path ${php} contains "${delimiter}", which separates paths in PHP_INI_SCAN_DIR`;
    return [`${failed}: ${why}. Set TMPDIR to another folder.`];
  }
  if (!/^php[\d.]*(\.exe)?$/i.test(basename(program))) return [];
  const script = words.findIndex(
    (word, at) => !word.startsWith('-') && !TAKES_VALUE.test(words[at - 1] ?? ''),
  );
  const flags = script === -1 ? words : words.slice(0, script);
  const has = (...names: string[]) => flags.some((flag) => names.includes(flag));
  if (has('-n', '--no-php-ini')) {
    return [`${failed}: php -n reads no settings, so they reach the real host. Remove -n.`];
  }
  if (!has('-r', '--run')) return [];
  return [`${failed}: php -r prepends no file, so their requests fail. Run a file.`];
}

/** Flags of PHP to which the next word belongs. */
const TAKES_VALUE = /^(-[cdz]|--php-ini|--define|--zend-extension)$/;

/** Returns the variable that makes PHP read the files. */
async function redirectPhp(
  php: string,
  { cert, leaf }: MockAccess['server']['certificate'],
): Promise<Record<string, string>> {
  const quoted = (name: string) => `"${join(php, name).replace(/["$\\]/g, '\\$&')}"`;
  // Streams that nothing redirects, such as those of php -r, fail if they trust only the mock.
  const isSelfSigned = leaf.verify(leaf.publicKey);
  await mkdir(php);
  await writeFile(join(php, 'redirect.php'), PREPENDED);
  await writeFile(join(php, 'momo-mock.pem'), cert);
  await writeFile(
    join(php, 'momo-mock.ini'),
    `auto_prepend_file = ${quoted('redirect.php')}
curl.cainfo = \${CURL_CA_BUNDLE}
openssl.cafile = ${isSelfSigned ? quoted('momo-mock.pem') : `\${SSL_CERT_FILE}`}
`,
  );
  const { PHP_INI_SCAN_DIR: folders } = process.env;
  // In PHP, an empty entry means its default folder, and an empty variable means no folder.
  return { PHP_INI_SCAN_DIR: folders === '' ? php : [folders ?? '', php].join(delimiter) };
}

const PREPENDED = `<?php
// PHP's streams read no proxy variable.
(function () {
    $given = json_decode((string) getenv('MOMO_MOCK_REDIRECT'), true);
    if (!isset($given['proxy'])) {
        return;
    }
    $proxy = parse_url($given['proxy']);
    $http = ['proxy' => "tcp://{$proxy['host']}:{$proxy['port']}"];
    if (isset($proxy['pass'])) {
        $pair = $proxy['user'] . ':' . rawurldecode($proxy['pass']);
        $http['header'] = 'Proxy-Authorization: Basic ' . base64_encode($pair);
    }
    stream_context_set_default(['http' => $http]);
})();
`;

import { mkdir, writeFile } from 'node:fs/promises';
import { delimiter, join } from 'node:path';
import { MomoMockError } from '../../errors.ts';
import { PRELOAD, targetOf } from '../../redirect/redirect.ts';
import type { MockServer } from '../../server.ts';
import { canonicalName, isValidFor, LOOPBACK_NAMES } from '../../tls/names.ts';
import { ownExceptions, proxiedHosts, proxyUrl } from './proxy.ts';

type Environment = Readonly<Record<string, string | undefined>>;

export interface Redirect {
  readonly variables: Readonly<Record<string, string>>;
  readonly warnings: readonly string[];
}

export interface RedirectOptions {
  readonly mock: Pick<MockServer, 'url' | 'controlUrl' | 'certificate'>;
  /** The control API's token. */
  readonly token: string | undefined;
  /** The path of the mock's certificate. */
  readonly file: string;
  /** A writable folder for the files. */
  readonly folder: string;
  /** The environment without these variables. */
  readonly env: Environment;
}

/** @throws MomoMockError `MOMO_MOCK_USAGE` */
export function readHosts(text: string): string[] {
  const hosts = text.split(',').map((given) => {
    const name = canonicalName(given);
    if (name !== undefined && !name.includes('*') && !LOOPBACK_NAMES.includes(name)) return name;
    throw new MomoMockError(
      'MOMO_MOCK_USAGE',
      `Failed to read --redirect: ${JSON.stringify(given)} is not a host name of another machine. Use names such as api.example.com, comma-separated.`,
    );
  });
  return [...new Set(hosts)];
}

/**
 * Creates the files and variables that redirect hosts. Node preloads a module that replaces
 * `tls.connect`. Other programs use the proxy. PHP's streams need a file that PHP prepends.
 */
export async function redirectFor(
  hosts: readonly string[],
  { mock, token, file, folder, env }: RedirectOptions,
): Promise<Redirect> {
  if (hosts.length === 0) return { variables: {}, warnings: [] };
  const { url, controlUrl, certificate } = mock;
  const proxy = controlUrl === null ? undefined : proxyUrl(controlUrl, token);
  const forOthers = proxy === undefined ? {} : proxiedHosts(proxy, hosts, env);
  const direct = [...ownExceptions(env), ...hosts].join();
  const userProxy = { HTTPS_PROXY: env.HTTPS_PROXY, https_proxy: env.https_proxy };
  const inNode = proxy === undefined ? {} : { ...userProxy, NO_PROXY: direct, no_proxy: direct };
  const instructions = {
    hosts,
    target: targetOf(url, certificate.cert),
    ca: file,
    proxy,
    inNode: Object.fromEntries(
      Object.entries(inNode).map(([name, value]) => [name, value ?? null]),
    ),
    forOthers,
  };
  return {
    variables: {
      ...forOthers,
      NODE_OPTIONS: `${env.NODE_OPTIONS ?? ''} --require ${JSON.stringify(PRELOAD)}`.trim(),
      MOMO_MOCK_REDIRECT: JSON.stringify(instructions),
      ...(proxy !== undefined && { PHP_INI_SCAN_DIR: await phpFolders(folder, env) }),
    },
    warnings: warningsOf(hosts, mock),
  };
}

function warningsOf(
  hosts: readonly string[],
  { controlUrl, certificate }: RedirectOptions['mock'],
) {
  const only = 'Failed to redirect programs other than Node';
  if (controlUrl === null) {
    return [
      `${only}: the control API, which is their proxy, is off. Set --control-port to a port.`,
    ];
  }
  const { leaf } = certificate;
  return hosts
    .filter((host) => !isValidFor(leaf, host))
    .map((host) => `${only} to ${host}: your certificate is not valid for it. Add the name to it.`);
}

/** Writes PHP's settings. Returns the folders that PHP reads its settings from. */
async function phpFolders(
  folder: string,
  { PHP_INI_SCAN_DIR: folders }: Environment,
): Promise<string> {
  const php = join(folder, 'php');
  const prepended = join(php, 'redirect.php');
  await mkdir(php);
  await writeFile(prepended, PREPENDED);
  await writeFile(
    join(php, 'momo-mock.ini'),
    `auto_prepend_file = "${prepended}"
curl.cainfo = \${CURL_CA_BUNDLE}
openssl.cafile = \${SSL_CERT_FILE}
`,
  );
  // In PHP, an empty entry means its default folder, and an empty variable means no folder.
  return folders === '' ? php : [folders ?? '', php].join(delimiter);
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

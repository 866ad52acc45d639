import type { X509Certificate } from 'node:crypto';
import { mkdir, writeFile } from 'node:fs/promises';
import { delimiter, join } from 'node:path';
import { MomoMockError } from '../../errors.ts';
import { mockAddress, PRELOAD } from '../../redirect/redirect.ts';
import { redirectedHost } from '../../redirect/redirected-host.ts';
import { isValidFor } from '../../tls/names.ts';
import type { MockAccess } from './mock-access.ts';
import { noProxyEntries, proxiedHosts } from './proxy.ts';

export interface Redirect {
  readonly variables: Readonly<Record<string, string>>;
  readonly warnings: readonly string[];
}

/** @throws MomoMockError `MOMO_MOCK_USAGE` */
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

/**
 * Creates the files and variables that redirect hosts. Node preloads a module that replaces
 * `tls.connect`. Other programs use the proxy. PHP's streams need a file that PHP prepends.
 */
export async function redirectFor(
  hosts: readonly string[],
  { server, proxy, file, folder, env }: MockAccess,
): Promise<Redirect> {
  if (hosts.length === 0) return { variables: {}, warnings: [] };
  const { url, certificate } = server;
  const forOthers = proxy ? proxiedHosts(proxy, hosts, env) : {};
  const direct = [...noProxyEntries(env), ...hosts].join();
  const { HTTPS_PROXY = null, https_proxy = null } = env;
  const instructions = {
    hosts,
    target: mockAddress(url, certificate.cert),
    ca: file,
    proxy,
    inNode: proxy ? { HTTPS_PROXY, https_proxy, NO_PROXY: direct, no_proxy: direct } : {},
    forOthers,
  };
  return {
    variables: {
      ...forOthers,
      NODE_OPTIONS: `${env.NODE_OPTIONS ?? ''} --require ${JSON.stringify(PRELOAD)}`.trim(),
      MOMO_MOCK_REDIRECT: JSON.stringify(instructions),
      ...(proxy !== undefined && { PHP_INI_SCAN_DIR: await phpFolders(folder, env) }),
    },
    warnings: warningsOf(hosts, proxy, certificate.leaf),
  };
}

function warningsOf(
  hosts: readonly string[],
  proxy: string | undefined,
  leaf: X509Certificate,
): string[] {
  const only = 'Failed to redirect programs other than Node';
  if (proxy === undefined) {
    return [
      `${only}: the control API, which is their proxy, is off. Set --control-port to a port.`,
    ];
  }
  return hosts
    .filter((host) => !isValidFor(leaf, host))
    .map((host) => `${only} to ${host}: your certificate is not valid for it. Add the name to it.`);
}

/** Writes PHP's settings. Returns the folders that PHP reads its settings from. */
async function phpFolders(
  folder: string,
  { PHP_INI_SCAN_DIR: folders }: NodeJS.ProcessEnv,
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

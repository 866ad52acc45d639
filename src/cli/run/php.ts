import { mkdir, writeFile } from 'node:fs/promises';
import { basename, delimiter, join } from 'node:path';
import { listProblem, type MockAccess } from './environment.ts';

/**
 * Returns the variable that makes PHP read the settings, if it can list the folder.
 *
 * @param redirected the certificate of a mock to which PHP's streams are redirected
 */
export async function phpSettings(
  folder: string,
  redirected?: MockAccess['server']['certificate'],
): Promise<{ readonly PHP_INI_SCAN_DIR?: string }> {
  if (listProblem(folder, 'PHP_INI_SCAN_DIR') !== undefined) return {};
  const php = join(folder, 'php');
  const quoted = (name: string) => `"${join(php, name).replace(/["$\\]/g, '\\$&')}"`;
  const { cert = '', leaf } = redirected ?? {};
  // Streams that nothing redirects, such as those of php -r, fail if they trust only the mock.
  const isSelfSigned = leaf?.verify(leaf.publicKey);
  const settings = [
    `curl.cainfo = \${CURL_CA_BUNDLE}`,
    `openssl.cafile = ${isSelfSigned ? quoted('momo-mock.pem') : `\${SSL_CERT_FILE}`}`,
    ...(redirected ? [`auto_prepend_file = ${quoted('redirect.php')}`] : []),
  ];
  await mkdir(php);
  await writeFile(join(php, 'momo-mock.ini'), `${settings.join('\n')}\n`);
  if (redirected) {
    await writeFile(join(php, 'redirect.php'), PREPENDED);
    await writeFile(join(php, 'momo-mock.pem'), cert);
  }
  const { PHP_INI_SCAN_DIR: folders } = process.env;
  // In PHP, an empty entry means its default folder, and an empty variable means no folder.
  return { PHP_INI_SCAN_DIR: folders === '' ? php : [folders ?? '', php].join(delimiter) };
}

/** Why the streams of a command are not redirected. */
export function phpWarnings([program = '', ...words]: readonly string[]): string[] {
  if (!/^php[\d.]*(\.exe)?$/i.test(basename(program))) return [];
  const failed = "Failed to redirect PHP's streams, such as file_get_contents";
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

import { relative } from 'node:path';
import { reachableHost } from '../net/host.ts';
import type { MockServer } from '../server/mock-server.ts';
import { DEFAULT_KEY } from '../settings/api-keys.ts';
import type { Config } from '../settings/config.ts';

/** @param isFolderIgnored whether there is a folder `fixtures` that is ignored */
export function banner(
  server: MockServer,
  { isDefaultKey, PRESET }: Config,
  isFolderIgnored: boolean,
): string {
  const { url, controlUrl, mock } = server;
  const [place, trust] = certificateOf(server);
  const { query, headers, user } = mock.keyRule.carry(isDefaultKey ? DEFAULT_KEY : '<your key>');
  const options = [
    trust,
    ...Object.entries(headers).map(([name, value]) => `-H "${name}: ${value}"`),
    ...(user === null ? [] : [`-u "${user}:"`]),
  ].join(' ');
  const [method = '', path = ''] = server.example?.split(' ') ?? [];
  const search = Object.entries(query).map(([name, value]) => `?${name}=${value}`);
  const curl = method === 'GET' ? 'curl' : `curl -X ${method}`;
  return [
    '',
    `  service      ${url}`,
    ...(PRESET === undefined ? [] : [`  preset       ${PRESET}`]),
    `  control API  ${controlUrl === null ? 'off' : `${controlUrl} (in a browser: the live page)`}`,
    `  certificate  ${place}`,
    ...(isFolderIgnored ? ['  fixtures     the folder fixtures is ignored'] : []),
    ...(path === '' ? [] : [`  try it       ${curl} ${options} "${url}${path}${search.join('')}"`]),
    '\n',
  ].join('\n');
}

/** A warning if the configured host does not resolve to this machine. */
export function hostElsewhere(host: string, url: string): string | undefined {
  if (new URL(url).hostname !== 'localhost' || reachableHost(host) === 'localhost')
    return undefined;
  return `The service listens on localhost, because ${host} does not resolve to this machine; the certificate includes the name. To send clients of ${host} here, add a line to /etc/hosts, or use the proxy: momo-mock run --proxy.`;
}

function certificateOf({ controlUrl, certificate }: MockServer): [place: string, trust: string] {
  if (certificate.file !== null) {
    const path = relative(process.cwd(), certificate.file);
    const file = path.startsWith('..') ? certificate.file : path;
    return [file, `--cacert ${/^[\w./-]+$/.test(file) ? file : `'${file}'`}`];
  }
  if (controlUrl === null) return ['in memory only', '--insecure'];
  const url = `${controlUrl}/certificate`;
  return [`in memory only, served at ${url}`, `--cacert <(curl -s ${url})`];
}

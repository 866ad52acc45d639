import { relative } from 'node:path';
import { reachableHost } from '../net/host.ts';
import type { MockServer } from '../server/mock-server.ts';
import { DEFAULT_KEY } from '../settings/api-keys.ts';
import type { Config } from '../settings/config.ts';

/** @param isFolderIgnored whether there is a folder `fixtures` that is ignored */
export function banner(
  server: MockServer,
  { isDefaultKey }: Config,
  isFolderIgnored: boolean,
): string {
  const { url, controlUrl } = server;
  const [place, trust] = certificateOf(server);
  const { query, headers, user } = server.mock.keyRule.carry(
    isDefaultKey ? DEFAULT_KEY : '<your key>',
  );
  const options = [
    trust,
    ...Object.entries(headers).map(([name, value]) => `-H "${name}: ${value}"`),
    ...(user === null ? [] : [`-u "${user}:"`]),
  ].join(' ');
  const search = Object.entries(query).map(([name, value]) => `?${name}=${value}`);
  return `
  service      ${url}/momo/balance
  control API  ${controlUrl === null ? 'off' : `${controlUrl} (in a browser: the live page)`}
  certificate  ${place}
${isFolderIgnored ? '  fixtures     only the shipped ones: the folder fixtures is ignored\n' : ''}  try it       curl ${options} "${url}/momo/balance${search.join('')}"

`;
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

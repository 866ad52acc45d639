import { relative } from 'node:path';
import { reachableHost } from '../net/host.ts';
import type { MockServer } from '../server.ts';
import { DEFAULT_KEY } from '../settings/api-keys.ts';

/** The text for a terminal when the mock is ready: its URLs, and a request to try. */
export function banner(mock: MockServer, isDefaultKey: boolean): string {
  const { url, controlUrl, certificate } = mock;
  const file = certificate.file && shortest(certificate.file);
  const key = isDefaultKey ? DEFAULT_KEY : '<your key>';
  return `
  service      ${url}/momo/balance
  control API  ${controlUrl === null ? 'off' : `${controlUrl} (in a browser: the live page)`}
  certificate  ${file ?? inMemory(mock)}
  try it       curl ${trust(mock, file)} "${url}/momo/balance?apikey=${key}"

`;
}

/**
 * The warning that the service listens on localhost, because the configured host does not resolve
 * to this machine; `undefined` if it does.
 *
 * @param host the configured host
 * @param url the URL of the service
 */
export function hostElsewhere(host: string, url: string): string | undefined {
  if (new URL(url).hostname !== 'localhost' || reachableHost(host) === 'localhost')
    return undefined;
  return `The service listens on localhost, because ${host} does not resolve to this machine; the certificate includes the name. To send clients of ${host} here, add a line to /etc/hosts, or use the proxy: momo-mock run --proxy.`;
}

function inMemory({ controlUrl }: MockServer): string {
  return controlUrl === null
    ? 'in memory only'
    : `in memory only, served at ${controlUrl}/certificate`;
}

function trust({ controlUrl }: MockServer, file: string | null): string {
  if (file !== null) return `--cacert ${/^[\w./-]+$/.test(file) ? file : `'${file}'`}`;
  return controlUrl === null ? '--insecure' : `--cacert <(curl -s ${controlUrl}/certificate)`;
}

function shortest(file: string): string {
  const near = relative(process.cwd(), file);
  return near.startsWith('..') ? file : near;
}

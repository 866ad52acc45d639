import { relative } from 'node:path';
import { DEFAULT_KEY } from '../config/api-keys.ts';
import { reachableHost } from '../net/host.ts';
import type { MockServer } from '../server.ts';

/** What a person at a terminal needs once the mock is up: its URL, and a request to try. */
export function banner(mock: MockServer, isDefaultKey: boolean): string {
  const { url, controlUrl, certificate } = mock;
  const file = certificate.file && shortest(certificate.file);
  const key = isDefaultKey ? DEFAULT_KEY : '<your key>';
  return `
  service      ${url}/momo/balance
  control API  ${controlUrl ?? 'off'}
  certificate  ${file ?? inMemory(mock)}
  try it       curl ${trust(mock, file)} "${url}/momo/balance?apikey=${key}"

`;
}

/**
 * The warning where the host's name does not lead to this machine, so that the service listens on
 * localhost; `undefined` where it does.
 *
 * @param host as it is configured
 * @param url of the service
 */
export function hostElsewhere(host: string, url: string): string | undefined {
  if (new URL(url).hostname !== 'localhost' || reachableHost(host) === 'localhost')
    return undefined;
  return `The service listens on localhost, since ${host} does not lead to this machine; the name is on the certificate. Lead its clients here by a line in /etc/hosts, or by the proxy: momo-mock run --proxy.`;
}

function inMemory({ controlUrl }: MockServer): string {
  return controlUrl === null
    ? 'in memory only'
    : `in memory only, ${controlUrl}/certificate has it`;
}

function trust({ controlUrl }: MockServer, file: string | null): string {
  if (file !== null) return `--cacert ${/^[\w./-]+$/.test(file) ? file : `'${file}'`}`;
  return controlUrl === null ? '--insecure' : `--cacert <(curl -s ${controlUrl}/certificate)`;
}

function shortest(file: string): string {
  const near = relative(process.cwd(), file);
  return near.startsWith('..') ? file : near;
}

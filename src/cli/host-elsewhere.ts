import { reachableHost } from '../net/host.ts';

/**
 * What to say where the host's name does not lead to this machine, so that the service listens on
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

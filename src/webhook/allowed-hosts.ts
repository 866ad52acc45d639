import { lookup as dnsLookup, type LookupAddress } from 'node:dns';
import { BlockList, isIP, type LookupFunction } from 'node:net';
import { isOwnAddress } from '../net/listen.ts';
import { bareHost } from '../tls/names.ts';

const LOOPBACK = new BlockList();
LOOPBACK.addSubnet('127.0.0.0', 8, 'ipv4');
LOOPBACK.addAddress('::1', 'ipv6');

const LOCALHOST = /(^|\.)localhost$/;

export const HOST_NOT_ALLOWED = 'MOMO_MOCK_HOST_NOT_ALLOWED';

/**
 * Decides which hosts webhooks may reach: this machine apart from the mocks of this process, and the
 * configured hosts.
 */
export class AllowedHosts {
  readonly #hosts: ReadonlySet<string>;

  /** @param hosts names, wildcards such as `*.example.com` and addresses in canonical form */
  constructor(hosts: readonly string[]) {
    this.#hosts = new Set(hosts);
  }

  /** A name that it allows may still have no allowed address: see {@link lookupFor}. */
  allows(hostname: string, port: number): boolean {
    const host = withoutDot(bareHost(hostname));
    if (isIP(host) !== 0) return this.#allowsAddress(host, port);
    return this.#allowsName(host) || LOCALHOST.test(host);
  }

  /** The connection uses its result, so the name cannot resolve to another address in between. */
  lookupFor(port: number): LookupFunction {
    return (hostname, options, callback) => {
      const isNamed = this.#allowsName(withoutDot(hostname));
      dnsLookup(hostname, { ...options, all: true }, (error, addresses: LookupAddress[]) => {
        if (error !== null) return callback(error, '', 0);
        const allowed = addresses.filter(({ address }) =>
          isNamed ? !isOwnAddress(address, port) : this.#allowsAddress(address, port),
        );
        const [first] = allowed;
        if (first === undefined) {
          return callback(Object.assign(new Error(), { code: HOST_NOT_ALLOWED }), '', 0);
        }
        if (options.all === true) callback(null, allowed);
        else callback(null, first.address, first.family);
      });
    };
  }

  #allowsAddress(address: string, port: number): boolean {
    const family = isIP(address) === 6 ? 'ipv6' : 'ipv4';
    const isAllowed = LOOPBACK.check(address, family) || this.#hosts.has(address);
    return isAllowed && !isOwnAddress(address, port);
  }

  #allowsName(name: string): boolean {
    const [, parent] = /^[^.]+\.(.+)$/.exec(name) ?? [];
    return this.#hosts.has(name) || this.#hosts.has(`*.${parent}`);
  }
}

function withoutDot(host: string): string {
  return host.replace(/\.$/, '');
}

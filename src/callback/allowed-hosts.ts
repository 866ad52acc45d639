import { lookup as dnsLookup, type LookupAddress } from 'node:dns';
import { BlockList, isIP, type LookupFunction } from 'node:net';

const LOOPBACK = new BlockList();
LOOPBACK.addSubnet('127.0.0.0', 8, 'ipv4');
LOOPBACK.addAddress('::1', 'ipv6');

/** The code of the error for a host that callbacks may not go to. */
export const HOST_NOT_ALLOWED = 'MOMO_MOCK_HOST_NOT_ALLOWED';

/** Decides which hosts callbacks may go to: this machine, and the configured ones. */
export class AllowedHosts {
  readonly #hosts: ReadonlySet<string>;

  /** @param hosts names, wildcards such as `*.example.com` and addresses in canonical form */
  constructor(hosts: readonly string[]) {
    this.#hosts = new Set(hosts);
  }

  /**
   * Whether a URL may be called if its host is an address; a name counts as allowed, because
   * {@link lookup} decides about its addresses.
   *
   * @param hostname as in a URL
   */
  allows(hostname: string): boolean {
    const host = bare(hostname);
    return isIP(host) === 0 || this.#allowsAddress(host);
  }

  /**
   * Looks up the addresses of a name for a connection, and leaves out those that callbacks may not
   * go to. Since the connection uses the result, a name cannot lead elsewhere in between.
   */
  readonly lookup: LookupFunction = (hostname, options, callback) => {
    const isNamed = this.#allowsName(bare(hostname));
    dnsLookup(hostname, { ...options, all: true }, (error, found: LookupAddress[]) => {
      if (error !== null) return callback(error, '', 0);
      const allowed = found.filter(({ address }) => isNamed || this.#allowsAddress(address));
      const [first] = allowed;
      if (first === undefined) {
        return callback(Object.assign(new Error(), { code: HOST_NOT_ALLOWED }), '', 0);
      }
      if (options.all === true) callback(null, allowed);
      else callback(null, first.address, first.family);
    });
  };

  #allowsAddress(address: string): boolean {
    const family = isIP(address) === 6 ? 'ipv6' : 'ipv4';
    return LOOPBACK.check(address, family) || this.#hosts.has(address);
  }

  #allowsName(name: string): boolean {
    const [, parent] = /^[^.]+\.(.+)$/.exec(name) ?? [];
    return this.#hosts.has(name) || this.#hosts.has(`*.${parent}`);
  }
}

/** A host without the brackets of an IPv6 address and the dot at the end of a name. */
function bare(hostname: string): string {
  return hostname.replace(/^\[(.*)\]$/, '$1').replace(/\.$/, '');
}

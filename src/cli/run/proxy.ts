import type { X509Certificate } from 'node:crypto';
import { MomoMockError } from '../../errors.ts';
import { LOOPBACK_NAMES, namesOf } from '../../tls/names.ts';

/** @throws MomoMockError `MOMO_MOCK_USAGE` if there is no proxy, or no name that needs one */
export function proxyVariables(
  proxy: string | undefined,
  leaf: X509Certificate,
  warn: (text: string) => void,
): Record<string, string> {
  const names = namesOf(leaf).filter((name) => !LOOPBACK_NAMES.includes(name));
  if (proxy === undefined) {
    throw proxyError('the control API, which is the proxy, is off. Set --control-port to a port');
  }
  if (names.length === 0) {
    throw proxyError('the certificate has no name except localhost. Add a name with --tls-hosts');
  }
  return {
    ...proxiedHosts(proxy, names, warn),
    // Node reads the other variables only if this one is set (from 22.21 and 24 on).
    NODE_USE_ENV_PROXY: '1',
  };
}

/**
 * The variables that make clients use a proxy for HTTPS to these hosts, but not to loopback, nor to
 * what the user's `NO_PROXY` names.
 *
 * @param warn receives the entries that are left out, because they also cover these hosts
 */
export function proxiedHosts(
  proxy: string,
  names: readonly string[],
  warn: (text: string) => void,
): Record<string, string> {
  const entries = noProxyEntries();
  const covers = (entry: string) => names.some((name) => isIn(name, entry));
  const wide = entries.filter((entry) => covers(entry) && !names.includes(hostOf(entry)));
  if (wide.length > 0) {
    warn(
      `Failed to keep ${wide.join()} in NO_PROXY: it covers ${names.join()}, whose clients have to use the mock's proxy, and this proxy refuses all other hosts. In NO_PROXY, name each host that the command reaches directly.`,
    );
  }
  const others = entries.filter((entry) => !covers(entry));
  const direct = [...new Set([...LOOPBACK_NAMES, ...others])].join();
  return { HTTPS_PROXY: proxy, https_proxy: proxy, NO_PROXY: direct, no_proxy: direct };
}

export function noProxyEntries(): string[] {
  const { NO_PROXY, no_proxy = '' } = process.env;
  return (NO_PROXY ?? no_proxy).split(/[\s,]+/).filter((entry) => entry !== '');
}

export function proxyUrl(controlUrl: string | null, token: string | undefined): string | undefined {
  if (controlUrl === null) return undefined;
  if (token === undefined) return controlUrl;
  return controlUrl.replace('//', `//momo-mock:${encodeURIComponent(token)}@`);
}

/** Whether some client treats a name as covered by an entry of `NO_PROXY`. */
function isIn(name: string, entry: string): boolean {
  const domain = hostOf(entry).replace(/^\*?\.?/, '');
  const plain = name.replace(/^\*\./, '');
  return domain === '' || plain === domain || plain.endsWith(`.${domain}`);
}

function hostOf(entry: string): string {
  return entry.toLowerCase().replace(/:\d+$/, '');
}

function proxyError(why: string): MomoMockError {
  return new MomoMockError('MOMO_MOCK_USAGE', `Failed to set up --proxy: ${why}.`);
}

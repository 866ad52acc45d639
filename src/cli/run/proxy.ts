import { X509Certificate } from 'node:crypto';
import { MomoMockError } from '../../errors.ts';
import { LOOPBACK_NAMES, namesOf } from '../../tls/names.ts';

/** What a client needs to use the proxy. */
export interface ProxyFacts {
  /** Base URL of the control API; `null` where it is off. */
  readonly controlUrl: string | null;
  /** The token that the control API demands. */
  readonly token: string | undefined;
  /** PEM of the mock's certificate. */
  readonly cert: string;
}

/**
 * The variables that make a command's clients use the proxy for HTTPS. `NO_PROXY` loses the names
 * of the mock's certificate, and gets loopback, which needs no proxy.
 *
 * @param env the environment that the command would have
 * @throws MomoMockError `MOMO_MOCK_USAGE` where there is no proxy, or no name that needs it
 */
export function proxyVariables(
  { controlUrl, token, cert }: ProxyFacts,
  env: Readonly<Record<string, string | undefined>>,
): Record<string, string> {
  const names = namesOf(new X509Certificate(cert)).filter((name) => !LOOPBACK_NAMES.includes(name));
  if (controlUrl === null) {
    throw proxyError('the control API is off, and it is the proxy. Give --control-port a port');
  }
  if (names.length === 0) {
    throw proxyError('the certificate has no name beside localhost. Give --host one');
  }
  const own = (env.NO_PROXY ?? env.no_proxy ?? '').split(/[\s,]+/);
  const others = own.filter((entry) => entry !== '' && !names.some((name) => isIn(name, entry)));
  const direct = [...new Set([...LOOPBACK_NAMES, ...others])].join();
  const url = proxyUrl(controlUrl, token);
  return {
    HTTPS_PROXY: url,
    https_proxy: url,
    NO_PROXY: direct,
    no_proxy: direct,
    // Node reads the others only where this is set, from 22.21 and 24 on.
    NODE_USE_ENV_PROXY: '1',
  };
}

/** The proxy's URL, with the token in it where there is one. */
export function proxyUrl(controlUrl: string, token: string | undefined): string {
  if (token === undefined) return controlUrl;
  return controlUrl.replace('//', `//momo-mock:${encodeURIComponent(token)}@`);
}

/** Whether an entry of `NO_PROXY`, as some client reads it, is for a name. */
function isIn(name: string, entry: string): boolean {
  const domain = entry
    .toLowerCase()
    .replace(/:\d+$/, '')
    .replace(/^\*?\.?/, '');
  const plain = name.replace(/^\*\./, '');
  return domain === '' || plain === domain || plain.endsWith(`.${domain}`);
}

function proxyError(why: string): MomoMockError {
  return new MomoMockError('MOMO_MOCK_USAGE', `Failed to set up --proxy: ${why}.`);
}

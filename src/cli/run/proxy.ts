import { X509Certificate } from 'node:crypto';
import { MomoMockError } from '../../errors.ts';
import { LOOPBACK_NAMES, namesOf } from '../../tls/names.ts';

/** What leads a command's client to the mock by the proxy. */
export interface ProxyFacts {
  /** Base URL of the control API; `null` where it is off. */
  readonly controlUrl: string | null;
  /** What the control API demands. */
  readonly token: string | undefined;
  /** PEM of the mock's certificate. */
  readonly cert: string;
}

/**
 * The variables by which a command's clients use the proxy for HTTPS. Names that the mock stands
 * for are taken out of `NO_PROXY`, and loopback, which needs no proxy, is put into it.
 *
 * @param env the environment that the command would have
 * @throws MomoMockError `MOMO_MOCK_USAGE` where there is no proxy, or no name for it to carry
 */
export function proxyVariables(
  { controlUrl, token, cert }: ProxyFacts,
  env: Readonly<Record<string, string | undefined>>,
): Record<string, string> {
  const names = namesOf(new X509Certificate(cert)).filter((name) => !LOOPBACK_NAMES.includes(name));
  if (controlUrl === null) {
    throw unusable('the control API is off, and it is the proxy. Give --control-port a port');
  }
  if (names.length === 0) {
    throw unusable('the certificate has no name beside localhost. Give --host one');
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
    // Node does not look at the others without it, and from 22.21 and 24 on does with it.
    NODE_USE_ENV_PROXY: '1',
  };
}

/** The proxy's URL, with the token that it demands. */
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

function unusable(why: string): MomoMockError {
  return new MomoMockError('MOMO_MOCK_USAGE', `Failed to set up --proxy: ${why}.`);
}

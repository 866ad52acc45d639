import { X509Certificate } from 'node:crypto';
import { dirname } from 'node:path';
import { fileURLToPath } from 'node:url';
import { nodeRequire } from '../shipped/node-require.ts';
import { bareHost, canonicalName, isValidFor, LOOPBACK_NAMES, namesOf } from '../tls/names.ts';
import { certificateBlocks } from '../tls/pem.ts';

export interface RedirectedHost {
  /** A host name for all of its ports, or `host:port`. */
  readonly key: string;
  readonly host: string;
  readonly port: number;
  /** The name to verify. */
  readonly servername: string;
  /** Additional PEM to trust. */
  readonly ca: () => readonly string[];
  readonly owner: unknown;
}

interface TlsRedirect {
  /** Returns its `end`, which undoes the redirect and closes its connections. */
  redirectHost(host: RedirectedHost): () => void;
  redirectedHost(key: string): (RedirectedHost & { readonly end: () => void }) | undefined;
}

/**
 * A `request` option for momo-mock's own connections, which are never redirected.
 * `tls-redirect.cjs` reads it.
 */
export const DIRECT: Readonly<Record<symbol, true>> = { [Symbol.for('momo-mock.direct')]: true };

/** The module that Node preloads. It reads `MOMO_MOCK_REDIRECT`. */
export const PRELOAD = fileURLToPath(new URL('./preload.cjs', import.meta.url));

/** The folder of `momo_mock_redirect.rb`, which Ruby loads. It reads `MOMO_MOCK_REDIRECT`. */
export const RUBY_FOLDER = dirname(PRELOAD);

/** The module that Python loads at startup. It reads `MOMO_MOCK_REDIRECT`, too. */
export const SITECUSTOMIZE = fileURLToPath(new URL('./sitecustomize.py', import.meta.url));

/** Loads the replacement for `tls.connect` on demand, because most processes never need it. */
export function tlsRedirect(): TlsRedirect {
  return nodeRequire(import.meta.url)('./tls-redirect.cjs');
}

export function mockAddress(url: string, cert: string) {
  const { hostname, port } = new URL(url);
  const host = bareHost(hostname);
  const leaf = new X509Certificate(certificateBlocks(cert)[0] ?? cert);
  const [name = host] = namesOf(leaf);
  // The user's own certificate may not be valid for the host.
  const servername = isValidFor(leaf, host) ? host : name.replace('*', 'momo-mock');
  return { host, port: Number(port || 443), servername };
}

/** The canonical form of a host, or why it cannot be redirected. */
export function hostToRedirect(
  given: string,
): { readonly host: string } | { readonly problem: 'not a host name' | 'this machine' } {
  const host = canonicalName(given);
  if (host === undefined || host.includes('*')) return { problem: 'not a host name' };
  return LOOPBACK_NAMES.includes(host) ? { problem: 'this machine' } : { host };
}

import { timeOfDay } from '../timers.ts';
import type { Certificate } from './certificate.ts';
import { certificateNames, namesOf } from './names.ts';
import { pemOf } from './pem.ts';
import { createCertificate, createKey, parseBundle } from './self-signed.ts';
import type { MomoTlsMode } from './tls-mode.ts';

type Serve = (identity: Pick<Certificate, 'cert' | 'key'>, mode: MomoTlsMode) => Promise<void>;

export type TlsSwitch = ReturnType<typeof tlsSwitch>;

export function tlsSwitch(certificate: Certificate, serve: Serve) {
  let current: MomoTlsMode = 'normal';
  /** Each switch waits for the previous one. */
  let latest: Promise<void> = Promise.resolve();
  return {
    get mode(): MomoTlsMode {
      return current;
    },

    async set(mode: MomoTlsMode): Promise<void> {
      const switched = latest.then(async () => {
        if (mode === current) return;
        await serve(await identityFor(certificate, mode), mode);
        current = mode;
      });
      latest = switched.catch(() => {});
      await switched;
    },
  };
}

/**
 * A client that trusts `cert` refuses `expired` as expired, `wrong-host` for its host name and
 * `untrusted` as self-signed. A user's own certificate has no bundle with the first two, so clients
 * refuse all three as self-signed, except Node, which also checks the dates.
 */
async function identityFor(
  { cert, chain, leaf, key }: Certificate,
  mode: MomoTlsMode,
): Promise<Pick<Certificate, 'cert' | 'key'>> {
  if (mode === 'normal') return { cert: chain, key };
  const bundled = parseBundle(cert)?.[mode];
  if (bundled !== undefined) return { cert: bundled, key };
  const newKey = createKey();
  const names = certificateNames(namesOf(leaf));
  const request = { key: newKey, names, now: new Date(timeOfDay()) };
  return { cert: await createCertificate(mode, request), key: pemOf(newKey) };
}

import { timeOfDay } from '../timers.ts';
import type { Certificate } from './certificate.ts';
import { certificateNames, namesOf } from './names.ts';
import { pemOf } from './pem.ts';
import { createCertificate, createKey, parseBundle } from './self-signed.ts';
import type { MomoTlsMode } from './tls-mode.ts';

/** Serves a certificate and key, both PEM, on new connections. */
type Serve = (credentials: Pick<Certificate, 'cert' | 'key'>, mode: MomoTlsMode) => Promise<void>;

export class TlsSwitch {
  readonly #certificate: Certificate;
  readonly #serve: Serve;
  #mode: MomoTlsMode = 'normal';
  /** The last requested switch. Each one waits for the previous one. */
  #latest: Promise<void> = Promise.resolve();

  constructor(certificate: Certificate, serve: Serve) {
    this.#certificate = certificate;
    this.#serve = serve;
  }

  get mode(): MomoTlsMode {
    return this.#mode;
  }

  async set(mode: MomoTlsMode): Promise<void> {
    const switched = this.#latest.then(() => this.#switchTo(mode));
    this.#latest = switched.catch(() => {});
    await switched;
  }

  async #switchTo(mode: MomoTlsMode): Promise<void> {
    if (mode === this.#mode) return;
    await this.#serve(await credentialsFor(this.#certificate, mode), mode);
    this.#mode = mode;
  }
}

/**
 * What to serve in a TLS mode. A client that trusts `cert` refuses `expired` as expired,
 * `wrong-host` for its host name and `untrusted` as self-signed.
 *
 * The expired certificate and the one for the wrong host are in the bundle that momo-mock created. A
 * user's own certificate has no bundle, so clients trust none of the certificates created here and
 * refuse all three as self-signed. Only Node also checks the dates, and refuses `expired` as
 * expired.
 */
async function credentialsFor(
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

import { type Certificate, credentialsFor } from './certificate.ts';
import type { TlsMode } from './tls-mode.ts';

/** Serves other credentials from the next connection on. */
export type ServeCredentials = (
  credentials: Pick<Certificate, 'cert' | 'key'>,
  mode: TlsMode,
) => Promise<void>;

/** Makes the TLS of a server wrong on purpose, and right again. */
export class TlsSwitch {
  readonly #certificate: Certificate;
  readonly #serve: ServeCredentials;
  #mode: TlsMode = 'normal';
  /** One switch after the other: the last one that was asked for holds. */
  #latest: Promise<void> = Promise.resolve();

  constructor(certificate: Certificate, serve: ServeCredentials) {
    this.#certificate = certificate;
    this.#serve = serve;
  }

  /** What is served now. */
  get mode(): TlsMode {
    return this.#mode;
  }

  /** Serves another mode from the next connection on. */
  async set(mode: TlsMode): Promise<void> {
    const switched = this.#latest.then(() => this.#switchTo(mode));
    this.#latest = switched.catch(() => {});
    await switched;
  }

  async #switchTo(mode: TlsMode): Promise<void> {
    if (mode === this.#mode) return;
    await this.#serve(await credentialsFor(this.#certificate, mode), mode);
    this.#mode = mode;
  }
}

import { type Certificate, credentialsFor } from './certificate.ts';
import type { TlsMode } from './tls-mode.ts';

/** Sets the credentials for new connections. */
export type ServeCredentials = (
  credentials: Pick<Certificate, 'cert' | 'key'>,
  mode: TlsMode,
) => Promise<void>;

export class TlsSwitch {
  readonly #certificate: Certificate;
  readonly #serve: ServeCredentials;
  #mode: TlsMode = 'normal';
  /** The last requested switch. Each waits for the previous one. */
  #latest: Promise<void> = Promise.resolve();

  constructor(certificate: Certificate, serve: ServeCredentials) {
    this.#certificate = certificate;
    this.#serve = serve;
  }

  get mode(): TlsMode {
    return this.#mode;
  }

  /** Sets the mode for new connections. */
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

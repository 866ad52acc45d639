import type { Service } from './service/service.ts';
import { type Certificate, credentialsFor, type TlsMode } from './tls/certificate.ts';

/** Makes the TLS of a service wrong on purpose, and right again. */
export class TlsSwitch {
  readonly #service: Pick<Service, 'setCredentials'>;
  readonly #certificate: Certificate;
  #mode: TlsMode = 'normal';
  /** One switch after the other: the last one asked for is the one that holds. */
  #last: Promise<void> = Promise.resolve();

  constructor(service: Pick<Service, 'setCredentials'>, certificate: Certificate) {
    this.#service = service;
    this.#certificate = certificate;
  }

  /** What is served now. */
  get mode(): TlsMode {
    return this.#mode;
  }

  /** Serves another mode from the next connection on. */
  async set(mode: TlsMode): Promise<void> {
    const switched = this.#last.then(() => this.#serve(mode));
    this.#last = switched.catch(() => {});
    await switched;
  }

  async #serve(mode: TlsMode): Promise<void> {
    if (mode === this.#mode) return;
    await this.#service.setCredentials(await credentialsFor(this.#certificate, mode), mode);
    this.#mode = mode;
  }
}

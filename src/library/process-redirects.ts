import { closed, invalid, MomoMockError } from '../errors.ts';
import { mockAddress, redirectedHost, tlsRedirect } from '../redirect/redirect.ts';
import { certificateBlocks } from '../tls/pem.ts';

/** Identifies this copy of the module: jest loads one for each test file. */
const COPY = Symbol('momo-mock');

export interface RedirectOptions {
  readonly redirect?: string | readonly string[];
  readonly trust?: boolean;
}

/** Redirects TLS connections of this process to a mock, until it is closed. */
export class ProcessRedirects {
  readonly #url: string;
  readonly #ca: string;
  readonly #ends = new Set<() => void>();
  #isClosed = false;

  /** @param ca PEM to trust; the mock's certificate comes first */
  constructor(url: string, ca: string) {
    this.#url = url;
    this.#ca = ca;
  }

  redirect(given: string): () => void {
    const host = readHost(given);
    const open = this.#isClosed ? undefined : tlsRedirect().routeOf(host);
    if (open !== undefined) {
      const isForgotten = typeof open.owner === 'symbol' && open.owner !== COPY;
      if (!isForgotten) {
        const [who, fix] =
          open.owner === 'run'
            ? ['momo-mock run', 'Remove it here, or from --redirect']
            : ['this mock or another open one', 'Undo that redirect first, or close its mock'];
        const text = `Failed to redirect ${host}: ${who} already redirects it. ${fix}.`;
        throw new MomoMockError('MOMO_MOCK_REQUEST_INVALID', text);
      }
      // biome-ignore lint/suspicious/noConsole: it is for people who read the test output
      console.warn(
        `momo-mock: An earlier test file did not undo its redirect of ${host}, so it was removed now. Call close() at the end of that file.`,
      );
      open.end();
    }
    return this.#addRoute(host);
  }

  trust(): () => void {
    const { host, port } = mockAddress(this.#url, this.#ca);
    return this.#addRoute(`${host}:${port}`);
  }

  add({ redirect = [], trust = false }: RedirectOptions): void {
    for (const host of [redirect].flat()) this.redirect(host);
    if (trust) this.trust();
  }

  /** Undoes everything, and closes the connections. */
  close(): void {
    this.#isClosed = true;
    for (const end of this.#ends) end();
  }

  #addRoute(key: string): () => void {
    if (this.#isClosed) throw closed();
    const ca = certificateBlocks(this.#ca);
    const target = mockAddress(this.#url, this.#ca);
    const remove = tlsRedirect().addRoute({ key, ...target, ca: () => ca, owner: COPY });
    const end = () => {
      this.#ends.delete(end);
      remove();
    };
    this.#ends.add(end);
    return end;
  }
}

function readHost(given: unknown): string {
  const read = redirectedHost(typeof given === 'string' ? given : '');
  if ('host' in read) return read.host;
  throw invalid(
    'host',
    read.problem === 'this machine'
      ? `${given} is this machine. Use trust() for a client of the mock's own URL`
      : 'it is not a host name. Use one such as api.example.com, without https://',
  );
}

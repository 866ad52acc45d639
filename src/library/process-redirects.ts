import { closed, invalid, MomoMockError } from '../errors.ts';
import { hostToRedirect, mockAddress, tlsRedirect } from '../redirect/redirect.ts';
import { certificateBlocks } from '../tls/pem.ts';

/** Identifies this copy of the module: jest loads one for each test file. */
const COPY = Symbol('momo-mock');

/** @param ca PEM to trust; the mock's certificate comes first */
export function processRedirects(url: string, ca: string) {
  const ends = new Set<() => void>();
  let isClosed = false;
  const addRedirect = (key: string): (() => void) => {
    if (isClosed) throw closed();
    const certificates = certificateBlocks(ca);
    const target = mockAddress(url, ca);
    const remove = tlsRedirect().redirectHost({
      key,
      ...target,
      ca: () => certificates,
      owner: COPY,
    });
    const end = () => {
      ends.delete(end);
      remove();
    };
    ends.add(end);
    return end;
  };
  return {
    /** Redirects all hosts or none. */
    redirect(given: string | readonly string[]): () => void {
      const hosts = [given].flat().map(readHost);
      const undo: (() => void)[] = [];
      const end = () => {
        for (const one of undo) one();
      };
      try {
        for (const host of hosts) {
          if (!isClosed) endForgotten(host);
          undo.push(addRedirect(host));
        }
      } catch (error) {
        end();
        throw error;
      }
      return end;
    },
    trust(): () => void {
      const { host, port } = mockAddress(url, ca);
      return addRedirect(`${host}:${port}`);
    },
    /** Undoes everything, and closes the connections. */
    close(): void {
      isClosed = true;
      for (const end of ends) end();
    },
  };
}

/** Ends the redirect of a host that an earlier test file left open, and refuses any other. */
function endForgotten(host: string): void {
  const open = tlsRedirect().redirectedHost(host);
  if (open === undefined) return;
  if (typeof open.owner === 'symbol' && open.owner !== COPY) {
    // biome-ignore lint/suspicious/noConsole: it is for people who read the test output
    console.warn(
      `momo-mock: An earlier test file did not undo its redirect of ${host}, so it was removed now. Call close() at the end of that file.`,
    );
    open.end();
    return;
  }
  const problem =
    open.owner === 'run'
      ? 'momo-mock run already redirects it. Remove it here, or from --redirect.'
      : 'this mock or another open one already redirects it. Undo that redirect first, or close its mock.';
  const text = `Failed to redirect ${host}: ${problem}`;
  throw new MomoMockError('MOMO_MOCK_REQUEST_INVALID', text);
}

function readHost(given: unknown): string {
  const read = hostToRedirect(typeof given === 'string' ? given : '');
  if ('host' in read) return read.host;
  throw invalid(
    'host',
    read.problem === 'this machine'
      ? `${given} is this machine. Use trust() for a client of the mock's own URL`
      : 'it is not a host name. Use one such as api.example.com, without https://',
  );
}

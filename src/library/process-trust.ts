import tls from 'node:tls';
import { MomoMockError } from '../errors.ts';
import { certificateBlocks } from '../tls/pem.ts';

/** What `node:tls` has from Node 22.19 and 24.5 on; the types are those of Node 20. */
interface DefaultCertificates {
  getCACertificates(type: 'default'): readonly string[];
  setDefaultCACertificates(certificates: readonly string[]): void;
}

/** How many open mocks each certificate is trusted for: mocks can share one. */
const uses = new Map<string, number>();

/**
 * Checks that this Node can trust more certificates while it runs.
 *
 * @throws MomoMockError `MOMO_MOCK_NODE_TOO_OLD`
 */
export function checkProcessTrust(): void {
  if ((tls as Partial<DefaultCertificates>).setDefaultCACertificates !== undefined) return;
  throw new MomoMockError(
    'MOMO_MOCK_NODE_TOO_OLD',
    'Failed to trust the mock in this process (trustInProcess): this Node has no tls.setDefaultCACertificates. Use Node 22.19, 24.5 or newer, give the client ca, agent or connect, or run the tests with momo-mock run.',
  );
}

/**
 * Makes every TLS client of this thread that names no certificates trust a mock, including the
 * global `fetch`. Connections that are open, and TLS sessions that are resumed, stay trusted.
 *
 * @param ca PEM to trust
 * @returns a function that ends it
 * @throws MomoMockError `MOMO_MOCK_NODE_TOO_OLD`
 */
export function trustInProcess(ca: string): () => void {
  checkProcessTrust();
  const { getCACertificates, setDefaultCACertificates } = tls as unknown as DefaultCertificates;
  const added = certificateBlocks(ca).map(bare);
  for (const one of added) uses.set(one, (uses.get(one) ?? 0) + 1);
  setDefaultCACertificates([...getCACertificates('default'), ...certificateBlocks(ca)]);
  return () => {
    for (const one of added) {
      const left = (uses.get(one) ?? 1) - 1;
      if (left > 0) uses.set(one, left);
      else uses.delete(one);
    }
    const ended = added.filter((one) => !uses.has(one));
    const trusted = getCACertificates('default');
    setDefaultCACertificates(trusted.filter((one) => !ended.includes(bare(one))));
  };
}

/** A certificate without white space, which Node changes. */
function bare(pem: string): string {
  return pem.replace(/\s/g, '');
}

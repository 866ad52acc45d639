import { describe, expect, it } from 'vitest';
import { loadConfig } from '../src/config/load.ts';
import { overviewOf } from '../src/overview.ts';
import { makeCertificateInMemory } from '../src/tls/memory-certificate.ts';

const redact = (text: string) => text.replace('canary', '[redacted]');

/** The overview of a mock with variables of the environment. */
async function overview(env: Record<string, string>) {
  const config = await loadConfig({ flags: {}, env, dotenv: {}, readKeysFile: async () => '' });
  const certificate = await makeCertificateInMemory({ hosts: ['momo.example'] });
  const parts = {
    version: '1.2.3',
    config,
    certificate,
    url: 'https://localhost:1',
    startedAt: new Date(0),
  };
  const shown = overviewOf({ ...parts, redact });
  return {
    ...shown,
    ...Object.fromEntries(shown.settings.map(({ name, value }) => [name, value])),
  };
}

describe('the overview', () => {
  it('shows where the service is, since when, and for which names', async () => {
    expect(await overview({})).toMatchObject({
      version: expect.stringMatching(/^\d+\.\d+\.\d+/),
      url: 'https://localhost:1',
      startedAt: '1970-01-01T00:00:00.000Z',
      certificate: { names: ['localhost', '127.0.0.1', '::1', 'momo.example'], file: null },
    });
  });

  it('shows the values of settings, given ones and defaults', async () => {
    const env = {
      MOMO_MOCK_PORT: '9',
      MOMO_MOCK_CORS_ORIGIN: 'https://a.example,https://b.example',
    };
    expect(await overview(env)).toMatchObject({
      MOMO_MOCK_PORT: '9',
      MOMO_MOCK_CORS_ORIGIN: 'https://a.example,https://b.example',
      MOMO_MOCK_CONTROL_PORT: '8480',
      MOMO_MOCK_STRICT_PATHS: 'false',
      MOMO_MOCK_TLS_HOSTS: null,
      MOMO_MOCK_BALANCE_VARIANT: null,
      MOMO_MOCK_CONTROL_TOKEN: null,
      MOMO_MOCK_API_KEYS: null,
    });
  });

  it('shows no token and no key, also none within another value', async () => {
    const shown = await overview({
      MOMO_MOCK_CONTROL_TOKEN: 'canary-token',
      MOMO_MOCK_API_KEYS: 'canary',
      MOMO_MOCK_CERTS_DIR: '/home/canary/certs',
    });
    expect(shown).toMatchObject({
      MOMO_MOCK_CONTROL_TOKEN: '[redacted]',
      MOMO_MOCK_API_KEYS: '[redacted]',
      MOMO_MOCK_CERTS_DIR: '/home/[redacted]/certs',
    });
    expect(JSON.stringify(shown)).not.toContain('canary');
  });
});

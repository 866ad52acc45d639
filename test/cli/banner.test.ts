import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { banner, hostElsewhere } from '../../src/cli/banner.ts';

const url = 'https://localhost:8443';
const controlUrl = 'http://localhost:8480';

/** The lines of the banner of a mock whose certificate is in this file. */
function linesOf(
  file: string | null,
  { control = controlUrl as string | null, isDefault = true } = {},
) {
  const mock = { url, controlUrl: control, certificate: { file } };
  return banner(mock as never, isDefault)
    .trim()
    .split('\n');
}

describe('the banner', () => {
  test('has the URL, the certificate and a curl line for the default key', () => {
    const file = join(process.cwd(), 'certs/momo-mock.pem');
    expect(linesOf(file)).toEqual([
      'service      https://localhost:8443/momo/balance',
      '  control API  http://localhost:8480 (in a browser: the live page)',
      '  certificate  certs/momo-mock.pem',
      '  try it       curl --cacert certs/momo-mock.pem "https://localhost:8443/momo/balance?apikey=momo_test_key"',
    ]);
  });

  test('shows no configured key', () => {
    expect(linesOf('/c.pem', { isDefault: false })[3]).toMatch(/\?apikey=<your key>"$/);
  });

  test.each([
    ['/elsewhere/c.pem', '/elsewhere/c.pem'],
    ['/my certs/c.pem', "'/my certs/c.pem'"],
    ["/certs/c.pem;'", "'/certs/c.pem;''"],
  ])('quotes the path %s where the shell needs it', (file, shown) => {
    expect(linesOf(file)[3]).toContain(`curl --cacert ${shown} "`);
  });

  test('fetches a certificate in memory from the control API, or does not verify without it', () => {
    expect(linesOf(null).slice(2)).toEqual([
      '  certificate  in memory only, served at http://localhost:8480/certificate',
      `  try it       curl --cacert <(curl -s ${controlUrl}/certificate) "${url}/momo/balance?apikey=momo_test_key"`,
    ]);
    expect(linesOf(null, { control: null }).slice(1)).toEqual([
      '  control API  off',
      '  certificate  in memory only',
      `  try it       curl --insecure "${url}/momo/balance?apikey=momo_test_key"`,
    ]);
  });
});

describe('a host that does not lead here', () => {
  test('is a warning where the service listens on localhost instead', () => {
    expect(hostElsewhere('api.example.com', url)).toMatch(
      /^The service listens on localhost, because api\.example\.com does not resolve .* --proxy\.$/,
    );
  });

  test.each([
    ['localhost', url],
    ['127.0.0.1', 'https://127.0.0.1:8443'],
    ['momo.test', 'https://momo.test:8443'],
  ])('is not %s at %s', (host, at) => {
    expect(hostElsewhere(host, at)).toBeUndefined();
  });
});

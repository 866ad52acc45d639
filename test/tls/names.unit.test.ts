import { describe, expect, test } from 'vitest';
import { certificateNames, LOOPBACK_NAMES } from '../../src/tls/names.ts';

describe('the names for a certificate', () => {
  test.each([
    ['momo.test', 'momo.test'],
    ['MoMo.Test', 'momo.test'],
    ['momo.test.', 'momo.test'],
    [' momo ', 'momo'],
    ['*.momo.test', '*.momo.test'],
    ['momo_mock', 'momo_mock'],
    ['münchen.test', 'xn--mnchen-3ya.test'],
    ['*.münchen.test', '*.xn--mnchen-3ya.test'],
    ['xn--mnchen-3ya.test', 'xn--mnchen-3ya.test'],
    ['10.0.0.7', '10.0.0.7'],
    ['2001:DB8:0:0:0:0:0:1', '2001:db8::1'],
    ['[2001:db8::1]', '2001:db8::1'],
    ['::ffff:10.0.0.7', '::ffff:a00:7'],
  ])('write %j as %j', (host, name) => {
    expect(certificateNames([host])).toEqual([...LOOPBACK_NAMES, name]);
  });

  test('come once each in any spelling', () => {
    expect(
      certificateNames(['LOCALHOST', '0:0:0:0:0:0:0:1', 'a.test', 'A.test.', 'a.test']),
    ).toEqual(['localhost', '127.0.0.1', '::1', 'a.test']);
  });

  test.each(
    [
      ['', ' ', '*', '.', 'a..test', '-a.test', 'a-.test', 'a b', 'a,b', `${'a'.repeat(64)}.test`],
      ['https://momo.test', 'momo.test:8443', 'momo.test/x', 'user@momo.test', 'a%41.test'],
      ['a.*.test', '*a.test', '*.*.test', '127.1', '10.0.0.256', '1.2.3.4.5', 'fe80::1%eth0'],
      [`${'a.'.repeat(127)}test`, 'a\u0000b', 'ä/b', 'ä#b'],
    ].flat(),
  )('refuse %j', (host) => {
    expect(() => certificateNames([host])).toThrow(
      expect.objectContaining({
        code: 'MOMO_MOCK_CERTIFICATE_UNUSABLE',
        message: expect.stringContaining('MOMO_MOCK_TLS_HOSTS'),
      }),
    );
  });
});

import { expect, test } from 'vitest';
import { certificateError, errorCode, reasonOf } from '../../../src/tls/certificate-error.ts';

test('has the error of the file system as its cause, if there is one', () => {
  const cause = new Error('EACCES: permission denied');
  expect(certificateError('Failed.', cause)).toMatchObject({
    code: 'MOMO_MOCK_CERTIFICATE_UNUSABLE',
    message: 'Failed.',
    cause,
  });
  expect(certificateError('Failed.')).not.toHaveProperty('cause');
});

test('the reason of a system error is its text without the call and the paths', () => {
  const error = new Error("EACCES: permission denied, open '/certs/momo-mock-key.pem'");
  expect(reasonOf(error)).toBe('EACCES: permission denied');
  expect(reasonOf('no error')).toBe('no error');
});

test('only an error has a code', () => {
  expect(errorCode(Object.assign(new Error(), { code: 'ENOENT' }))).toBe('ENOENT');
  expect(errorCode({ code: 'ENOENT' })).toBeUndefined();
});

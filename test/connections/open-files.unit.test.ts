import { expect, test } from 'vitest';
import { tooManyFiles } from '../../src/errors.ts';

test.each(['EMFILE', 'ENFILE'])(
  'the error code %s means that too many files are open, and has a fix',
  (code) => {
    expect(tooManyFiles(code)).toEqual([
      `too many files are open (${code})`,
      'Raise the limit (ulimit -n) to 128 or more.',
    ]);
  },
);

test.each(['ENOENT', undefined])(
  'the error code %s has nothing to do with the number of open files',
  (code) => {
    expect(tooManyFiles(code)).toBeUndefined();
  },
);

import { expect, it } from 'vitest';
import { banner } from '../../src/cli/banner.ts';
import { runMock } from '../support/running-mock.ts';

it.each([true, false])(
  'the banner says that a folder named fixtures is ignored, if it is: %s',
  async (isIgnored) => {
    const mock = await runMock();
    const shown = banner(mock, { isDefaultKey: true } as never, isIgnored);
    expect(shown.includes('the folder fixtures is ignored\n')).toBe(isIgnored);
  },
);

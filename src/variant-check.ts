import type { Config } from './config/load.ts';
import { PREFIX } from './config/settings.ts';
import { MomoMockError } from './errors.ts';
import { type FixtureTree, variantNames } from './mock/operation.ts';

/**
 * Checks that there is a file for each variant that the settings name.
 *
 * @throws MomoMockError `MOMO_MOCK_SETTINGS_INVALID`
 */
export function checkVariants(config: Config, tree: FixtureTree): void {
  const known = variantNames(tree.operations);
  const isUnknown = (variant: string | undefined) =>
    variant !== undefined && !known.includes(variant);
  const problems: string[] = [];
  const say = (setting: string, which: string): void => {
    const give = `Give one of ${known.join(', ')}, or add a file such as momo/balance.get.NAME.json`;
    problems.push(`Failed to read ${setting}: ${which} is the name of no fixture file. ${give}.`);
  };
  if (isUnknown(config.BALANCE_VARIANT)) {
    say(`${PREFIX}BALANCE_VARIANT`, `the variant ${JSON.stringify(config.BALANCE_VARIANT)}`);
  }
  config.keys.forEach(({ variant }, index) => {
    // Not shown: what stands behind the = of an entry may be the end of a key.
    if (isUnknown(variant)) say(`API key ${index + 1}`, 'the variant behind its =');
  });
  if (problems.length > 0) {
    throw new MomoMockError('MOMO_MOCK_SETTINGS_INVALID', problems.join('\n'));
  }
}

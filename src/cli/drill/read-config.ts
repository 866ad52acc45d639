import { asSentence, MomoMockError } from '../../errors.ts';
import { placesIn, readJsonFile } from '../../fixtures/json.ts';
import { FixtureProblem } from '../../fixtures/problem.ts';
import { findProblem } from '../../mock/json/check.ts';
import { withPlainNumbers } from '../../mock/json/check-json.ts';
import { parseExact } from '../../mock/json/exact-json.ts';
import { DRILL_CONFIG, type DrillConfig } from './config.ts';
import { problemsOf } from './config-rules.ts';

export const DEFAULT_CONFIG = 'momo-mock.drill.json';

/**
 * Reads and checks the configuration, before anything starts.
 *
 * @throws MomoMockError `MOMO_MOCK_SETTINGS_INVALID`, which names the file, the line and the field
 */
export async function readDrillConfig(file: string): Promise<DrillConfig> {
  try {
    return await checked(file);
  } catch (error) {
    if (!(error instanceof FixtureProblem)) throw error;
    const { code } = (error.cause ?? {}) as NodeJS.ErrnoException;
    const message =
      code === 'ENOENT'
        ? `Failed to read ${file}: there is no such file. Write one, or name yours with --config.`
        : error.message;
    throw new MomoMockError('MOMO_MOCK_SETTINGS_INVALID', message, { cause: error });
  }
}

async function checked(file: string): Promise<DrillConfig> {
  const { text } = await readJsonFile(file);
  const placeOf = await placesIn(text);
  const config = withPlainNumbers(DRILL_CONFIG, parseExact(text));
  const found = findProblem(DRILL_CONFIG, config, () => false);
  if (found !== undefined) {
    const { path, place, problem } = found;
    const words = place === undefined ? problem : `${place}: ${asSentence(problem)}`;
    throw new FixtureProblem(file, words, placeOf(path.map(String)));
  }
  const problems = problemsOf(config as DrillConfig).map(
    ({ path, problem }) =>
      new FixtureProblem(file, `${path.join('.')}: ${problem}`, placeOf(path)).message,
  );
  if (problems.length === 0) return config as DrillConfig;
  throw new MomoMockError('MOMO_MOCK_SETTINGS_INVALID', problems.join('\n'));
}

import { asSentence, MomoMockError } from '../../errors.ts';
import { placesIn, readJsonFile } from '../../fixtures/json-file.ts';
import { FixtureProblem } from '../../fixtures/problem.ts';
import { findProblem, parseFor } from '../../mock/json/check.ts';
import { DRILL_CONFIG, type DrillConfig } from './config.ts';
import { type ConfigProblem, oldName, problemsOf, unknownCredentials } from './config-rules.ts';

export const DEFAULT_CONFIG = 'momo-mock.drill.json';

export interface DrillConfigFile {
  readonly config: DrillConfig;
  /**
   * Checks `{credentials.NAME}`, whose names the preset knows.
   *
   * @throws MomoMockError `MOMO_MOCK_SETTINGS_INVALID`, as {@link readDrillConfig}
   */
  readonly checkCredentials: (known: readonly string[]) => void;
}

/**
 * Reads and checks the configuration, before anything starts.
 *
 * @throws MomoMockError `MOMO_MOCK_SETTINGS_INVALID`, which names the file, the line and the field
 */
export async function readDrillConfig(file: string): Promise<DrillConfigFile> {
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

async function checked(file: string): Promise<DrillConfigFile> {
  const { text } = await readJsonFile(file);
  const placeOf = await placesIn(text);
  const config = parseFor(DRILL_CONFIG, text);
  const old = oldName(config);
  if (old !== undefined) throw new FixtureProblem(file, old.problem, placeOf(old.path));
  const found = findProblem(DRILL_CONFIG, config, () => false);
  if (found !== undefined) {
    const { path, place, problem } = found;
    const words = place === undefined ? problem : `${place}: ${asSentence(problem)}`;
    throw new FixtureProblem(file, words, placeOf(path.map(String)));
  }
  const refuse = (problems: readonly ConfigProblem[]) => {
    const sentences = problems.map(
      ({ path, problem }) =>
        new FixtureProblem(file, `${path.join('.')}: ${problem}`, placeOf(path)).message,
    );
    if (sentences.length === 0) return;
    throw new MomoMockError('MOMO_MOCK_SETTINGS_INVALID', sentences.join('\n'));
  };
  const valid = config as DrillConfig;
  refuse(problemsOf(valid));
  const checkCredentials = (known: readonly string[]) => refuse(unknownCredentials(valid, known));
  return { config: valid, checkCredentials };
}

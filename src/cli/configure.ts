import { readdirSync, readFileSync, statSync } from 'node:fs';
import { readFile } from 'node:fs/promises';
import { buffer } from 'node:stream/consumers';
import { parseEnv } from 'node:util';
import { MomoMockError } from '../errors.ts';
import { parseFixtureName } from '../fixtures/fixture-name.ts';
import { entriesIn } from '../fixtures/folder.ts';
import { FixtureProblem } from '../fixtures/problem.ts';
import { bodyText } from '../mock/requests/body-text.ts';
import { DEFAULT_KEY } from '../settings/api-keys.ts';
import type { Config } from '../settings/config.ts';
import { loadConfig, type SettingTexts } from '../settings/load.ts';

export const DEFAULT_FIXTURES = 'fixtures';

const KEY_IGNORED =
  'MOMO_MOCK_APIKEY is ignored, and requests with its key get 401: momo-mock run sets it for tests. To accept a key, set MOMO_MOCK_API_KEYS to it.';

/**
 * @param withKeys `false` for a command that does not use the keys. It must not read them from
 *   standard input, or fail because of them
 * @returns also why an existing folder `fixtures` or the key of `run` is ignored
 */
export async function configure(
  flags: SettingTexts,
  { withKeys = true, defaults = {} as SettingTexts } = {},
): Promise<{ config: Config; warning?: string | undefined; keyWarning?: string | undefined }> {
  const dotenv = readDotenv();
  const config = await loadConfig({
    flags,
    env: process.env,
    dotenv,
    defaults,
    ...(withKeys && { readKeysFile: readFileOrStdin }),
  });
  const { MOMO_MOCK_APIKEY: key } = { ...dotenv, ...process.env };
  const isKeyIgnored = config.isDefaultKey && ![undefined, '', DEFAULT_KEY].includes(key);
  const keyWarning = isKeyIgnored ? KEY_IGNORED : undefined;
  if (config.FIXTURES_DIR !== undefined) return { config, keyWarning };
  const { dir, warning } = defaultFixtures();
  const used = dir === undefined ? config : { ...config, FIXTURES_DIR: dir };
  return { config: used, warning, keyWarning };
}

/**
 * The folder that is used if no setting names one, or a warning that it is ignored: many projects
 * use a folder of this name for other fixtures.
 */
export function defaultFixtures() {
  if (!isFolder(DEFAULT_FIXTURES)) return {};
  const isEmpty = isEmptyFolder(DEFAULT_FIXTURES);
  const isOurs =
    isEmpty || ['momo', 'errors'].some((name) => isFolder(`${DEFAULT_FIXTURES}/${name}`));
  const { hasFixture, example } = isOurs ? { hasFixture: true } : fixtureIn(DEFAULT_FIXTURES);
  if (hasFixture) return { dir: DEFAULT_FIXTURES, isEmpty };
  const why = `no file in it has the name of a fixture, such as pay.post.json. ${example ?? ''}`;
  const fix = `If it is for momo-mock, set MOMO_MOCK_FIXTURES_DIR=${DEFAULT_FIXTURES}.`;
  return { warning: `The folder ${DEFAULT_FIXTURES} is ignored: ${why.trim()} ${fix}` };
}

/** A running mock looks again and again, and the folder of another program may be large. */
const MAX_SEARCHED_FILES = 200;

/** Whether a folder has a file with the name of a fixture, or what is wrong with one of its names. */
function fixtureIn(folder: string): { hasFixture: boolean; example?: string | undefined } {
  let example: string | undefined;
  let searched = 0;
  for (const { problem, isShared, ...entry } of entriesIn(folder)) {
    if (isShared) continue;
    if (searched++ === MAX_SEARCHED_FILES) break;
    try {
      if (problem !== undefined) throw problem;
      parseFixtureName(entry, 0, false);
      return { hasFixture: true };
    } catch (error) {
      if (!(error instanceof FixtureProblem)) throw error;
      example ??= error.message;
    }
  }
  return { hasFixture: false, example };
}

/** @param path `-` is standard input */
export async function readFileOrStdin(path: string): Promise<string> {
  return bodyText(await (path === '-' ? buffer(process.stdin) : readFile(path)));
}

function readDotenv(): Record<string, string | undefined> {
  let text: string;
  try {
    text = bodyText(readFileSync('.env'));
  } catch (error) {
    const { code } = error as NodeJS.ErrnoException;
    // Seen in the field: a folder named .env, created by Python's venv.
    if (code === 'ENOENT' || code === 'EISDIR') return {};
    const message = `Failed to read .env: ${code}. Make it readable, or start in another folder.`;
    throw new MomoMockError('MOMO_MOCK_SETTINGS_INVALID', message, { cause: error });
  }
  // Also in UTF-16 without a byte order mark, where no name of a setting would be found.
  if (!text.includes('\0')) return parseEnv(text) as Record<string, string>;
  const message = 'Failed to read .env: it contains a NUL byte. Save it as UTF-8 text.';
  throw new MomoMockError('MOMO_MOCK_SETTINGS_INVALID', message);
}

/** Whether a folder is readable and has only dotfiles such as `.gitkeep`. */
function isEmptyFolder(path: string): boolean {
  try {
    return readdirSync(path).every((name) => name.startsWith('.'));
  } catch {
    return false;
  }
}

function isFolder(path: string): boolean {
  try {
    return statSync(path).isDirectory();
  } catch {
    return false;
  }
}

import { type Dirent, readdirSync, readFileSync, statSync } from 'node:fs';
import { readFile } from 'node:fs/promises';
import { buffer } from 'node:stream/consumers';
import { parseEnv } from 'node:util';
import { MomoMockError } from '../errors.ts';
import { bodyText } from '../mock/requests/body-text.ts';
import type { Config } from '../settings/config.ts';
import { loadConfig, type SettingTexts } from '../settings/load.ts';
import { SETTINGS } from '../settings/settings.ts';

export const DEFAULT_FIXTURES = 'fixtures';

/**
 * @param withKeys `false` for a command that does not use the keys. It must not read them from
 *   standard input, or fail because of them
 * @returns also why an existing folder `fixtures` is not used
 * @throws MomoMockError `MOMO_MOCK_SETTINGS_INVALID`
 */
export async function configure(
  flags: SettingTexts,
  { withKeys = true, defaults = {} as SettingTexts } = {},
): Promise<{ config: Config; warning?: string | undefined }> {
  const config = await loadConfig({
    flags,
    env: process.env,
    dotenv: readDotenv(),
    defaults,
    ...(withKeys && { readKeysFile: readFileOrStdin }),
  });
  if (config.FIXTURES_DIR !== undefined) return { config };
  const { dir, warning } = defaultFixtures(config);
  return { config: dir === undefined ? config : { ...config, FIXTURES_DIR: dir }, warning };
}

/** The folder that is used if no setting names one, or a warning that it is not for momo-mock. */
export function defaultFixtures(config: Config) {
  if (!isFolder(DEFAULT_FIXTURES)) return {};
  // Many projects use a folder of this name for other fixtures.
  const entries = entriesOf(DEFAULT_FIXTURES);
  const isEmpty = entries?.length === 0;
  const isOurs =
    ['momo', 'errors'].some((name) => isFolder(`${DEFAULT_FIXTURES}/${name}`)) ||
    isEmpty ||
    // The paths of another provider can begin with anything.
    (config.KEY_IN !== SETTINGS.KEY_IN.schema.default && entries?.some(isOfOperation));
  if (isOurs) return { dir: DEFAULT_FIXTURES, isEmpty };
  const warning =
    'The folder fixtures is not used: it contains neither momo nor errors. If it is for momo-mock, set MOMO_MOCK_FIXTURES_DIR=fixtures.';
  return { warning };
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

/** Without dotfiles such as `.gitkeep`; `undefined` if the folder is unreadable. */
function entriesOf(path: string): Dirent[] | undefined {
  try {
    return readdirSync(path, { withFileTypes: true }).filter(({ name }) => !name.startsWith('.'));
  } catch {
    return undefined;
  }
}

/** Also a file such as `token.post.js`. */
function isOfOperation(entry: Dirent): boolean {
  return entry.isDirectory() || /\.\w+\.(?:json|http|js|mjs|ts)$/.test(entry.name);
}

function isFolder(path: string): boolean {
  try {
    return statSync(path).isDirectory();
  } catch {
    return false;
  }
}

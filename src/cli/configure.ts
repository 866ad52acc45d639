import { readdirSync, readFileSync, statSync } from 'node:fs';
import { readFile } from 'node:fs/promises';
import { text } from 'node:stream/consumers';
import { parseEnv } from 'node:util';
import { MomoMockError } from '../errors.ts';
import type { Config } from '../settings/config.ts';
import type { SettingTexts } from '../settings/load.ts';
import { loadConfig } from '../settings/load.ts';

export interface Configured {
  readonly config: Config;
  readonly warnings: readonly string[];
}

/** The user's fixture folder if no setting names one. */
export const DEFAULT_FIXTURES = 'fixtures';

export interface ConfigureOptions {
  /**
   * `false` for a command that does not use the keys. It must not read them from standard input, or
   * fail because of them. @default true
   */
  readonly withKeys?: boolean;
  /** Overrides the settings' defaults. */
  readonly defaults?: SettingTexts;
}

/**
 * Reads the configuration from flags, the environment, and `.env` in the working folder.
 *
 * @throws MomoMockError `MOMO_MOCK_SETTINGS_INVALID`
 */
export async function configure(
  flags: SettingTexts,
  { withKeys = true, defaults = {} }: ConfigureOptions = {},
): Promise<Configured> {
  const config = await loadConfig({
    flags,
    env: process.env,
    dotenv: readDotenv(),
    defaults,
    ...(withKeys && { readKeysFile: readFileOrStdin }),
  });
  if (config.FIXTURES_DIR !== undefined || !isFolder(DEFAULT_FIXTURES)) {
    return { config, warnings: [] };
  }
  // Many projects use a folder of this name for other fixtures.
  const isOurs =
    isFolder(`${DEFAULT_FIXTURES}/momo`) ||
    isFolder(`${DEFAULT_FIXTURES}/errors`) ||
    isEmptyFolder(DEFAULT_FIXTURES);
  if (isOurs) return { config: { ...config, FIXTURES_DIR: DEFAULT_FIXTURES }, warnings: [] };
  const warning =
    'The folder fixtures is not used: it contains neither momo nor errors. If it is for momo-mock, set MOMO_MOCK_FIXTURES_DIR=fixtures.';
  return { config, warnings: [warning] };
}

/** @param path `-` is standard input */
export async function readFileOrStdin(path: string): Promise<string> {
  return path === '-' ? await text(process.stdin) : await readFile(path, 'utf8');
}

function readDotenv(): Record<string, string | undefined> {
  try {
    return parseEnv(readFileSync('.env', 'utf8')) as Record<string, string>;
  } catch (error) {
    const { code } = error as NodeJS.ErrnoException;
    // Seen in the field: a folder named .env, created by Python's venv.
    if (code === 'ENOENT' || code === 'EISDIR') return {};
    const message = `Failed to read .env: ${code}. Make it readable, or start in another folder.`;
    throw new MomoMockError('MOMO_MOCK_SETTINGS_INVALID', message, { cause: error });
  }
}

/** Whether a folder contains only dotfiles, such as `.gitkeep`. */
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

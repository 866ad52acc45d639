import { existsSync } from 'node:fs';
import { readFile } from 'node:fs/promises';
import { MomoMockError } from '../errors.ts';
import { loadFixtureTree } from '../fixtures/load.ts';
import { Redactor } from '../mock/redaction/redaction.ts';
import { bodyText } from '../mock/requests/body-text.ts';
import { type Config, keyRuleOf } from '../settings/config.ts';
import { RealService } from '../shape/real-service.ts';
import { missingParameters, type Pairs, readTarget, type Target } from '../shape/target.ts';
import { version } from '../shipped/folders.ts';
import { fixtureLayers } from '../shipped/presets.ts';
import { certificateBlocks } from '../tls/pem.ts';
import { type CommandFlag, type CommandLine, usageError } from './command-line.ts';
import { configure, readFileOrStdin } from './configure.ts';

export const REAL_FLAGS = {
  operation: { value: 'NAME', about: "an operation, such as 'GET /momo/balance'" },
  param: {
    multiple: true,
    value: 'NAME=VALUE',
    about: 'value of a path parameter, such as reference=7f3a',
  },
  query: { multiple: true, value: 'NAME=VALUE', about: 'query parameter, such as currency=XOF' },
  json: { about: 'write the result as JSON' },
} as const satisfies Record<string, CommandFlag>;

export type RealSettings = Awaited<ReturnType<typeof readRealSettings>>;

/**
 * @param canBeMissing whether the fixture folder may be missing, because the command creates it
 * @returns also a redactor of the key, through which all output must pass
 */
export async function readRealSettings({ flags, options }: CommandLine, canBeMissing = false) {
  const params = readPairs('--param', options.param ?? []);
  const query = readPairs('--query', options.query ?? []);
  if (params.some(([, value]) => /^\.{0,2}$/.test(value))) {
    throw usageError('a value of --param is empty or consists of dots. Use another one.');
  }
  const { config, warning } = await configure(flags, { withKeys: false });
  const keyRule = keyRuleOf(config);
  if (query.some(([name]) => keyRule.isKeyName(name))) {
    throw usageError(
      'the key has no flag, because process lists show flags. Set MOMO_MOCK_REAL_KEY.',
    );
  }
  const { REAL_URL: url, REAL_CA_FILE: caFile, FIXTURES_DIR: folder } = config;
  if (url === undefined) {
    throw settingError(
      'MOMO_MOCK_REAL_URL: it is not set. Use --real-url https://api.example.com.',
    );
  }
  const ca = caFile === undefined ? undefined : await readCertificates(caFile);
  const key = await readKey(config);
  const redactor = new Redactor(keyRule);
  if (key !== undefined) redactor.remember(key);
  const isMissing = canBeMissing && folder !== undefined && !existsSync(folder);
  const tree = await loadFixtureTree({
    layers: fixtureLayers(config, isMissing ? undefined : folder),
    strictPaths: config.STRICT_PATHS,
    needsCode: keyRule.isStated,
    redact: (text) => redactor.redact(text),
  });
  const userAgent = `momo-mock/${version()}`;
  const service = new RealService({ url, ...(ca && { ca }), userAgent, keyRule });
  return { service, key, redactor, tree, folder, warning, params, query };
}

export function readOperation({ tree, params }: RealSettings, name: string): Target {
  const target = readTarget(tree, name);
  const missing = missingParameters(target.segments, params).map((name) => `--param ${name}=VALUE`);
  if (missing.length === 0) return target;
  throw usageError(`the operation needs ${missing.join(' ')}.`);
}

export function keyMissing(): MomoMockError {
  return settingError(
    'MOMO_MOCK_REAL_KEY: it is not set. Set it, or use --real-key-file FILE (- reads standard input).',
  );
}

function readPairs(flag: string, texts: readonly string[]): Pairs {
  return texts.map((text) => {
    const at = text.indexOf('=');
    if (at < 1) throw usageError(`a value of ${flag} does not have the form NAME=VALUE.`);
    return [text.slice(0, at), text.slice(at + 1)] as const;
  });
}

async function readKey({ REAL_KEY, REAL_KEY_FILE: file }: Config): Promise<string | undefined> {
  if (file === undefined) return REAL_KEY && checkedKey(REAL_KEY, 'MOMO_MOCK_REAL_KEY');
  const name = 'MOMO_MOCK_REAL_KEY_FILE';
  if (REAL_KEY !== undefined) {
    throw settingError(`MOMO_MOCK_REAL_KEY and ${name}: both are set. Set one of them.`);
  }
  const text = await readFileOrStdin(file).catch((error) => cannotRead(name, error));
  return checkedKey(text.trim(), name);
}

function checkedKey(key: string, name: string): string {
  if (/^[!-~]+$/.test(key)) return key;
  const reason =
    key === '' ? 'it contains no key' : 'the key contains white space or non-ASCII characters';
  throw settingError(`${name}: ${reason}. Use the key alone.`);
}

async function readCertificates(file: string): Promise<string> {
  const name = 'MOMO_MOCK_REAL_CA_FILE';
  const text = await readFile(file).then(bodyText, (error) => cannotRead(name, error));
  if (certificateBlocks(text).length > 0) return text;
  throw settingError(`${name}: it contains no certificate. Use a PEM file.`);
}

function cannotRead(name: string, { code }: NodeJS.ErrnoException): never {
  throw settingError(`${name}: it cannot be read (${code}). Use the path of a readable file.`);
}

function settingError(problem: string): MomoMockError {
  return new MomoMockError('MOMO_MOCK_SETTINGS_INVALID', `Failed to read ${problem}`);
}

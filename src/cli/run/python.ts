import { copyFile, mkdir } from 'node:fs/promises';
import { basename, delimiter, join } from 'node:path';
import { SITECUSTOMIZE } from '../../redirect/redirect.ts';
import { listProblem } from './environment.ts';

/**
 * Returns the variable that makes Python load the module that redirects hosts. A copy, because other
 * users may not read the package, and Python writes compiled files beside it.
 */
export async function redirectPython(
  folder: string,
  warn: (text: string) => void,
): Promise<Record<string, string>> {
  const path = join(folder, 'python');
  const problem = listProblem(path, 'PYTHONPATH');
  if (problem !== undefined) {
    warn(`Failed to redirect Python programs that use no proxy: ${problem}`);
    return {};
  }
  await mkdir(path);
  await copyFile(SITECUSTOMIZE, join(path, basename(SITECUSTOMIZE)));
  const { PYTHONPATH = '' } = process.env;
  return { PYTHONPATH: PYTHONPATH === '' ? path : [path, PYTHONPATH].join(delimiter) };
}

import { randomUUID } from 'node:crypto';
import { rename, rm, writeFile } from 'node:fs/promises';
import { basename, dirname, join } from 'node:path';
import { cannotWrite, MomoMockError } from '../errors.ts';
import { parseFixtureName } from '../fixtures/fixture-name.ts';
import { createTreeFolder } from '../fixtures/folder.ts';
import { FixtureProblem } from '../fixtures/problem.ts';
import type { Segment } from '../mock/operations/operation.ts';

export interface RecordedFiles {
  /** The name of the operation, such as `GET /momo/status/[reference]`. */
  readonly name: string;
  readonly schema: string;
  /** The path of the fixture if it is only a body. */
  readonly json: string;
  /** The path of the fixture if it is a whole response. */
  readonly http: string;
}

/** @throws MomoMockError `MOMO_MOCK_USAGE` if their names are invalid in a fixture tree */
export async function recordedFiles(
  folder: string,
  segments: readonly Segment[],
  variant?: string,
): Promise<RecordedFiles> {
  const names = segments.map((part) =>
    'parameter' in part ? `[${part.parameter}]` : part.literal,
  );
  const folders = names.slice(0, -1);
  const stem = `${names.at(-1)}.get`;
  const fixture = variant === undefined ? stem : `${stem}.${variant}`;
  const pathOf = async (kind: 'schema' | 'fixed', name: string): Promise<string> => {
    const path = join(folder, ...folders, name);
    try {
      const file = parseFixtureName({ path, folders, name }, 0, false);
      if (file.kind === kind && file.stem === stem) return path;
      throw new FixtureProblem(path, 'this name has another meaning. Use another one.');
    } catch (error) {
      if (!(error instanceof FixtureProblem)) throw error;
      throw new MomoMockError('MOMO_MOCK_USAGE', error.message);
    }
  };
  return {
    name: `GET /${names.join('/')}`,
    schema: await pathOf('schema', `${stem}.schema.json`),
    json: await pathOf('fixed', `${fixture}.json`),
    http: await pathOf('fixed', `${fixture}.http`),
  };
}

/**
 * Neither a crash nor a mock that watches the folder meets half a file.
 *
 * @param replaced a file to delete, because one of the new files replaces it
 * @throws MomoMockError `MOMO_MOCK_FOLDER_UNUSABLE`, also if a path contains a link
 */
export async function writeAll(
  folder: string,
  files: readonly (readonly [path: string, text: string])[],
  replaced: string | undefined,
): Promise<void> {
  // A mock ignores names that begin with a dot.
  const drafts = files.map(([path, text]) => {
    return { path, text, draft: join(dirname(path), `.${basename(path)}.${randomUUID()}`) };
  });
  let failed = '';
  try {
    for (const { path, text, draft } of drafts) {
      failed = path;
      await createTreeFolder(folder, dirname(path));
      await writeFile(draft, text, { flag: 'wx' });
    }
    for (const { path, draft } of drafts) {
      failed = path;
      await rename(draft, path);
    }
    if (replaced !== undefined) {
      failed = replaced;
      await rm(replaced);
    }
  } catch (error) {
    for (const { draft } of drafts) await rm(draft, { force: true }).catch(() => {});
    throw cannotWrite(failed, error);
  }
}

import { resolve } from 'node:path';
import { MomoMockError } from '../errors.ts';
import { isInside } from '../fixtures/folder.ts';
import { LONGEST_FIXTURE } from '../mock/limits.ts';
import type { FixtureTree, Operation } from '../mock/operation.ts';
import type { Redactor } from '../mock/redaction/redaction.ts';
import { parsed, statusFindings } from './check.ts';
import { compare } from './compare.ts';
import { differences, unknownElements } from './differences.ts';
import { findingText } from './finding.ts';
import { NotMadeUp, Originals } from './made-up.ts';
import { type RealService, RealServiceProblem } from './real-service.ts';
import { type RecordedFiles, recordedFiles, writeAll } from './recorded-files.ts';
import { infer, isShape, merge, type Shape } from './shape.ts';
import { type Pairs, requestPath, type Target } from './target.ts';

/** What is recorded, and where. */
export interface RecordOptions {
  readonly tree: FixtureTree;
  /** The user's fixture folder. */
  readonly folder: string;
  readonly service: RealService;
  readonly key: string;
  /** Knows the key. */
  readonly redactor: Redactor;
  readonly target: Target;
  /** The variant that the fixture becomes. @default the default file */
  readonly variant?: string | undefined;
  readonly params: Pairs;
  readonly query: Pairs;
  /** The paths whose values may be written. */
  readonly keep: readonly string[];
  /** Whether to widen the schema that is there. */
  readonly isMerged: boolean;
  /** Whether to overwrite the files that are there. */
  readonly isForced: boolean;
}

/** What record did. */
export interface Recorded {
  /** Why nothing was written, as a whole sentence. */
  readonly refused?: string;
  /** How the schema differs from the one before, or fixtures from the schema. */
  readonly differences: readonly string[];
  /** The files, and what happened to them. */
  readonly files: readonly { readonly path: string; readonly state: 'written' | 'kept' }[];
  /** The places of elements that are unknown, because their lists were empty. */
  readonly unknown: readonly string[];
}

const DIALECT = 'http://json-schema.org/draft-07/schema#';

/**
 * Asks the real service once, and writes the shape of its answer and, where there is none, a fixture
 * of made-up values. All is checked before anything is written.
 *
 * @throws MomoMockError `MOMO_MOCK_REAL_SERVICE_FAILED`, `MOMO_MOCK_USAGE`, `MOMO_MOCK_FOLDER_UNUSABLE`
 */
export async function record(options: RecordOptions): Promise<Recorded> {
  const { folder, target, variant, keep, isForced } = options;
  const { operation } = target;
  const paths = await recordedFiles(folder, target.segments, variant);
  const body = await ask(options, paths.name);

  const before = isOwn(operation?.schema?.file, folder) ? operation?.schema : undefined;
  const found = infer(body);
  if (options.isMerged && before && !isShape(before.schema)) {
    const reason = `${before.file} has rules that record does not write`;
    return refusal(`Failed to merge: ${reason}. Change it by hand, or replace it with --force.`);
  }
  const merged = options.isMerged && before ? merge(before.schema as Shape, found) : found;
  const schema: Shape = { $schema: DIALECT, ...merged };
  const changed = before ? differences(before.schema, schema) : [];
  if (changed.length > 0 && !options.isMerged && !isForced) {
    const fix = 'Widen it with --merge, or replace it with --force.';
    return refusal(`Failed to record: ${before?.file} has another shape. ${fix}`, changed);
  }

  const others = fixturesToFit(operation, folder, variant);
  if (variant !== undefined && operation === undefined) {
    return refusal(
      'Failed to record: a variant needs a default file. Record without --variant first.',
    );
  }
  const there = others.get(variant ?? '')?.file;
  const isWritten = there === undefined || (isForced && there === paths.fixture);
  const texts: [path: string, text: string][] = [];
  if (isWritten) {
    others.delete(variant ?? '');
    const made = makeUp(body, found, keep);
    if ('refused' in made) return refusal(made.refused);
    texts.push([paths.fixture, made.text]);
  }
  const unfit = await misfits(others, schema, paths);
  if (unfit.length > 0) {
    const fix = 'Correct or remove these fixtures, or replace the recorded one with --force.';
    return refusal(`Failed to record: fixtures have another shape. ${fix}`, unfit);
  }
  if (before === undefined || changed.length > 0) texts.push([paths.schema, textOf(schema)]);
  const unsafe = texts.find(([, text]) => options.redactor.isSecret(text));
  if (unsafe) return refusal(`Failed to record: ${unsafe[0]} would contain the key. ${NAMES}`);
  await writeAll(texts);
  const written = texts.map(([path]) => path);
  return {
    differences: changed,
    files: [paths.schema, isWritten ? paths.fixture : there].map((path) => ({
      path,
      state: written.includes(path) ? 'written' : 'kept',
    })),
    unknown: unknownElements(schema),
  };
}

const NAMES = 'The service has it as the name of a member. Write these files by hand.';

function refusal(refused: string, lines: readonly string[] = []): Recorded {
  return { refused, differences: lines, files: [], unknown: [] };
}

function textOf(value: unknown): string {
  return `${JSON.stringify(value, null, 2)}\n`;
}

/** The body of the answer of the real service. */
async function ask(options: RecordOptions, name: string): Promise<unknown> {
  const { service, key, target, params, query } = options;
  try {
    const answer = await service.get(requestPath(target.segments, params), query, key);
    const isGood = answer.status >= 200 && answer.status < 300;
    if (!isGood) {
      statusFindings(answer, 200, true);
      const fix = 'Correct the operation, --param or --query.';
      throw new RealServiceProblem(`the real service answered ${answer.status}`, fix);
    }
    const body = parsed(answer.body);
    if (body !== undefined) return body;
    const fix = 'Record it with curl -i, as docs/fixtures.md shows.';
    throw new RealServiceProblem('the body is not JSON, or has more than 100 levels', fix);
  } catch (error) {
    if (!(error instanceof RealServiceProblem)) throw error;
    const text = `Failed to record ${name}: ${error.message}`;
    throw new MomoMockError('MOMO_MOCK_REAL_SERVICE_FAILED', text);
  }
}

/** The fixture of made-up values, checked as it will be written. */
function makeUp(
  body: unknown,
  shape: Shape,
  keep: readonly string[],
): { readonly text: string } | { readonly refused: string } {
  const originals = new Originals(body, shape, new Set(keep));
  if (keep.some((path) => !originals.paths.has(path))) {
    const all = [...originals.paths].join(', ');
    const text = `Failed to read --keep: the response has no value at a path. Its paths: ${all}.`;
    throw new MomoMockError('MOMO_MOCK_USAGE', text);
  }
  try {
    const text = textOf(originals.makeUp(body));
    originals.check(text);
    if (Buffer.byteLength(text) <= LONGEST_FIXTURE) return { text };
    const fix = 'Ask for less, as with --query limit=10.';
    return { refused: `Failed to record: the fixture would have more than 10 MiB. ${fix}` };
  } catch (error) {
    if (!(error instanceof NotMadeUp)) throw error;
    const paths = error.paths.join(', ');
    const reason = `the fixture would contain values of the real service, at ${paths}`;
    const fix =
      'If they are no secret, allow them with --keep. Otherwise, write the fixture by hand.';
    return { refused: `Failed to record: ${reason}. ${fix}` };
  }
}

/** A fixture that stays, and its body. */
interface FixtureToFit {
  readonly file: string;
  /** The body that the schema has to allow; `undefined` if there is none to compare. */
  readonly body: unknown;
}

/**
 * The fixtures of an operation that its schema has to allow, by variant; `''` is the default. These are
 * the user's, and a shipped default file where a variant is recorded.
 */
function fixturesToFit(
  operation: Operation | undefined,
  folder: string,
  recorded: string | undefined,
): Map<string, FixtureToFit> {
  const all = operation ? [['', operation.default] as const, ...operation.variants] : [];
  const own = all.filter(
    ([variant, { file }]) => isOwn(file, folder) || (variant === '' && recorded !== undefined),
  );
  return new Map(
    own.map(([variant, one]) => {
      const { file } = one;
      if ('handler' in one) return [variant, { file, body: undefined }];
      const isGiven = 'given' in one;
      const status = isGiven ? (one.given.status ?? 200) : one.status;
      const body = isGiven ? one.given.body : parsed(one.body);
      return [variant, { file, body: status < 300 ? body : undefined }];
    }),
  );
}

function isOwn(file: string | undefined, folder: string): boolean {
  return file !== undefined && isInside(resolve(file), resolve(folder));
}

/** How fixtures that stay differ from the schema. */
async function misfits(
  fixtures: ReadonlyMap<string, FixtureToFit>,
  schema: Shape,
  { schema: file }: RecordedFiles,
): Promise<string[]> {
  const lines: string[] = [];
  for (const { file: fixture, body } of fixtures.values()) {
    if (body === undefined) continue;
    const findings = await compare(body, { file, schema });
    const breaking = findings.filter(({ kind }) => kind === 'breaking');
    lines.push(...breaking.map((finding) => `${fixture}: ${findingText(finding)}`));
  }
  return lines;
}

import { resolve } from 'node:path';
import { isDeepStrictEqual } from 'node:util';
import { MomoMockError } from '../errors.ts';
import { isInside } from '../fixtures/folder.ts';
import { MAX_PLACES } from '../mock/limits.ts';
import type { AnyFixture, FixtureTree } from '../mock/operations/operation.ts';
import type { Redactor } from '../mock/redaction/redaction.ts';
import { knownMediaType, parsedBody, statusFindings } from './check.ts';
import { compare } from './compare.ts';
import { findingText } from './finding.ts';
import { type RealResponse, type RealService, RealServiceProblem } from './real-service.ts';
import { type RecordedFiles, recordedFiles, writeAll } from './recorded-files.ts';
import { infer, type Shape, sampleOf, shapesIn, typesOf } from './shape.ts';
import { type Pairs, requestPath, type Target } from './target.ts';

export interface RecordOptions {
  readonly tree: FixtureTree;
  readonly folder: string;
  readonly service: RealService;
  readonly key: string;
  readonly redactor: Redactor;
  readonly target: Target;
  readonly variant?: string | undefined;
  readonly params: Pairs;
  readonly query: Pairs;
  readonly isForced: boolean;
}

export interface Recorded {
  /** Why nothing was written, as a whole sentence. */
  readonly refused?: string;
  /** How the kept fixtures differ from the schema. */
  readonly differences: readonly string[];
  readonly files: readonly { readonly path: string; readonly state: 'written' | 'kept' }[];
  /** The places of elements whose lists were all empty. */
  readonly unknown: readonly string[];
}

/**
 * Sends one request to the real service, and writes the shape of the response as a schema and, where
 * there is none, a fixture that is a sample of the shape. It writes only after all checks.
 */
export async function record(options: RecordOptions): Promise<Recorded> {
  const { folder, target, variant, isForced } = options;
  const { operation } = target;
  const paths = await recordedFiles(folder, target.segments, variant);
  const { response, body } = await request(options, paths.name);

  const shape = infer(body);
  const places = [...shapesIn(shape)];
  if (places.length > MAX_PLACES) {
    const fix = 'Request fewer items, such as with --query limit=10, or write the schema by hand.';
    return refusal(`Failed to record: the response has more than ${MAX_PLACES} members. ${fix}`);
  }
  const schema: Shape = { $schema: 'http://json-schema.org/draft-07/schema#', ...shape };
  const known = operation?.schema;
  const previousSchema = isInFolder(known?.file, folder) ? known : undefined;
  const isSame = isDeepStrictEqual(previousSchema?.schema, schema);
  if (previousSchema && !isSame && !isForced) {
    const fix = 'Overwrite it with --force, and see what changed with git diff.';
    return refusal(`Failed to record: ${previousSchema.file} has another shape. ${fix}`);
  }
  if (variant !== undefined && operation === undefined) {
    return refusal(
      'Failed to record: a variant needs a default file. Record without --variant first.',
    );
  }

  const current = variant === undefined ? operation?.default : operation?.variants.get(variant);
  const existing = isInFolder(current?.file, folder) ? current?.file : undefined;
  const { path: fixture, text } = fixtureOf(response, schema, paths);
  const isReplaced = isForced && (existing === paths.json || existing === paths.http);
  const isWritten = existing === undefined || isReplaced;
  // If a variant is recorded, the schema is also for the shipped default file.
  const kept = operation ? [operation.default, ...operation.variants.values()] : [];
  const differences = await misfits(
    kept.filter(
      (other) =>
        !(isWritten && other === current) &&
        (isInFolder(other.file, folder) || (other === operation?.default && variant !== undefined)),
    ),
    schema,
    paths,
  );
  if (differences.length > 0) {
    const fix = 'Correct or remove these fixtures, or replace the recorded one with --force.';
    return refusal(`Failed to record: fixtures have another shape. ${fix}`, differences);
  }
  const texts: [path: string, text: string][] = [];
  if (isWritten) texts.push([fixture, text]);
  if (!isSame) texts.push([paths.schema, fileText(schema)]);
  const unsafeText = texts.find(([, content]) => options.redactor.isSecret(content));
  if (unsafeText) {
    const fix = 'The service uses the key as a member name. Write these files by hand.';
    return refusal(`Failed to record: ${unsafeText[0]} would contain the key. ${fix}`);
  }
  // A response has one file: .json or .http.
  await writeAll(folder, texts, isReplaced && existing !== fixture ? existing : undefined);
  const written = texts.map(([path]) => path);
  return {
    differences: [],
    files: [paths.schema, isWritten ? fixture : existing].map((path) => ({
      path,
      state: written.includes(path) ? 'written' : 'kept',
    })),
    unknown: places
      .filter(([, place]) => typesOf(place).includes('array') && !place.items)
      .map(([path]) => `${path}[]`),
  };
}

/** A `.json` file if it means the same status and content type, otherwise a `.http` file. */
function fixtureOf(
  { status, headers }: RealResponse,
  schema: Shape,
  { json, http }: RecordedFiles,
): { readonly path: string; readonly text: string } {
  const body = fileText(sampleOf(schema));
  const type = knownMediaType(headers);
  const isJson = type === 'application/json' || type === undefined;
  if (isJson && status === 200) return { path: json, text: body };
  const header = type === 'none' ? '' : `content-type: ${type ?? 'application/json'}\n`;
  return { path: http, text: `HTTP/1.1 ${status}\n${header}\n${body}` };
}

function refusal(refused: string, lines: readonly string[] = []): Recorded {
  return { refused, differences: lines, files: [], unknown: [] };
}

function fileText(value: unknown): string {
  return `${JSON.stringify(value, null, 2)}\n`;
}

async function request({ service, key, target, params, query }: RecordOptions, name: string) {
  try {
    const response = await service.get(requestPath(target.segments, params), query, key);
    if (response.status < 200 || response.status >= 300) {
      statusFindings(response, 200);
      throw new RealServiceProblem(
        `the real service responded with ${response.status}. Correct the operation, --param or --query.`,
      );
    }
    const body = parsedBody(response);
    if (body !== undefined) return { response, body };
    throw new RealServiceProblem(
      'the body is not JSON, or has more than 100 levels. Record it with curl -i, as docs/fixtures.md shows.',
    );
  } catch (error) {
    if (!(error instanceof RealServiceProblem)) throw error;
    const text = `Failed to record ${name}: ${error.message}`;
    throw new MomoMockError('MOMO_MOCK_REAL_SERVICE_FAILED', text);
  }
}

/** The body that the schema must allow; `undefined` if there is nothing to compare. */
function bodyToFit(fixture: AnyFixture): unknown {
  if ('handler' in fixture) return undefined;
  const isGiven = 'given' in fixture;
  const { status = 200 } = isGiven ? fixture.given : fixture;
  const body = isGiven ? fixture.given.body : parsedBody(fixture);
  // Ajv needs plain numbers.
  return status >= 300 || body === undefined ? undefined : JSON.parse(JSON.stringify(body));
}

function isInFolder(file: string | undefined, folder: string): boolean {
  return file !== undefined && isInside(resolve(file), resolve(folder));
}

async function misfits(
  fixtures: Iterable<AnyFixture>,
  schema: Shape,
  { schema: file }: RecordedFiles,
): Promise<string[]> {
  const lines: string[] = [];
  for (const fixture of fixtures) {
    const body = bodyToFit(fixture);
    if (body === undefined) continue;
    const findings = await compare(body, { file, schema });
    const breaking = findings.filter(({ kind }) => kind === 'breaking');
    lines.push(...breaking.map((finding) => `${fixture.file}: ${findingText(finding)}`));
  }
  return lines;
}

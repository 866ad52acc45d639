import { randomUUID } from 'node:crypto';
import { containsText, STATED_CODE } from '../fixtures/fixed-response.ts';
import { exampleOf } from '../mock/contract.ts';
import { parsedJson } from '../mock/json/json-of.ts';
import type { FixtureTree, Operation } from '../mock/operations/operation.ts';
import { bodyText } from '../mock/requests/body-text.ts';
import type { RequestHeaders } from '../mock/requests/request-target.ts';
import { fixtureResponse } from '../mock/responses/decide.ts';
import { compare, type ExpectedSchema } from './compare.ts';
import { breaking, type Finding, NO_MEMBER } from './finding.ts';
import { type RealResponse, type RealService, RealServiceProblem } from './real-service.ts';
import { infer } from './shape.ts';
import { missingParameters, type Pairs, requestPath } from './target.ts';

export interface CheckOptions {
  readonly tree: FixtureTree;
  readonly service: RealService;
  /** The API key of the real service. Without it, only the contract's statements are checked. */
  readonly key?: string | undefined;
  /** The only operation to check. @default all GET operations of the tree */
  readonly operation?: Operation | undefined;
  readonly variant?: string | undefined;
  readonly params: Pairs;
  readonly query: Pairs;
}

export type Outcome =
  | { readonly findings: readonly Finding[] }
  /** Why the check failed, as a whole sentence. */
  | { readonly failed: string }
  | { readonly skipped: string };

export interface Check {
  readonly name: string;
  readonly run: () => Promise<Outcome>;
}

export function checksOf(options: CheckOptions): readonly Check[] {
  const { tree, operation } = options;
  const operations = operation ? [operation] : tree.operations;
  const checks: Check[] = [
    ...(operation ? [] : statedChecks(options)),
    ...operations.map((one) => ({ name: one.name, run: () => checkOperation(one, options) })),
  ];
  return checks.map(({ name, run }) => {
    const failed = (error: unknown): Outcome => {
      if (!(error instanceof RealServiceProblem)) throw error;
      return { failed: `Failed to check ${name}: ${error.message}` };
    };
    return { name, run: () => run().catch(failed) };
  });
}

/** The checks of the contract's statements. They need no key. */
function statedChecks({ service, tree }: CheckOptions): readonly Check[] {
  const names = tree.operations.flatMap(({ name, isOpen }) => (isOpen ? [] : [name]));
  const example = exampleOf(names.filter((name) => /^GET [^:]*$/.test(name)));
  const path = example?.replace('GET ', '') ?? '/';
  const refusesKey = async (key?: string): Promise<Outcome> => {
    if (example === undefined) {
      return { skipped: 'there is no GET operation with a key and without parameters' };
    }
    const response = await service.get(path, [], key);
    const { status, code } = STATED_CODE;
    const wrongStatus = statusFindings(response, status);
    // With the key elsewhere, the contract does not state the code.
    if (wrongStatus.length > 0 || !service.keyRule.isStated) return { findings: wrongStatus };
    const isStated = containsText(parsedBody(response), code);
    return { findings: isStated ? [] : [breaking('body', `a member that is ${code}`, NO_MEMBER)] };
  };
  const refusesPlainHttp = async (): Promise<Outcome> => {
    const isServed = await service.servesPlainHttp(path);
    const finding = breaking('http', 'no service over plain HTTP', 'a response');
    return { findings: isServed ? [finding] : [] };
  };
  return [
    { name: '401 without a key', run: () => refusesKey() },
    { name: '401 with an unknown key', run: () => refusesKey(`mock-${randomUUID()}`) },
    { name: 'no plain HTTP', run: refusesPlainHttp },
  ];
}

/** The response of a handler, as far as it is known. */
const HANDLED = {
  status: 200,
  headers: { 'content-type': 'application/json' },
  body: Buffer.alloc(0),
};

async function checkOperation(
  operation: Operation,
  { tree, service, key, variant, params, query }: CheckOptions,
): Promise<Outcome> {
  if (operation.method !== 'GET') return { skipped: 'only GET requests are sent' };
  if (key === undefined) return { skipped: 'it needs MOMO_MOCK_REAL_KEY' };
  const missing = missingParameters(operation.segments, params);
  if (missing.length > 0) {
    return { skipped: `it needs ${missing.map((name) => `--param ${name}=…`).join(' ')}` };
  }
  const { schema } = operation;
  const fixture = (variant !== undefined && operation.variants.get(variant)) || operation.default;
  if ('given' in fixture && fixture !== operation.default) {
    return { skipped: 'its variant is a scripted response' };
  }
  if ('handler' in fixture && schema === undefined) {
    return { skipped: 'a handler responds, and there is no schema' };
  }
  const expected = fixtureResponse(operation, variant, tree.errors).http ?? HANDLED;
  const response = await service.get(requestPath(operation.segments, params), query, key);
  const wrongStatus = statusFindings(response, expected.status);
  if (wrongStatus.length > 0) return { findings: wrongStatus };
  const value = parsedBody(expected);
  const inferred = value !== undefined && { file: fixture.file, schema: infer(value) };
  const shape = expected.status < 300 && schema ? schema : inferred;
  return {
    findings: [
      ...headerFindings(response.headers, expected.headers),
      ...(shape ? await bodyFindings(response, shape) : []),
    ],
  };
}

/** @throws {@link RealServiceProblem} for a status that says nothing about the operation */
export function statusFindings({ status }: RealResponse, expected: number): readonly Finding[] {
  if (status === expected) return [];
  if (status === 401) {
    throw new RealServiceProblem(
      'the real service refused the key (401). Correct MOMO_MOCK_REAL_KEY.',
    );
  }
  if (status === 429 || status >= 500) {
    throw new RealServiceProblem(`the real service responded with ${status}. Try again later.`);
  }
  return [breaking('status', `${expected}`, `${status}`)];
}

function headerFindings(received: RequestHeaders, expected: RequestHeaders): readonly Finding[] {
  const type = mediaTypeOf(expected['content-type']);
  const isSame = mediaTypeOf(received['content-type']) === type;
  const shown = knownMediaType(received) ?? 'another media type';
  const missing = Object.keys(expected).filter(
    (name) => name !== 'content-type' && received[name] === undefined,
  );
  return [
    ...(isSame ? [] : [breaking('content-type', type, shown)]),
    ...missing.map((name) => breaking(`header ${name}`, 'a value', 'no header')),
  ];
}

async function bodyFindings(response: RealResponse, expected: ExpectedSchema) {
  const { body } = response;
  const value = parsedBody(response);
  if (value !== undefined) return await compare(value, expected);
  return [breaking('body', 'JSON', body.length === 0 ? 'no body' : 'a body that is not JSON')];
}

/** The media types that may be printed and written. Any other text could be a received value. */
const KNOWN_MEDIA_TYPES =
  /^(none|application\/(json|problem\+json|xml|octet-stream|x-www-form-urlencoded)|text\/(plain|html|xml|csv))$/;

/** The media type of a response, or `none`; `undefined` for a type that must not be printed. */
export function knownMediaType({ 'content-type': header }: RequestHeaders) {
  const type = mediaTypeOf(header);
  return KNOWN_MEDIA_TYPES.test(type) ? type : undefined;
}

function mediaTypeOf(header: string | readonly string[] | undefined): string {
  return [header].flat()[0]?.split(';')[0]?.trim().toLowerCase() ?? 'none';
}

/** @returns `undefined` for a text that is not JSON, or has more than 100 levels */
export function parsedBody({ headers, body }: { headers: RequestHeaders; body: Buffer }): unknown {
  const [type] = [headers['content-type']].flat();
  return parsedJson(bodyText(body, type));
}

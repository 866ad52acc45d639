import { MomoMockError } from '../errors.ts';
import {
  type FixtureTree,
  type Operation,
  parameterNames,
  pathForm,
  type Segment,
} from '../mock/operations/operation.ts';

/** Names with values, such as from `--param`. */
export type Pairs = readonly (readonly [name: string, value: string])[];

/** A path segment that can be the name of a file or folder. */
const WORD = /^[A-Za-z0-9][\w.-]*$/;

/** Names that a fixture tree ignores, or reserves for files. */
const NOT_A_FIXTURE = /\.(md|json|http|bak|orig|sw[opx])$|^node_modules$/i;

export interface Target {
  readonly segments: readonly Segment[];
  /** `undefined` for an operation that the tree does not have. */
  readonly operation?: Operation | undefined;
}

/** Finds an operation in the tree, where parameters may have other names. */
export function readTarget({ operations }: FixtureTree, text: string): Target {
  const [, method, path = ''] = /^([A-Z]+) \/(.+)$/.exec(text) ?? [];
  if (method !== undefined && method !== 'GET') {
    throw operationError('only GET requests are sent to the real service');
  }
  const named = operations.find(({ name }) => name === text);
  if (named !== undefined) return { segments: named.segments, operation: named };
  const segments = path.split('/').map((part): Segment | undefined => {
    const parameter = /^(?::(\w+)|\[(\w+)\])$/.exec(part)?.slice(1).join('');
    if (parameter !== undefined) return { parameter };
    return WORD.test(part) && !NOT_A_FIXTURE.test(part) ? { literal: part } : undefined;
  });
  if (!segments.every((segment) => segment !== undefined)) {
    throw operationError('it is not the name of an operation');
  }
  const operation = operations.find(({ name }) => pathForm(name) === pathForm(text));
  return { segments: operation?.segments ?? segments, operation };
}

function operationError(reason: string): MomoMockError {
  const fix = "Use a name such as 'GET /momo/balance' or 'GET /momo/status/[reference]'.";
  return new MomoMockError('MOMO_MOCK_USAGE', `Failed to read --operation: ${reason}. ${fix}`);
}

export function missingParameters(segments: readonly Segment[], params: Pairs): string[] {
  return parameterNames(segments).filter((name) => !params.some(([param]) => param === name));
}

/** @returns the path, percent-encoded */
export function requestPath(segments: readonly Segment[], params: Pairs): string {
  const values = new Map(params);
  const parts = segments.map((part) =>
    'parameter' in part ? (values.get(part.parameter) ?? '') : part.literal,
  );
  return `/${parts.map(encodeURIComponent).join('/')}`;
}

import type { Redactor } from '../redaction/redaction.ts';
import { fixtureResponse } from '../responses/decide.ts';
import type { HttpResponse } from '../responses/http-response.ts';
import type { FixtureTree, Operation } from './operation.ts';

export interface FixtureSummary {
  /** `null` stands for the default file. */
  readonly variant: string | null;
  readonly file: string;
  /** `null` for a handler. */
  readonly status: number | null;
}

/** A fixture file with its response. Configured keys are `[redacted]`. */
export interface FixtureDetails extends FixtureSummary {
  readonly headers: HttpResponse['headers'];
  /** The body as text; empty for a handler. */
  readonly body: string;
}

/** An operation and its files: the default file first, then one for each variant. */
export interface OperationSummary<Fixture extends FixtureSummary = FixtureSummary> {
  readonly name: string;
  /** The file of the schema for its bodies, if there is one. */
  readonly schema: string | null;
  /** Whether requests need a token that was issued for their account. */
  readonly needsToken?: true;
  readonly fixtures: readonly Fixture[];
}

export function operationSummary(operation: Operation, { errors }: FixtureTree): OperationSummary {
  const { name, schema, variants, needsToken } = operation;
  const fixtures = [undefined, ...variants.keys()].map((variant) => {
    const { http, file } = fixtureResponse(operation, variant, errors);
    return { variant: variant ?? null, file, status: http?.status ?? null };
  });
  const token = needsToken && { needsToken };
  return { name, schema: schema?.file ?? null, ...token, fixtures };
}

export function operationDetails(
  operation: Operation,
  { tree, redactor }: { readonly tree: FixtureTree; readonly redactor: Redactor },
): OperationSummary<FixtureDetails> {
  const summary = operationSummary(operation, tree);
  const fixtures = summary.fixtures.map((fixture) => {
    const { http } = fixtureResponse(operation, fixture.variant ?? undefined, tree.errors);
    const headers = JSON.parse(redactor.redactJson(JSON.stringify(http?.headers ?? {})));
    return { ...fixture, headers, body: redactor.redact(http?.body.toString() ?? '') };
  });
  return { ...summary, fixtures };
}

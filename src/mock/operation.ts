import type { Answer } from './answer.ts';

/** A piece of a path between two slashes: fixed text, or a parameter that stands for any text. */
export type Segment = { readonly literal: string } | { readonly parameter: string };

/** An answer that a file of the fixture tree holds. */
export interface Fixture extends Answer {
  /** The file it was read from, as a path that a person can open. */
  readonly file: string;
}

/** What a body of one operation must look like, from `<segment>.<method>.schema.json`. */
export interface BodySchema {
  /** The file it was read from, as a path that a person can open. */
  readonly file: string;
  /**
   * What is wrong with a body (a value as `JSON.parse` gives it), a phrase each, such as
   * `/balance must be array`. Empty where the body is as the schema wants it.
   */
  validate(body: unknown): string[];
}

/** One operation of the service: a method on a path, and the answers that its files hold. */
export interface Operation {
  /** HTTP method in upper case. */
  readonly method: string;
  /** For people and for settings, such as `GET /momo/status/:reference`. */
  readonly name: string;
  /** The path in it. */
  readonly template: string;
  readonly segments: readonly Segment[];
  /** The answer of `<segment>.<method>.json`, which has no variant. */
  readonly default: Fixture;
  /** The answers of `<segment>.<method>.<variant>.json`, by variant. */
  readonly variants: ReadonlyMap<string, Fixture>;
  /** What every 2xx body of the operation must look like, where its author says so. */
  readonly schema?: BodySchema;
}

/** All that the service can say, read from files as a whole. */
export interface FixtureTree {
  readonly operations: readonly Operation[];
  /** The bodies of `errors/NNN`, by status code. */
  readonly errors: ReadonlyMap<number, Fixture>;
}

/** The operation that is shipped, and the one that is meant where none is named. */
export const BALANCE = 'GET /momo/balance';

/** The names of all variants that there are, in order. */
export function variantNames(operations: readonly Operation[]): string[] {
  return [...new Set(operations.flatMap(({ variants }) => [...variants.keys()]))].sort();
}

/** The parts of a request that a schema can check. */
export interface CheckedRequest {
  readonly query: unknown;
  readonly headers: unknown;
  readonly body: unknown;
}

/** A part of a request that violates a schema. It contains names, but no values. */
export interface RequestViolation {
  /** The place, such as `body.amount` or `body.items[2]`. */
  readonly path: string;
  /** The rule, such as `must be number`. */
  readonly message: string;
}

/** The schema for an operation's requests, from `<segment>.<method>.request.schema.json`. */
export interface RequestSchema {
  readonly file: string;
  readonly schema: unknown;
  /**
   * At most 20, in the order of the schema.
   *
   * @param bytes the length of the body. In a large body, it finds only the first violation
   */
  violations(request: CheckedRequest, bytes: number): RequestViolation[];
}

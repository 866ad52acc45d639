/** A whole answer of the service, ready to be sent. */
export interface Answer {
  /** HTTP status code, 200 to 599. */
  readonly status: number;
  /**
   * Header names in lower case, without those that frame the message (`content-length`,
   * `transfer-encoding`, `connection`, `date`, `trailer`). A list is a header that is sent several
   * times.
   */
  readonly headers: Readonly<Record<string, string | readonly string[]>>;
  /** The body's bytes as they go over the wire. Empty where there is none. */
  readonly body: Buffer;
}

/** The answers of the files `errors/NNN`, by status. */
export type ErrorAnswers = ReadonlyMap<number, Answer>;

/** The answer of `errors/<status>`; without such a file, one with no body. */
export function errorAnswer(errors: ErrorAnswers, status: number): Answer {
  return errors.get(status) ?? { status, headers: {}, body: Buffer.alloc(0) };
}

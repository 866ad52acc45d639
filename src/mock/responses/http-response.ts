/** A complete response of the service, ready to send. */
export interface HttpResponse {
  /** HTTP status code, 200 to 599. */
  readonly status: number;
  /**
   * The headers, with names in lower case. They exclude the framing headers: `content-length`,
   * `transfer-encoding`, `connection`, `date` and `trailer`. A list is sent as several headers.
   */
  readonly headers: Readonly<Record<string, string | readonly string[]>>;
  /** The body's bytes; empty without a body. */
  readonly body: Buffer;
}

/** Adds headers, which replace headers with the same name. */
export function withHeaders(http: HttpResponse, more: HttpResponse['headers']): HttpResponse {
  return { ...http, headers: { ...http.headers, ...more } };
}

/** The responses of the files `errors/NNN`, by status. */
export type ErrorResponses = ReadonlyMap<number, HttpResponse>;

/** The response of `errors/<status>`; without such a file, a response without a body. */
export function errorResponse(errors: ErrorResponses, status: number): HttpResponse {
  return errors.get(status) ?? { status, headers: {}, body: Buffer.alloc(0) };
}

/** A whole response of the service, ready to send. */
export interface HttpResponse {
  /** HTTP status code, 200 to 599. */
  readonly status: number;
  /**
   * The headers, with names in lower case, without those that frame the message (`content-length`,
   * `transfer-encoding`, `connection`, `date`, `trailer`). A list is sent as several headers.
   */
  readonly headers: Readonly<Record<string, string | readonly string[]>>;
  /** The bytes of the body as they are sent. Empty without a body. */
  readonly body: Buffer;
}

/** A response with more headers. They replace its own of the same name. */
export function withHeaders(http: HttpResponse, more: HttpResponse['headers']): HttpResponse {
  return { ...http, headers: { ...http.headers, ...more } };
}

/** The responses of the files `errors/NNN`, by status. */
export type ErrorResponses = ReadonlyMap<number, HttpResponse>;

/** The response of `errors/<status>`; without such a file, a response without a body. */
export function errorResponse(errors: ErrorResponses, status: number): HttpResponse {
  return errors.get(status) ?? { status, headers: {}, body: Buffer.alloc(0) };
}

/** A complete response of the service, ready to send. */
export interface HttpResponse {
  readonly status: number;
  /** Names are in lower case, without those that frame a message, such as `content-length`. */
  readonly headers: Readonly<Record<string, string | readonly string[]>>;
  readonly body: Buffer;
}

export function withHeaders(http: HttpResponse, more: HttpResponse['headers']): HttpResponse {
  return { ...http, headers: { ...http.headers, ...more } };
}

/** The responses of the files `errors/NNN`, by status. */
export type ErrorResponses = ReadonlyMap<number, HttpResponse>;

/** The response of `errors/<status>`; without such a file, a response without a body. */
export function errorResponse(errors: ErrorResponses, status: number): HttpResponse {
  return errors.get(status) ?? { status, headers: {}, body: Buffer.alloc(0) };
}

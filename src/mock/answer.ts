/** A whole answer of the service, ready to be sent: nothing in it is computed per request. */
export interface Answer {
  /** HTTP status code, 200 to 599. */
  readonly status: number;
  /**
   * Header names in lower case, without those that frame the message (`content-length`,
   * `transfer-encoding`, `connection`, `date`, `trailer`): the listener adds them. A list is a header that
   * is sent several times.
   */
  readonly headers: Readonly<Record<string, string | readonly string[]>>;
  /** The body's bytes, as they go over the wire. Empty where there is none. */
  readonly body: Buffer;
}

/** A call of the mock to the application under test. */
export interface Callback {
  /** `http://` or `https://`; an empty one is nothing to do. */
  readonly url: string;
  /** @default 'POST' */
  readonly method?: string;
  readonly headers?: Readonly<Record<string, string>>;
  /** Text is sent as it is, anything else as JSON. */
  readonly body?: unknown;
  /** The fields of a form, instead of `body`. */
  readonly form?: Readonly<Record<string, string>>;
  /**
   * The times to wait before each further attempt, in ms, from the end of the attempt before.
   *
   * @default no further attempt
   */
  readonly retry?: readonly number[];
  /** The statuses with which the application accepts it. @default 200 to 299 */
  readonly accept?: readonly number[];
  /** How long an attempt may take, in ms. @default 10000 */
  readonly timeout?: number;
  /** Signs the body: a header with its HMAC in hexadecimal digits. */
  readonly sign?: CallbackSignature;
}

/** How a callback is signed. */
export interface CallbackSignature {
  /** The name of the header. */
  readonly header: string;
  /** The shared secret. */
  readonly secret: string;
  /** @default 'sha256' */
  readonly algorithm?: 'sha1' | 'sha256' | 'sha384' | 'sha512';
}

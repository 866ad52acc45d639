/** Names are in lower case. A repeated header has a list of values. */
export type RequestHeaders = Readonly<Record<string, string | readonly string[] | undefined>>;

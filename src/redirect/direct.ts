/**
 * An option of `request` that keeps a connection from being redirected, for what momo-mock itself
 * sends. `tls-redirect.cjs` reads it.
 */
export const DIRECT: Readonly<Record<symbol, true>> = { [Symbol.for('momo-mock.direct')]: true };

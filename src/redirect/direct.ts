/**
 * A `request` option for momo-mock's own connections, which are never redirected.
 * `tls-redirect.cjs` reads it.
 */
export const DIRECT: Readonly<Record<symbol, true>> = { [Symbol.for('momo-mock.direct')]: true };

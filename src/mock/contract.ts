/** The stated part of the mocked API. Everything else is in fixtures and settings. */

/** The only stated operation. It is the default where a test names no operation. */
export const BALANCE = 'GET /momo/balance';

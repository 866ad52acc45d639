/** What is stated of the API that is mocked. Everything else is in fixtures and settings. */

/** The name of the operation that is stated. Where a test names no operation, this one is meant. */
export const BALANCE = 'GET /momo/balance';

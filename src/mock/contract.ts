/** The stated part of the mocked API. Everything else is in fixtures and settings. */

/** The only stated operation. An empty service lacks it. */
export const BALANCE = 'GET /momo/balance';

/** The operation to show as an example: the balance, or the one that is easiest to request. */
export function exampleOf<Name extends string>(names: readonly Name[]): Name | undefined {
  const isGet = (name: string) => name.startsWith('GET ');
  return (
    names.find((name) => name === BALANCE) ??
    names.find((name) => isGet(name) && !name.includes(':')) ??
    names.find(isGet) ??
    names[0]
  );
}

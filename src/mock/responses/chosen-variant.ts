/**
 * @param names of the account, of all accounts, and of the account's key in the settings
 * @returns the first that the operation has; `undefined` for the default file
 */
export function chosenVariant(
  names: readonly (string | null | undefined)[],
  hasVariant: (name: string) => boolean,
): string | undefined {
  return names.filter((name) => name != null).find(hasVariant);
}

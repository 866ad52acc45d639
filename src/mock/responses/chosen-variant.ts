/** Where the variant of a response can be set. The first one that the operation has is used. */
export interface SetVariants {
  readonly ofAccount: string | null | undefined;
  readonly ofAll: string | null | undefined;
  /** Belongs to the key in the settings. */
  readonly initial: string | null | undefined;
}

/** @returns `undefined` for the default file */
export function chosenVariant(
  { ofAccount, ofAll, initial }: SetVariants,
  hasVariant: (name: string) => boolean,
): string | undefined {
  const names = [ofAccount, ofAll, initial].filter((name) => name != null);
  return names.find(hasVariant);
}

let then: (() => void) | undefined;

/** Sets what is done once a mock has started in this process for the first time. */
export function onFirstStart(act: () => void): void {
  then = act;
}

/** Tells that a mock has started. */
export function started(): void {
  then?.();
  then = undefined;
}

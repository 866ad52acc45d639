/** What waits until a test opens it. */
export interface Gate {
  readonly open: () => void;
  readonly opened: Promise<void>;
}

export function gate(): Gate {
  let open = () => {};
  const opened = new Promise<void>((resolve) => {
    open = resolve;
  });
  return { open, opened };
}

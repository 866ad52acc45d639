/** Why an action was refused, where it was done. */
export function Problem({ text }: { text: string }) {
  // The element is always there, so that screen readers notice when it gets text.
  return (
    <p class="problem" role="alert">
      {text}
    </p>
  );
}

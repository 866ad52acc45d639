import { useRef, useState } from 'preact/hooks';

/** The time for which a button says that it has copied, in ms. */
const SAID = 1500;

/** A line for a shell, and a button that copies it. */
export function CopyLine({ line, label }: { line: string; label: string }) {
  const shown = useRef<HTMLElement>(null);
  return (
    <div class="copy-line">
      <code ref={shown} class="line" dir="ltr">
        {line}
      </code>
      <CopyButton text={line} label={label} fallback={() => select(shown.current)} />
    </div>
  );
}

interface CopyProps {
  readonly text: string | (() => Promise<string>);
  /** What is copied, for screen readers. */
  readonly label: string;
  readonly children?: string;
  /** Called where the browser does not allow to copy: selects the text for the user. */
  readonly fallback?: (text: string) => void;
}

/** A button that copies text. */
export function CopyButton({ text, label, children = 'Copy', fallback }: CopyProps) {
  const [said, setSaid] = useState('');
  const copy = async () => {
    const copied = typeof text === 'string' ? text : await text();
    try {
      // Browsers have it on localhost and over HTTPS only.
      await navigator.clipboard.writeText(copied);
      setSaid('Copied');
    } catch {
      fallback?.(copied);
      setSaid('Selected');
    }
    setTimeout(() => setSaid(''), SAID);
  };
  return (
    <button type="button" class="copy" aria-label={said === '' ? label : said} onClick={copy}>
      {said === '' ? children : said}
    </button>
  );
}

/** Selects the text of an element. */
export function select(element: Element | null): void {
  if (element !== null) getSelection()?.selectAllChildren(element);
}

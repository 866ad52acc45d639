import { Browser, type HTMLElement, type Window } from 'happy-dom';
import { expect, onTestFinished } from 'vitest';

/** What people operate. */
const CONTROLS = 'a[href], button, input, select, summary, textarea';

type Control = HTMLElement & { value: string; disabled?: boolean };

/**
 * The live page in the DOM of happy-dom, which every machine has. A control is named by its part of the
 * page, its kind and its label: `requests/button Pause`.
 */
export interface PageInNode {
  readonly window: Window;
  /** The questions of the page, each confirmed. */
  readonly questions: readonly string[];
  /** Waits for a control that is not disabled. */
  find(name: string): Promise<Control>;
  click(name: string): Promise<Control>;
  /** Writes into a field, or chooses from a list. */
  fill(name: string, value: string): Promise<void>;
  /** The controls that are there. */
  names(): string[];
  /** Waits until there are so many elements. */
  count(selector: string, count: number): Promise<void>;
  says(text: string): Promise<void>;
  /** Hides or shows the page, as when another tab is chosen. */
  hide(isHidden: boolean): void;
  /** The paths that the page has requested. */
  readonly requested: readonly string[];
  /** The controls that have ever been there, and that were not used. */
  unused(): string[];
}

/** Opens the live page of a mock, as it is built. */
export async function openInNode(controlUrl: string): Promise<PageInNode> {
  const browser = new Browser({
    settings: {
      enableJavaScriptEvaluation: true,
      suppressInsecureJavaScriptEnvironmentWarning: true,
    },
  });
  onTestFinished(() => browser.close());
  const questions: string[] = [];
  const requested: string[] = [];
  let isHidden = false;
  const [seen, used] = [new Set<string>(), new Set<string>()];
  const page = browser.newPage();
  const controls = () =>
    [...page.mainFrame.document.querySelectorAll(CONTROLS)] as never as readonly Control[];
  const look = () => {
    for (const control of controls()) seen.add(kindOf(nameOf(control)));
  };
  await page.goto(`${controlUrl}/`, {
    headers: { accept: 'text/html' },
    beforeContentCallback: (window) => {
      // What happy-dom lacks.
      const confirm = (question: string) => questions.push(question) > 0;
      const { fetch } = window;
      Object.defineProperty(window.document, 'hidden', { get: () => isHidden });
      // It keeps responses with an ETag, also those that are not to be kept.
      const fetchAnew = (...given: Parameters<typeof fetch>) => {
        page.context.responseCache.clear();
        requested.push(String(given[0]));
        return fetch.apply(window, given);
      };
      Object.assign(window, { TextDecoderStream, confirm, fetch: fetchAnew });
      const changes = { subtree: true, childList: true, attributes: true, characterData: true };
      new window.MutationObserver(look).observe(window.document, changes);
    },
  });
  // Its types are those of its own window.
  const { window } = page.mainFrame as never as { readonly window: Window };
  const { document } = window;
  const names = () => controls().map(nameOf);
  const find = async (name: string) => {
    const found = () => controls().find((control) => nameOf(control) === name && !control.disabled);
    await expect.poll(() => (found() === undefined ? names() : name)).toBe(name);
    used.add(kindOf(name));
    return found() as Control;
  };
  return {
    ...{ window, questions, requested, names, find },
    hide: (hidden) => {
      isHidden = hidden;
      document.dispatchEvent(new window.Event('visibilitychange'));
    },
    click: async (name) => {
      const control = await find(name);
      control.click();
      return control;
    },
    fill: async (name, value) => {
      const control = await find(name);
      control.value = value;
      for (const type of ['input', 'change']) {
        control.dispatchEvent(new window.Event(type, { bubbles: true }));
      }
    },
    count: async (selector, count) => {
      const length = () => document.querySelectorAll(selector).length;
      await expect.poll(length, { message: selector }).toBe(count);
    },
    says: async (text) => {
      await expect.poll(() => document.body.textContent).toContain(text);
    },
    unused: () => [...seen].filter((kind) => !used.has(kind)),
  };
}

function nameOf(control: Control): string {
  const part = control.closest('section[aria-labelledby], header, dialog');
  const place = part?.getAttribute('aria-labelledby')?.replace('-title', '') ?? 'top';
  const kind = { A: 'link', BUTTON: 'button', SUMMARY: 'summary' }[control.tagName] ?? 'field';
  const label =
    control.closest('label')?.querySelector('span') ??
    control.ownerDocument.querySelector(`label[for="${control.id}"]`) ??
    control;
  return `${place}/${kind} ${control.getAttribute('aria-label') ?? label.textContent.trim()}`;
}

/** The same for all rows of a table, for all that is removed from a list, and for all numbers. */
function kindOf(name: string): string {
  return name
    .replace(/button (.* )?(GET|POST) .*/, 'button of a row')
    .replace(/button Edit the value .*/, 'button of a value')
    .replace(/button Remove .* for .*/, 'button of a scripted response')
    .replace(/\d+/g, '#');
}

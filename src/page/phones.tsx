import { signal } from '@preact/signals';
import { useLayoutEffect, useRef } from 'preact/hooks';
import type { PromptEntry } from '../mock/prompts/prompt.ts';
import { read } from './control-api.ts';
import { ActButton } from './controls.tsx';
import { throttled } from './mock.ts';
import { timeOfDay } from './words.ts';

/** The open prompts of all accounts, whichever account is selected. */
const open = signal<readonly PromptEntry[]>([]);
/** Those that this page no longer shows. */
const hidden = signal<ReadonlySet<number>>(new Set());

export const loadPhones = throttled(async () => {
  open.value = (await read<{ prompts: PromptEntry[] }>('/prompts')).prompts;
}, 250);

/** Forgets what belongs to a mock that may have been replaced. */
export function clearPhones(): void {
  open.value = [];
  hidden.value = new Set();
}

/** More would not fit. */
const MAX_PHONES = 12;

export function Phones() {
  const asked = open.value.filter(({ id }) => !hidden.value.has(id));
  const newest = asked.at(-1);
  const more = asked.length - MAX_PHONES;
  const section = useRef<HTMLElement>(null);
  const title = useRef<HTMLHeadingElement>(null);
  // The button with the focus may be gone after this.
  const hadFocus = section.current?.contains(document.activeElement);
  useLayoutEffect(() => {
    if (hadFocus && !section.current?.contains(document.activeElement)) title.current?.focus();
  });
  return (
    <section class="phones" aria-labelledby="phones-title" ref={section}>
      <h2 id="phones-title" class={newest === undefined ? 'hidden' : ''} tabIndex={-1} ref={title}>
        Phones
      </h2>
      {/* It is always there, so that screen readers notice when it gets text. */}
      <p class="hidden" role="status">
        {newest && `${nameOf(newest)} is asked: ${newest.title}. ${newest.text}`}
      </p>
      {newest !== undefined && (
        // The second click of a double click would hit the phone that moves to the place of the first.
        <ul onClickCapture={(event) => event.detail > 1 && event.stopPropagation()}>
          {asked.slice(0, MAX_PHONES).map((prompt) => (
            <Phone key={prompt.id} {...prompt} />
          ))}
        </ul>
      )}
      {more > 0 && <p class="quiet">{more} more wait until these are gone.</p>}
    </section>
  );
}

function Phone({ id, account, title, text, choices, since }: PromptEntry) {
  const hide = () => {
    hidden.value = new Set([...hidden.value, id]);
  };
  return (
    <li class="phone" aria-labelledby={`phone-${id}`}>
      <p class="quiet">
        {nameOf({ account })}, {timeOfDay(since).slice(0, 8)}
      </p>
      <h3 id={`phone-${id}`}>
        <bdi>{title}</bdi>
      </h3>
      <p>
        <bdi>{text}</bdi>
      </p>
      <div class="buttons">
        {choices.map((choice) => (
          <ActButton
            key={choice}
            class={choice === 'approve' ? 'primary' : ''}
            call={{ method: 'POST', path: `/prompts/${id}`, body: { choice } }}
            done={`${choiceWords(choice)}: ${title}.`}
            onDone={hide}
          >
            {choiceWords(choice)}
          </ActButton>
        ))}
        <button type="button" title="Hides the phone on this page. Nobody answers." onClick={hide}>
          Ignore
        </button>
      </div>
    </li>
  );
}

function nameOf({ account }: Pick<PromptEntry, 'account'>): string {
  return account ?? 'no account';
}

const WORDS: Readonly<Record<string, string>> = {
  'wrong-pin': 'Wrong PIN',
  'no-funds': 'Not enough money',
};

/** Such as `Approve`, and `Call me back` for `call-me-back`. */
function choiceWords(choice: string): string {
  const words = choice.replaceAll('-', ' ');
  return WORDS[choice] ?? words.charAt(0).toUpperCase() + words.slice(1);
}

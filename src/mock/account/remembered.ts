import type { Feed } from '../journal/feed.ts';
import type { readScripts } from '../responses/read-scripts.ts';
import type { prepareWebhook } from '../webhooks/webhook.ts';
import type * as Forms from './saved-forms.ts';

/** One thing that an account remembers. */
export interface Remembered {
  /** The change that readers of the feed are told. */
  readonly event?: string | undefined;
  /**
   * @internal Defines what `save` returns. It is given what it needs, because startup does not load
   *   TypeBox, and published types must not import it.
   */
  form(forms: typeof Forms): Forms.Form;
  /** Its part of a snapshot, as JSON; `undefined` if there is nothing to save. */
  save(): unknown;
  /**
   * Replaces it with a part of a snapshot, in a new account. Nothing begins before the account's `begin`.
   *
   * @param saved has been checked: it has its `form`
   * @internal
   */
  // biome-ignore lint/suspicious/noExplicitAny: `form` defines it
  load(saved: any, restoring: Restoring): void;
}

export interface Restoring {
  /**
   * Loads a part. If it throws a MomoMockError, because the part no longer fits the fixtures, it is
   * reported and left out.
   *
   * @param place in what is loaded, such as `[2]`
   */
  readonly part: (place: string, load: () => void) => void;
  readonly readScripts: typeof readScripts;
  readonly prepareWebhook: typeof prepareWebhook;
}

/** A value that tests set and clear. It is given and saved as `Given`. */
export class RememberedValue<Given, Value = Given> implements Remembered {
  value: Value | undefined;
  readonly event: string;
  /** @internal */
  readonly form: Remembered['form'];
  readonly #feed: Feed;
  readonly #options: ValueOptions<Given, Value>;

  constructor(feed: Feed, options: ValueOptions<Given, Value>) {
    this.#feed = feed;
    this.#options = options;
    this.event = options.event;
    this.form = options.form;
    this.value = options.initial;
  }

  /**
   * `undefined` removes it.
   *
   * @throws MomoMockError if the value does not fit the fixtures
   */
  set(given: Given | undefined): void {
    this.value = given === undefined ? undefined : this.#options.read(given);
    this.#feed.change(this.event);
  }

  save(): unknown {
    const { initial, save } = this.#options;
    // `null`: a test has removed the initial value.
    if (this.value === undefined) return initial === undefined ? undefined : null;
    return save(this.value);
  }

  load(saved: Given | null, { part }: Restoring): void {
    part('', () => {
      this.value = saved === null ? undefined : this.#options.read(saved);
    });
  }
}

interface ValueOptions<Given, Value> {
  readonly event: string;
  /** @internal */
  readonly form: Remembered['form'];
  readonly initial?: Value | undefined;
  /** Throws a MomoMockError if the value does not fit the fixtures. */
  readonly read: (given: Given) => Value;
  readonly save: (value: Value) => Given;
}

import { Store } from './store.ts';

/** Whether the page asks for the token, and why. */
export interface Question {
  readonly isAsked: boolean;
  /** Whether the last token was refused. */
  readonly wasWrong: boolean;
}

/** Asks the user for the token of the control API. */
export class TokenQuestion {
  readonly store = new Store<Question>({ isAsked: false, wasWrong: false });
  #answer: ((token: string) => void) | undefined;

  /** Resolves with the token that the user types. */
  ask(wasWrong: boolean): Promise<string> {
    this.store.set({ isAsked: true, wasWrong });
    return new Promise((resolve) => {
      this.#answer = resolve;
    });
  }

  /** Takes the token that the user has typed. */
  answer(token: string): void {
    this.store.set({ isAsked: false });
    this.#answer?.(token);
  }
}

import type { Answer } from './answer.ts';
import type { Script } from './scripted-response.ts';

/** What decides an answer: the service as a whole, or an account inside it. */
export class Scope {
  /** What a test set in place of the balance's file. */
  balance: Answer | undefined;
  /** The balance to which it goes back. */
  #start: Answer | undefined;
  #scripts: Script[] = [];

  /** The scripted responses that are left, in the order in which they will be used. */
  get scripts(): readonly Script[] {
    return this.#scripts;
  }

  set scripts(scripts: readonly Script[]) {
    this.#scripts = [...scripts];
  }

  /** Uses up one turn of the first scripted response that is for an operation. */
  take(operation: string, beforeKeyCheck: boolean): Script | undefined {
    if (this.#scripts.length === 0) return undefined;
    const index = this.#scripts.findIndex(
      (script) => script.operation === operation && script.beforeKeyCheck === beforeKeyCheck,
    );
    const script = this.#scripts[index];
    if (script === undefined) return undefined;
    script.left--;
    if (script.left === 0) this.#scripts.splice(index, 1);
    return script;
  }

  /** Sets the balance from which it starts, and to which a reset goes back. */
  startWith(balance: Answer): void {
    this.#start = balance;
    this.balance = balance;
  }

  /** Forgets all that it was told since the start. */
  reset(): void {
    this.balance = this.#start;
    this.#scripts = [];
  }
}

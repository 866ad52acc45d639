import type { Answer } from './answer.ts';
import type { Script } from './scripted-response.ts';

/** What decides an answer: the service as a whole, or an account inside it. */
export class Scope {
  /** What a test set in place of the balance's file. */
  balance: Answer | undefined;
  /** The balance to which a reset goes back. */
  #initialBalance: Answer | undefined;
  #scripts: Script[] = [];

  /** The scripted responses that are left, in the order in which they are used. */
  get scripts(): readonly Script[] {
    return this.#scripts;
  }

  set scripts(scripts: readonly Script[]) {
    this.#scripts = [...scripts];
  }

  /** Uses the first scripted response for an operation once. */
  consume(operation: string, beforeKeyCheck: boolean): Script | undefined {
    const index = this.#scripts.findIndex(
      (script) => script.operation === operation && script.beforeKeyCheck === beforeKeyCheck,
    );
    const script = this.#scripts[index];
    if (script === undefined) return undefined;
    script.left--;
    if (script.left === 0) this.#scripts.splice(index, 1);
    return script;
  }

  /** Sets the balance that the scope starts with, and to which a reset goes back. */
  startWith(balance: Answer): void {
    this.#initialBalance = balance;
    this.balance = balance;
  }

  /** Back to the start: no script, and the balance it started with. */
  reset(): void {
    this.balance = this.#initialBalance;
    this.#scripts = [];
  }
}

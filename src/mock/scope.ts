import type { Answer } from './answer.ts';
import type { Script } from './scripted-response.ts';

/** The configuration of the whole service, or of one account, which decides the responses. */
export class Scope {
  /** The balance that a test set, which overrides the fixture. */
  balance: Answer | undefined;
  /** The variant that a test set, which overrides that of the accounts. */
  variant: string | undefined;
  /** The balance that a reset restores. */
  #initialBalance: Answer | undefined;
  #scripts: Script[] = [];

  /** The remaining scripted responses, in the order in which they are used. */
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

  /** Sets the balance at the start, which a reset restores. */
  startWith(balance: Answer): void {
    this.#initialBalance = balance;
    this.balance = balance;
  }

  /** Restores the start state: no scripted responses and no set variant, the initial balance. */
  reset(): void {
    this.balance = this.#initialBalance;
    this.variant = undefined;
    this.#scripts = [];
  }
}

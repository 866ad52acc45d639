import type { ScriptedCallback } from './callback-script.ts';

/** What happens to the next callbacks: of each account, and of the whole service. */
export class CallbackScripts {
  /** The remaining ones; those of the service under `undefined`. */
  readonly #scripts = new Map<string | undefined, ScriptedCallback[]>();

  /** What remains for an account, or for the whole service. */
  get(account?: string): readonly ScriptedCallback[] {
    return this.#scripts.get(account) ?? [];
  }

  /** Replaces what remains for an account, or for the whole service. */
  set(script: readonly ScriptedCallback[], account?: string): void {
    this.#scripts.set(account, [...script]);
  }

  /** Uses the script for the next callback. The script of the account takes priority. */
  consume(account: string | undefined): ScriptedCallback {
    const own = this.#scripts.get(account)?.shift();
    return own ?? this.#scripts.get(undefined)?.shift() ?? {};
  }

  /** Removes what remains for an account, or everything. */
  clear(account?: string): void {
    if (account === undefined) this.#scripts.clear();
    else this.#scripts.delete(account);
  }
}

import { redactedScripts } from '../redacted-scripts.ts';
import type { ScriptedResponse } from '../scripted-response.ts';
import type { ScopeId } from '../store/store.ts';
import type { ScopeContext } from './context.ts';

export class ScopeResponses {
  readonly #context: ScopeContext;
  readonly #id: ScopeId;

  constructor(context: ScopeContext, id: ScopeId) {
    this.#context = context;
    this.#id = id;
  }

  /** The remaining ones. Configured keys in them are redacted. */
  async remaining(): Promise<readonly ScriptedResponse[]> {
    const { store, redactor } = this.#context;
    return redactedScripts((await store.get(this.#id)).scripts, redactor);
  }

  /**
   * Adds scripted responses after the remaining ones.
   *
   * @throws MomoMockError `MOMO_MOCK_REQUEST_INVALID`, `MOMO_MOCK_OPERATION_UNKNOWN`,
   *   `MOMO_MOCK_BODY_REJECTED`
   */
  async add(responses: ScriptedResponse | readonly ScriptedResponse[]): Promise<void> {
    await this.#context.store.change(this.#id, { more: await this.#read(responses) });
  }

  /** Replaces the remaining scripted responses. It throws the same errors as {@link add}. */
  async replace(responses: ScriptedResponse | readonly ScriptedResponse[]): Promise<void> {
    await this.#context.store.change(this.#id, { scripts: await this.#read(responses) });
  }

  /**
   * @param position its place among the remaining ones, from 0
   * @returns whether it existed
   */
  async remove(position: number): Promise<boolean> {
    return await this.#context.store.change(this.#id, { without: position });
  }

  /**
   * Verifies that all scripted responses were used, except those with `times: 'always'`.
   *
   * @throws MomoMockError `MOMO_MOCK_NOT_VERIFIED`
   */
  async verifyUsed(): Promise<void> {
    const { verifyUsed } = await import('../verify/verify.ts');
    const { store, redactor } = this.#context;
    verifyUsed((await store.get(this.#id)).scripts, redactor);
  }

  async #read(responses: ScriptedResponse | readonly ScriptedResponse[]) {
    const { readScripts } = await import('../read-scripts.ts');
    const { operations, redactor } = this.#context;
    return readScripts(responses, { isService: this.#id === undefined, operations, redactor });
  }
}

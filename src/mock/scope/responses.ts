import { parseExact, writeJson } from '../exact-json.ts';
import type { Redactor } from '../redaction/redaction.ts';
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

  /**
   * The remaining ones, with their remaining `times`, and with redacted keys in headers, bodies and
   * callbacks. The mock still serves the keys.
   */
  async remaining(): Promise<readonly ScriptedResponse[]> {
    const { store, redactor } = this.#context;
    const { scripts } = await store.get(this.#id);
    return scripts.map(({ given, operation, left }) => {
      const { headers, body, callback } = given;
      return {
        ...given,
        operation,
        times: left === Infinity ? 'always' : left,
        ...(headers !== undefined && { headers: redacted(headers, redactor) }),
        ...(body !== undefined && { body: redacted(body, redactor) }),
        ...(callback !== undefined && { callback: redacted(callback, redactor) }),
      };
    });
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

function redacted<Value>(value: Value, redactor: Redactor): Value {
  return parseExact(redactor.redactJson(writeJson(value))) as Value;
}

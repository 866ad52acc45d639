import { invalid } from '../../errors.ts';
import { parseExact, writeJson } from '../json/exact-json.ts';
import { MAX_SCRIPTED_RESPONSES } from '../limits.ts';
import type { Redactor } from '../redaction/redaction.ts';
import type { ReadOptions } from '../responses/read-scripts.ts';
import type { Script, ScriptedResponse } from '../responses/scripted-response.ts';
import type { Webhook } from '../webhooks/webhook.ts';
import type { AccountContext } from './account-context.ts';
import type { Remembered, Restoring } from './remembered.ts';
import type * as Forms from './saved-forms.ts';

/** The scripted responses that an account has left, in order of use. */
export class ScriptedResponses implements Remembered {
  readonly event = 'responses';
  readonly #context: AccountContext;
  readonly #options: Pick<ReadOptions, 'isForAll' | 'remember'>;
  #scripts: Script[] = [];

  constructor(context: AccountContext, options: Pick<ReadOptions, 'isForAll' | 'remember'>) {
    this.#context = context;
    this.#options = options;
  }

  /** Takes the first one for an operation, or for any. No other request gets it. */
  take(operation: string, beforeKeyCheck: boolean): Script | undefined {
    const index = this.#scripts.findIndex(
      (script) =>
        (script.operation ?? operation) === operation && script.beforeKeyCheck === beforeKeyCheck,
    );
    const script = this.#scripts[index];
    if (script === undefined) return undefined;
    script.used++;
    script.left--;
    if (script.left === 0) this.#scripts.splice(index, 1);
    const delay = script.delay();
    return { ...script, delay: () => delay };
  }

  /**
   * The remaining ones, with their remaining `times`, and with redacted keys in headers, bodies and
   * webhooks. The mock still serves the keys.
   */
  remaining(): readonly ScriptedResponse[] {
    const { redactor } = this.#context;
    return this.#scripts.map(({ given, operation, left }) => {
      const { headers, body, webhook } = given;
      return {
        ...given,
        ...(operation !== undefined && { operation }),
        times: left === Infinity ? 'always' : left,
        ...(headers !== undefined && { headers: redacted(headers, redactor) }),
        ...(body !== undefined && { body: redacted(body, redactor) }),
        ...(webhook !== undefined && { webhook: redactedWebhooks(webhook, redactor) }),
      };
    });
  }

  get ids(): readonly number[] {
    return idsOf(this.#scripts);
  }

  /** Adds scripted responses after the remaining ones. */
  async add(responses: ScriptedResponse | readonly ScriptedResponse[]): Promise<void> {
    const added = await this.#read(responses);
    const { length: left } = this.#scripts;
    if (left + added.length > MAX_SCRIPTED_RESPONSES) {
      const most = `must be at most ${MAX_SCRIPTED_RESPONSES} in total, and ${left} are left`;
      throw invalid('responses', `${most}. Use times to repeat a response`);
    }
    this.#change([...this.#scripts, ...added]);
  }

  async replace(responses: ScriptedResponse | readonly ScriptedResponse[]): Promise<void> {
    const scripts = await this.#read(responses);
    this.close();
    this.#change(scripts);
  }

  remove(id: number): boolean {
    const position = this.ids.indexOf(id);
    const removed = this.#scripts[position];
    if (removed === undefined) return false;
    if (removed.left !== Infinity) this.#context.counters.countUnused([removed]);
    this.#change(this.#scripts.toSpliced(position, 1));
    return true;
  }

  clear(): void {
    this.close();
    this.#change([]);
  }

  /** @internal */
  form({ Type, closedObject, count, jsonText, RESPONSE }: typeof Forms) {
    const response = jsonText('a scripted response', RESPONSE);
    return Type.Array(closedObject({ response, used: count() }), {
      maxItems: MAX_SCRIPTED_RESPONSES,
    });
  }

  save() {
    if (this.#scripts.length === 0) return undefined;
    return this.#scripts.map(({ given, used }) => ({ response: writeJson(given), used }));
  }

  /** @internal */
  load(saved: Forms.Saved<ScriptedResponses>, { part, readScripts }: Restoring): void {
    for (const [index, { response, used }] of saved.entries()) {
      part(`[${index}]`, () => {
        const given = parseExact(response) as ScriptedResponse;
        this.#scripts.push(...readScripts(given, this.#context, { ...this.#options, used }));
      });
    }
  }

  /** Those with requests left, except those with `times: 'always'`. */
  get unused(): readonly Script[] {
    return this.#scripts.filter(({ left }) => left !== Infinity);
  }

  /** Counts the unused ones, because nothing can use them any more. */
  close(): void {
    this.#context.counters.countUnused(this.unused);
  }

  async #read(responses: ScriptedResponse | readonly ScriptedResponse[]): Promise<Script[]> {
    const { readScripts } = await import('../responses/read-scripts.ts');
    return readScripts(responses, this.#context, this.#options);
  }

  #change(scripts: Script[]): void {
    this.#scripts = scripts;
    this.#context.feed.change('responses');
  }
}

/** Fields of a webhook that are no text of a client, so that a key that is a word changes none of them. */
const CLOSED = ['method', 'delay', 'retry', 'accept', 'timeout', 'before'];
const CLOSED_OF_SIGN = ['secretEncoding', 'algorithm', 'encoding'];

function redactedWebhooks(
  webhook: NonNullable<ScriptedResponse['webhook']>,
  redactor: Redactor,
): NonNullable<ScriptedResponse['webhook']> {
  const redactedOf = ({ sign, ...given }: Webhook): Webhook => ({
    ...redactedExcept(CLOSED, given, redactor),
    ...(sign !== undefined && { sign: redactedExcept(CLOSED_OF_SIGN, sign, redactor) }),
  });
  return isList(webhook) ? webhook.map(redactedOf) : redactedOf(webhook);
}

function isList<Item>(given: Item | readonly Item[]): given is readonly Item[] {
  return Array.isArray(given);
}

function redactedExcept<Fields extends object>(
  closed: readonly string[],
  fields: Fields,
  redactor: Redactor,
): Fields {
  const shown = Object.entries(fields).map(([name, value]) => {
    const isClosed = value === undefined || closed.includes(name);
    return [name, isClosed ? value : redacted(value, redactor)];
  });
  return Object.fromEntries(shown) as Fields;
}

function redacted<Value>(value: Value, redactor: Redactor): Value {
  return parseExact(redactor.redactJson(writeJson(value))) as Value;
}

const known = new WeakMap<object, number>();
let newest = 0;

/** The ids of what is scripted. An entry keeps its id, while its place becomes that of another one. */
export function idsOf(entries: readonly object[]): number[] {
  return entries.map((entry) => {
    const id = known.get(entry) ?? ++newest;
    known.set(entry, id);
    return id;
  });
}

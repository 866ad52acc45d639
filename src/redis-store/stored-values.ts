import type { Answer } from '../mock/answer.ts';
import type { ScriptedCallback } from '../mock/callbacks/callback-script.ts';
import type { RateLimit } from '../mock/rate-limit.ts';
import { readScript, type Script } from '../mock/scripted-response.ts';
import type { Configured, NewAccount, StateLayer } from '../mock/store/store.ts';

/** Balance, variant and rate limit, as they stand in the store. */
export type ShortScope = readonly [
  balance: string | null,
  variant: string | null,
  limit: string | null,
];

/** A scope, as it stands in the store. */
export type StoredScope = readonly [
  ...ShortScope,
  scripts: readonly (readonly [given: string, left: string, used: string])[],
  callbacks: readonly string[],
];

/** How many balances and scripted responses are kept at most. */
const MOST_KEPT = 1000;

/** Reads what stands in the store. What was read last is kept, as long as it is the same text. */
export class StoredValues {
  readonly #balances = new Map<string, Answer>();
  /** Scripted responses by their number, and how many of their delays were drawn. */
  readonly #drawn = new Map<string, { readonly script: Script; drawn: number }>();

  /** What is configured of a scope. */
  configured(scope: ShortScope | StoredScope): Configured {
    const [balance, variant, limit, scripts = [], callbacks = []] = scope;
    return {
      balance: balance === null ? undefined : this.#answer(balance),
      variant: variant ?? undefined,
      rateLimit: limit === null ? undefined : limitOf(limit),
      scripts: scripts.map(([given, left]) => ({
        ...readScript(JSON.parse(given)),
        left: left === 'always' ? Infinity : Number(left),
      })),
      callbacks: callbacks.map((json): ScriptedCallback => JSON.parse(json)),
    };
  }

  /** A balance, which is the same object as long as it is the same text. */
  #answer(json: string): Answer {
    const known = this.#balances.get(json);
    if (known !== undefined) return known;
    const { body, ...head } = JSON.parse(json);
    const answer = { ...head, body: Buffer.from(body) };
    if (this.#balances.size >= MOST_KEPT) this.#balances.clear();
    this.#balances.set(json, answer);
    return answer;
  }

  /** A scripted response that was taken. A seeded delay goes on where the one before it has ended. */
  taken([number, used, given]: readonly unknown[]): Script | undefined {
    if (number === undefined) return undefined;
    const name = `${number}`;
    let kept = this.#drawn.get(name);
    if (kept === undefined || kept.drawn > Number(used)) {
      kept = { script: readScript(JSON.parse(`${given}`)), drawn: 0 };
      if (this.#drawn.size >= MOST_KEPT) this.#drawn.clear();
      this.#drawn.set(name, kept);
    }
    for (; kept.drawn < Number(used); kept.drawn++) kept.script.delay();
    const delay = kept.script.delay();
    kept.drawn++;
    return { ...kept.script, delay: () => delay };
  }
}

/** An account, as it stands in the store. */
export function jsonOfAccount({ key, variant, balance, state }: NewAccount): string {
  return JSON.stringify({
    key,
    variant,
    balance: balance && jsonOfAnswer(balance),
    state: state && Object.fromEntries(state),
  });
}

/** A balance, as it stands in the store. */
export function jsonOfAnswer({ status, headers, body }: Answer): string {
  return JSON.stringify({ status, headers, body: body.toString() });
}

/** A rate limit, as it is written. The store numbers it, so that it counts from then on. */
export function textOf({ limit, window }: RateLimit): string {
  return `${limit} ${window}`;
}

/** The rate limit that stands in the store behind its number. */
export function limitOf(text: string): RateLimit {
  const [, limit, window] = text.split(' ').map(Number);
  return { limit: limit ?? 0, window: window ?? 0 };
}

/** The account with an id. */
export function accountOf([id, json]: readonly [string, string]) {
  const { key, variant: initialVariant } = JSON.parse(json);
  return { id, key, initialVariant };
}

/** The layer of a state that a reply holds. */
export function layerOf(reply: readonly string[]): StateLayer {
  return new Map(
    pairsOf(reply).map(([name, value]) => [name, value === 'n' ? null : value.slice(1)]),
  );
}

/** The names and values of a reply. */
export function pairsOf(list: readonly (string | null)[]): [string, string][] {
  return list.flatMap((name, at): [string, string][] =>
    at % 2 === 0 && list[at + 1] != null ? [[`${name}`, `${list[at + 1]}`]] : [],
  );
}

import type { ScriptedCallback } from '../callbacks/callback-script.ts';
import type { HttpResponse } from '../http-response.ts';
import type { RecordKind } from '../journal/record.ts';
import type { RateLimit } from '../rate-limit.ts';
import type { ScriptedResponse } from '../scripted-response.ts';
import type { Advanced, Edit, NewAccount, ScopeId, StateChanges } from './store.ts';

/** A balance as JSON. Each byte of the body is a character. */
export interface JsonResponse extends Omit<HttpResponse, 'body'> {
  readonly body: string;
}

export interface JsonAccount {
  readonly key: string;
  readonly variant?: string;
  readonly balance?: JsonResponse;
  readonly state?: readonly (readonly [name: string, json: string])[];
}

export interface JsonEdit extends Omit<Edit, 'balance' | 'scripts' | 'more'> {
  readonly balance?: JsonResponse | null;
  readonly scripts?: readonly ScriptedResponse[];
  readonly more?: readonly ScriptedResponse[];
  readonly callbacks?: readonly ScriptedCallback[];
}

/** What all processes must do. */
export type Task = { readonly advance: number | 'idle' } | { readonly send: number };

/** What a process has done of a task. */
export interface Report extends Partial<Advanced> {
  /** The id of the attempt that it made. */
  readonly attempt?: number | undefined;
}

/**
 * What happened to a request or an attempt. `number` counts those of a process, and identifies the
 * record if the event arrives again. The entry is JSON without secrets.
 */
export type RecordEvent = readonly [
  number: number,
  kind: RecordKind,
  ended: boolean,
  bytes: number,
  account: string | null,
  entry: string,
];

/**
 * A change of the memory, as JSON. Applying it reads no clock and no random number: `at` is the
 * time at which it was made, in ms since 1970.
 */
export type StoreEvent =
  | { readonly do: 'begin' }
  | {
      readonly do: 'join';
      readonly peer: string;
      readonly accounts: readonly JsonAccount[];
      readonly at: number;
    }
  | {
      readonly do: 'leave';
      readonly peer: string;
      readonly timers: number;
    }
  | {
      readonly do: 'take';
      readonly account?: string | undefined;
      readonly operation: string;
      readonly isRefused: boolean;
      readonly at: number;
      /** The rate limit of accounts without their own. */
      readonly limit?: RateLimit | undefined;
    }
  | { readonly do: 'add'; readonly account: JsonAccount; readonly at: number }
  | { readonly do: 'remove'; readonly id: string }
  | { readonly do: 'use'; readonly ids: readonly string[]; readonly at: number }
  | { readonly do: 'expire'; readonly before: number }
  | { readonly do: 'change'; readonly scope?: ScopeId; readonly edit: JsonEdit }
  | { readonly do: 'take-callback'; readonly scope?: ScopeId }
  | {
      readonly do: 'write';
      readonly scope?: ScopeId;
      readonly changes: readonly JsonChange[];
      readonly version?: string | undefined;
    }
  | {
      readonly do: 'freeze';
      readonly scope?: ScopeId;
      readonly isFrozen: boolean;
      readonly at: number;
    }
  | { readonly do: 'ask'; readonly id: string; readonly scope?: ScopeId; readonly task: Task }
  | {
      readonly do: 'report';
      readonly id: string;
      readonly peer: string;
      /** Missing for a process that does not report. */
      readonly report?: Report;
    }
  | {
      readonly do: 'records';
      readonly peer: string;
      readonly records: readonly RecordEvent[];
      /** How many records of each journal the process has dropped. */
      readonly dropped?: Readonly<Record<RecordKind, number>>;
    }
  | { readonly do: 'empty'; readonly kind: RecordKind; readonly scope?: ScopeId }
  | {
      readonly do: 'reset';
      readonly scope?: ScopeId;
      readonly at: number;
      /** Whether account ids restart at 1. */
      readonly countsAnew: boolean;
    };

/** A change of a value: `false` deletes it, and `null` also hides the value in `state.json`. */
export type JsonChange = readonly [name: string, json: string | null | false];

export function jsonOfResponse({ status, headers, body }: HttpResponse): JsonResponse {
  return { status, headers, body: body.toString('latin1') };
}

export function responseOf({ status, headers, body }: JsonResponse): HttpResponse {
  return { status, headers, body: Buffer.from(body, 'latin1') };
}

export function jsonOfAccount({ key, variant, balance, state }: NewAccount): JsonAccount {
  return {
    key,
    ...(variant !== undefined && { variant }),
    ...(balance !== undefined && { balance: jsonOfResponse(balance) }),
    ...(state !== undefined && { state: [...state] }),
  };
}

export function jsonOfEdit({ balance, scripts, more, ...others }: Edit): JsonEdit {
  return {
    ...others,
    ...(balance !== undefined && { balance: balance && jsonOfResponse(balance) }),
    ...(scripts !== undefined && { scripts: scripts.map(({ given }) => given) }),
    ...(more !== undefined && { more: more.map(({ given }) => given) }),
  };
}

export function jsonOfChanges(changes: StateChanges): JsonChange[] {
  return Array.from(
    changes,
    ([name, json]): JsonChange => [name, json === undefined ? false : json],
  );
}

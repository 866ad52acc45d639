import { MomoMockError } from '../../errors.ts';
import type { MomoOperation } from '../operations/operation-name.ts';
import type { ScriptedResponse } from '../responses/scripted-response.ts';
import type { MomoState } from '../state/state.ts';
import type { Webhook } from '../webhooks/webhook.ts';

/** Money that moved, or may move, as the provider sees it. */
export interface LedgerEntry {
  /** The provider's id. */
  readonly id: string;
  /** `payment`: a customer pays; `payout`: somebody gets money; `refund`: of a payment. */
  readonly kind: 'payment' | 'payout' | 'refund';
  /** The id of the payment that is refunded; `null` for all other entries. */
  readonly of: string | null;
  /** In the unit of the order, such as GHS, not pesewas. */
  readonly amount: number;
  /** Such as `XOF`. */
  readonly currency: string;
  /** The phone number that pays or receives; empty if the provider does not say. */
  readonly party: string;
  /** The id that the application gave its order; `null` if it gave none. */
  readonly order: string | null;
  /**
   * `pending`: not taken yet, but may be; `success`: taken; `failed`: never taken; `reversed`: taken, and
   * given back.
   */
  readonly state: 'pending' | 'success' | 'failed' | 'reversed';
  /** When it began, ISO 8601. */
  readonly time: string;
}

/** How a payment can end. `never`: it stays pending. */
export type PaymentEnd = 'success' | 'declined' | 'no-funds' | 'expired' | 'never';

/** What a drill tells the functions of `drill.js` about an account. */
export interface DrillAccount {
  /** The state of the account. */
  readonly state: MomoState;
  readonly apiKey: string;
  /** The secret for webhooks, for providers that sign them. */
  readonly webhookSecret: string;
}

/** What a drill tells `prepare`. */
export interface DrillPreparation extends DrillAccount {
  /** The URL at which the application receives webhooks, by flow; empty if it receives none. */
  readonly webhook: { readonly payment: string; readonly payout: string; readonly refund: string };
}

/** What a drill tells the functions that make webhooks and change payments. */
export interface DrillPayment extends DrillAccount {
  readonly payment: LedgerEntry;
  /** The URL at which the application receives webhooks; empty if it receives none. */
  readonly webhook: string;
}

/**
 * What is true of one provider, for drills and the ledger: the default export of `drill.js` at the
 * root of a fixture tree.
 */
export interface MomoDrill {
  /** How payments begin, end and are asked for: `{ payment }`. */
  readonly flows: { readonly payment?: DrillFlow };
  /** State to set in each account, such as `{ tokenSeconds: 100_000_000 }`. */
  readonly state?: Readonly<Record<string, unknown>>;
  /**
   * The names of what an application needs besides the API key, such as `apiUser`. `{credentials.apiUser}` of
   * a configuration stands for it.
   *
   * @default no credentials
   */
  readonly credentials?: readonly string[];
  /**
   * Gets an account ready, and returns the values of all {@link MomoDrill.credentials}, by name. It may also
   * return a `webhookSecret`, if the provider has its own.
   */
  readonly prepare?: (
    account: DrillPreparation,
  ) => Promise<Readonly<Record<string, string>>> | Readonly<Record<string, string>>;
  /** Reads payments, payouts and refunds from the state of an account, in any order. */
  readonly ledger: (
    state: Pick<MomoState, 'get' | 'list'>,
  ) => Promise<readonly LedgerEntry[]> | readonly LedgerEntry[];
  /** Tokens that end. Without it, failures of tokens are not applicable. */
  readonly tokens?: {
    /** The operations that issue tokens. */
    readonly operations: readonly MomoOperation[];
    /** How long tokens are valid with {@link state}, in seconds by the account's clock. */
    readonly seconds: number;
    /** State to set in accounts whose tokens end. */
    readonly state: Readonly<Record<string, unknown>>;
  };
  /** By failure, why this provider can't have it: `NAME` in every flow, or `FLOW:NAME`. */
  readonly cannot?: Readonly<Record<string, string>>;
  /** By failure, one line on what to do if an application does not survive it. Names as in `cannot`. */
  readonly advice?: Readonly<Record<string, string>>;
}

/** How a kind of payment begins, ends and is asked for. */
export interface DrillFlow {
  /** The operations that start it. */
  readonly start: readonly MomoOperation[];
  /** The operations that ask for its state. Empty: nobody can ask. */
  readonly status: readonly MomoOperation[];
  /**
   * Amounts by currency, all valid for the provider: `{ XOF: [1000, 730] }`. The orders of a drill take one
   * after the other. Different numbers of digits, and fractions such as 19.99 if the provider takes them,
   * show amounts that are built in, rounded or compared as text.
   */
  readonly amounts: Readonly<Record<string, readonly number[]>>;
  /** How it can end. Without an end, what needs it is not applicable. */
  readonly ends: Readonly<Partial<Record<PaymentEnd, DrillEnd>>> & { readonly success: DrillEnd };
  /** The state with which payments end after a time by the account's clock, in ms. */
  readonly settle?: (ms: number) => Readonly<Record<string, unknown>>;
  /**
   * How an application finds out what became of a request whose response it did not get: by asking, or by
   * sending the same again with the same id (`status`), by a webhook, or not at all. Where nobody can know,
   * staying pending is right.
   */
  readonly lost: 'status' | 'webhook' | 'unknown';
  /** By operation of `status`, what the provider says of a payment that does not exist. */
  readonly unknown?: Readonly<Record<string, ScriptedResponse>>;
  /** What the provider's webhooks look like. Without it, it sends none. */
  readonly webhooks?: {
    /** The part of a body that only the webhook of a successful payment has. */
    readonly success: unknown;
    /** The part of a body that only the webhook of a pending payment has, if there are any. */
    readonly pending?: unknown;
    /**
     * The genuine webhook that says that this payment has ended so, although it may not have, at the URL that
     * the application gave. With `sign` if the provider signs: the drill forges the signature, or omits it.
     * `undefined` if the provider sends no webhook about this end.
     */
    readonly of: (
      payment: DrillPayment,
      end: 'success' | 'failed',
    ) => Promise<Webhook | undefined> | Webhook | undefined;
  };
  /**
   * Writes another order into the state, which is paid and has the same amount and party.
   *
   * @returns the id of its ledger entry
   */
  readonly addPaidOrder?: (payment: DrillPayment) => Promise<string>;
  /** Changes a pending payment so that the payer pays less, and so its status and its webhook say. */
  readonly payLess?: (payment: DrillPayment) => Promise<void>;
}

/** An end of a payment. */
export interface DrillEnd {
  /**
   * A function that returns an order's phone number, from its number in the drill, from 0, and its currency. The
   * phone numbers of one drill must differ in their last eight digits. A text if all orders have the same.
   */
  readonly phone: string | ((order: number, currency: string) => string);
  /** State to set before the order, so that it ends so. Each end sets the same names. */
  readonly state?: Readonly<Record<string, unknown>>;
  /** Whether the provider refuses the request itself, so that there may be no entry. @default false */
  readonly atOnce?: boolean;
}

/** The environment variable with which an application gets a credential: `apiUser` -> `MOMO_MOCK_DRILL_API_USER` */
export function credentialVariable(name: string): string {
  const words = name.replace(/(?<=[a-z\d])(?=[A-Z])|\W/g, '_');
  return `MOMO_MOCK_DRILL_${words.toUpperCase()}`;
}

/** @throws MomoMockError `MOMO_MOCK_FIXTURE_INVALID` if a fixture tree has no `drill.js`, or not a valid one */
export async function drillIn(
  { drill }: { readonly drill?: () => Promise<MomoDrill> },
  to: string,
): Promise<MomoDrill> {
  if (drill !== undefined) return await drill();
  const why = 'the fixtures have no drill.js, which knows the payments of the provider';
  const fix = 'Use a preset that has one, or add drill.js to your fixtures';
  throw new MomoMockError('MOMO_MOCK_FIXTURE_INVALID', `Failed to ${to}: ${why}. ${fix}.`);
}

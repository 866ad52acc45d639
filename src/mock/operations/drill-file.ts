import { MomoMockError } from '../../errors.ts';
import type { MomoState } from '../state/state.ts';
import type { Webhook } from '../webhooks/webhook.ts';
import type { MomoOperation } from './operation-name.ts';

/** A payment by a customer, or a payout to one, as the provider sees it. */
export interface LedgerEntry {
  /** The provider's id, which {@link MomoDrill.webhooks} gets. */
  readonly id: string;
  readonly kind: 'payment' | 'payout';
  readonly amount: number;
  readonly currency: string;
  /** The phone number of the customer. */
  readonly payer: string;
  /** The id that the application gave its order; `null` if it gave none. */
  readonly order: string | null;
  /** `pending` was taken from nobody yet, but may be. */
  readonly state: 'pending' | 'success' | 'failed';
  /** When it began, ISO 8601. */
  readonly time: string;
}

/** How a payment can end. */
export type PaymentEnd = 'success' | 'declined' | 'no-funds' | 'expired';

/** What a drill tells `prepare` of an account. */
export interface DrillAccount {
  /** The state of the account. */
  readonly state: MomoState;
  readonly apiKey: string;
  /** A random secret for webhooks, for providers that sign them. */
  readonly webhookSecret: string;
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
  /** The operations that start a payment by a customer. */
  readonly pay: readonly MomoOperation[];
  /** The operations that ask for the state of a payment. Empty: the provider has none. */
  readonly status: readonly MomoOperation[];
  /** The amount of each order. */
  readonly amount: number;
  /** The currency of each order, such as `XOF`. */
  readonly currency: string;
  /**
   * For each end, the payer's phone number, and the state to set in the account, if it needs any. All of
   * these payments are accepted at first, and end some time later by the account's clock.
   */
  readonly ends: Readonly<Partial<Record<PaymentEnd, DrillEnd>>> & { readonly success: DrillEnd };
  /** State to set in each account, such as `{ tokenSeconds: 100_000_000 }`. */
  readonly state?: Readonly<Record<string, unknown>>;
  /**
   * The names of what an application needs besides the API key, such as `apiUser`. `{credentials.apiUser}` of
   * a configuration stands for it.
   *
   * @default no credentials
   */
  readonly credentials?: readonly string[];
  /** Gets an account ready, and returns the values of all {@link MomoDrill.credentials}, by name. */
  readonly prepare?: (
    account: DrillAccount,
  ) => Promise<Readonly<Record<string, string>>> | Readonly<Record<string, string>>;
  /** Reads the payments and payouts from the state of an account, in any order. */
  readonly ledger: (
    state: Pick<MomoState, 'get' | 'list'>,
  ) => Promise<readonly LedgerEntry[]> | readonly LedgerEntry[];
  /**
   * How an application can find out what became of a payment whose response was lost: by asking for it
   * with an id of its own, by its webhook, or not at all. Then staying pending is right.
   */
  readonly lostPayment: 'status' | 'webhook' | 'unknown';
  /** Tokens that end. Without it, `token-expired` is not applicable. */
  readonly tokens?: {
    /** The operations that issue tokens. */
    readonly operations: readonly MomoOperation[];
    /** How long tokens are valid in `token-expired`, in seconds by the account's clock. */
    readonly seconds: number;
    /** State to set in the account of `token-expired`. */
    readonly state: Readonly<Record<string, unknown>>;
  };
  /** Webhooks about payments. Without it, the provider sends none. */
  readonly webhooks?: {
    /** The part of a body that only the webhook of a successful payment has. */
    readonly success: unknown;
    /** The part of a body that only the webhook of a pending payment has, if there are any. */
    readonly pending?: unknown;
    /**
     * The genuine webhook that says that this payment is successful, although it may not be. With `sign` if
     * the provider signs: the drill forges the signature, or omits it.
     */
    readonly of: (payment: DrillPayment) => Promise<Webhook> | Webhook;
  };
  /**
   * Writes another order into the state, which is paid and has the same amount and payer.
   *
   * @returns the id of its ledger entry
   */
  readonly addPaidOrder?: (payment: DrillPayment) => Promise<string>;
  /** Changes a pending payment so that the payer pays less, and so its status and its webhook say. */
  readonly payLess?: (payment: DrillPayment) => Promise<void>;
  /** By failure, why this provider can't have it. */
  readonly cannot?: Readonly<Record<string, string>>;
  /** By failure, one line on what to do if an application does not survive it. */
  readonly advice?: Readonly<Record<string, string>>;
}

/** An end of a payment. */
export interface DrillEnd {
  readonly phone: string;
  readonly state?: Readonly<Record<string, unknown>>;
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

import { isSecretName } from '../mock/redaction/secret-names.ts';

/** What an order needs to reach the provider, which a mock plays: one account of it. */
export interface DrillProvider {
  /** Base URL of the provider, without a trailing slash. */
  readonly url: string;
  /** The certificate to trust, PEM. */
  readonly ca: string;
  readonly apiKey: string;
  /** The secret that webhooks are signed with, if the provider signs them. */
  readonly webhookSecret: string;
  /** What else the provider gives its customers, by name, such as a shortcode. */
  readonly credentials: Readonly<Record<string, string>>;
}

/** Credentials that are no secrets, such as a shortcode or "sandbox", may be words of any sentence or URL. */
export function secretsOf({ apiKey, webhookSecret, credentials }: DrillProvider): string[] {
  const named = Object.entries(credentials).filter(([name]) => isSecretName(name));
  return [apiKey, webhookSecret, ...named.map(([, value]) => value)];
}

/** An order to pay. */
export interface DrillOrder {
  /** The id of the order, unique over all runs. */
  readonly order: string;
  /** Each order has another amount. */
  readonly amount: number;
  readonly currency: string;
  /** The phone number of the payer. Each order has another one. */
  readonly phone: string;
  readonly provider: DrillProvider;
}

/** What the application believes about an order. */
export interface DrillOutcome {
  readonly state: 'paid' | 'pending' | 'failed';
  /** How often the order was fulfilled: goods sent, credit added. */
  readonly fulfilled?: number;
}

/** The application under test, as the drill calls it. */
export interface Application {
  /** Starts a payment, as a customer would. It may throw in all failures but `success`. */
  pay(order: DrillOrder): Promise<unknown>;
  /**
   * What the application believes now, with or without `fulfilled`. `undefined` or `null` if it does not know
   * the order.
   */
  outcome(order: DrillOrder): Promise<DrillOutcome | DrillOutcome['state'] | null | undefined>;
  /** Does what a cron job of the application would do: ask for payments that are pending. */
  reconcile?(order: DrillOrder): Promise<unknown>;
  /** Where the application receives webhooks. */
  readonly webhook?: string | undefined;
}

/** An application that was opened for one failure. */
export interface OpenApplication extends Omit<Application, 'outcome' | 'webhook'> {
  /**
   * With `note`, a sentence about the outcome, such as a word that is in no list.
   *
   * @throws DrillStopped if no other response could be read, either
   */
  outcome(
    order: DrillOrder,
  ): Promise<(DrillOutcome & { note?: string }) | DrillOutcome['state'] | null | undefined>;
  /** How the application's process ended, in words; `undefined` while it runs. */
  crash?(): string | undefined;
  /** A sentence on how its requests find the mock, for an application that sends none. */
  readonly redirect?: string;
  close(): Promise<void>;
}

/** Where the application of one failure will run. */
export interface DrillPlace {
  /** Where it will receive webhooks. */
  readonly webhook?: string | undefined;
  /**
   * @param options.trusts whether its environment trusts the mock. Without it, the application's own checks of
   *   certificates show
   * @throws Error with a sentence if the application does not start
   */
  open(
    provider: DrillProvider,
    options: { readonly trusts: boolean; readonly signal: AbortSignal },
  ): Promise<OpenApplication>;
}

/** Opens the application for each failure, which has an account of its own. */
export interface DrillTarget {
  /** Whether one process has all orders, so that nothing of it starts or ends with a failure. */
  readonly isShared: boolean;
  /** How many applications may go on while the next failures run. */
  readonly maxWatched: number;
  /** Chooses a port for the application, before it has an account. */
  place(provider: Omit<DrillProvider, 'credentials'>, failure: string): Promise<DrillPlace>;
}

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

/** An order to pay. */
export interface DrillOrder {
  /** The id of the order, unique over all runs. */
  readonly order: string;
  readonly amount: number;
  readonly currency: string;
  /** The phone number of the payer. */
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
  /** What the application believes now, with or without `fulfilled`. */
  outcome(order: DrillOrder): Promise<DrillOutcome | DrillOutcome['state']>;
  /** Does what a cron job of the application would do: ask for payments that are pending. */
  reconcile?(order: DrillOrder): Promise<unknown>;
  /** How the application's process ended, in words; `undefined` while it runs. */
  crash?(): string | undefined;
  /** Where the application receives webhooks. */
  readonly webhook?: string | undefined;
}

/** Opens the application for one failure, which has an account of its own. */
export interface DrillTarget {
  /**
   * @param failure the name of the failure. `wrong-certificate` opens the application for each certificate
   * @param signal aborted when the drill stops
   * @throws Error with a sentence if the application does not start, which stops the drill
   */
  open(
    provider: DrillProvider,
    failure: string,
    signal: AbortSignal,
  ): Promise<Application & { close(): Promise<void> }>;
}

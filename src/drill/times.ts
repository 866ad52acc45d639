/** A time that the drill waits, or lets pass. */
interface Time {
  /** In ms, with the usual limit. */
  readonly ms: number;
  /** Whether a `limit` below the usual one makes it shorter in proportion. */
  readonly isScaled: boolean;
}

const fixed = (ms: number): Time => ({ ms, isScaled: false });
const scaled = (ms: number): Time => ({ ms, isScaled: true });

/** How long the drill waits for what it brings about itself, in ms. */
export const USUAL_LIMIT = 20_000;
/** How long it waits for what is the application's, in ms: longer than the usual timeouts of clients. */
export const USUAL_PATIENCE = 60_000;
/** What they may be, in ms. No client waits for more than an hour, so more is a mistake in the unit. */
export const LIMIT = { minimum: 1000, maximum: 600_000 };
export const PATIENCE = { minimum: 1000, maximum: 3_600_000 };

/** All times of the drill. Those that wait for an application are stretched by {@link Pace}. */
export const TIMES = {
  /** Between two looks at the application: often enough to see a state that lasts for a moment. */
  look: fixed(100),
  /** The longest time between two looks, however slow the application is. */
  slowLook: fixed(1000),
  /** Between two looks at an application that is only watched. */
  watchedLook: fixed(1500),
  /** An outcome takes no longer to tell, or is not told. */
  outcome: fixed(15_000),
  /** Between two calls of `reconcile`, as a cron job that runs often. */
  reconcile: scaled(500),
  /** An application that got a reference saves it before it is told how the payment ended. */
  keepReference: fixed(300),
  /** After this time without a sign of an application that blocks in `pay`, the clock moves on. */
  blockedPay: fixed(2000),
  /** A contradiction that is shorter is an application that saves what it learned. */
  save: fixed(400),
  /** An order that nobody knows for so long was not saved. */
  forget: fixed(2000),
  /** The application and the ledger agree, and nothing happens. What comes later is watched. */
  calm: fixed(300),
  /** The same where something may still come: the application waits, or gave up before it was charged. */
  giveUp: scaled(5000),
  /** A lost response is the only thing that happened: the time for another attempt. */
  tryAgain: scaled(5000),
  /** A second question should fail, too. It need not come. */
  failQuestions: scaled(1000),
  /** The drill holds final webhooks for an occasion that the application has to give. */
  hold: scaled(5000),
  /** The time to believe a webhook that should not be believed, before the true end comes. */
  believe: scaled(2000),
  /** What the application does before a late webhook: it should not give up. */
  beforeLateWebhook: scaled(6000),
  /**
   * Queues do things some seconds later, such as a second charge. With {@link TIMES.giveUp} and
   * {@link TIMES.tryAgain}, an application is looked at for 22 s after a lost response.
   */
  watch: scaled(12_000),
  /** An outage. */
  outage: fixed(20_000),
  /** `retry-after`. */
  retryAfter: scaled(3000),
  /** A timer may end a bit early, and clocks differ in their digits. */
  tolerance: fixed(100),
  /** The second click of an impatient customer, and one that comes while the first is being sent. */
  lateClick: fixed(1000),
  quickClick: fixed(25),
  /** The response to an early webhook: a server with one worker handles it only after the response. */
  earlyWebhook: fixed(500),
  /** A question gets its response when a webhook was acknowledged, at the latest after this time. */
  questionInFlight: fixed(2000),
  /** No attempt to connect for so long: the application has given up. */
  connect: fixed(900),
  /** How far the provider's clock moves in one look at most. Longer waits take a second of real time. */
  shortWait: fixed(60_000),
  /** A backlog at the provider, by its clock. */
  late: fixed(90 * 60_000),
  /** How long a webhook that says pending is delayed, by the provider's clock. */
  pendingWebhook: fixed(30_000),
  /** A payment ends so long after its token, by the provider's clock. */
  afterToken: fixed(600_000),
} satisfies Readonly<Record<string, Time>>;

export type TimeName = keyof typeof TIMES;

/** How long the drill waits for an application, if nobody says it, in ms. */
export function patienceFor(limit: number): number {
  return Math.round(USUAL_PATIENCE * Math.min(1, limit / USUAL_LIMIT));
}

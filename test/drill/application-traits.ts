import type { BreakFaults } from './broken-question.ts';

/** What can be wrong with the application. Each is a mistake that somebody made. */
export interface Faults extends BreakFaults {
  // What it asks the provider for.
  readonly chargesFixedAmount?: boolean;
  /** Rounds down to hundreds. */
  readonly roundsAmount?: boolean;
  readonly chargesFixedCurrency?: boolean;
  readonly chargesFixedPhone?: boolean;
  /** Keeps the phone number of the order before, as a variable that is set too late does. */
  readonly chargesPreviousPhone?: boolean;
  /** Writes the prefix of its own country before each number. */
  readonly hasFixedPrefix?: boolean;
  /** Sends the id of the order before. */
  readonly sendsPreviousOrder?: boolean;

  // When it pays, and how often.
  /** Each attempt has another id, so that the provider takes each. */
  readonly newIdForEachAttempt?: boolean;
  readonly retriesForEver?: boolean;
  readonly ignoresRetryAfter?: boolean;
  readonly paysForEachClick?: boolean;
  /** Looks whether there is the order already, and inserts it a moment later. */
  readonly insertsAfterCheck?: boolean;
  /** Takes a click for the same one only within half a second. */
  readonly forgetsClicks?: boolean;
  /** Pays again for the second click, from a queue. */
  readonly queuesSecondClick?: boolean;
  /** Pays again for each paid order, from a queue. */
  readonly chargesAgainLater?: boolean;
  /** A 503 means failed, and a queue pays later. */
  readonly failsAndChargesLater?: boolean;

  // What a lost response means.
  readonly timeoutMeansFailed?: boolean;
  /** A broken connection and an error of the server mean failed, too. */
  readonly errorMeansFailed?: boolean;
  /** Any 2xx means paid, without a look at the body. */
  readonly okMeansPaid?: boolean;
  readonly hasNoTimeout?: boolean;
  /** Gives the money back, because it does not know whether it was taken. */
  readonly refundsLost?: boolean;
  /** Saves the order after the response. */
  readonly savesAfterResponse?: boolean;

  // How a payment ends.
  readonly pendingMeansPaid?: boolean;
  readonly ignoresAmount?: boolean;
  /** `"750"` is more than `"1500"`. */
  readonly comparesAmountAsText?: boolean;
  readonly shipsBeforeComparing?: boolean;
  readonly ignoresRefusals?: boolean;
  /** Gives back what was never taken. */
  readonly refundsDeclined?: boolean;
  readonly neverFulfils?: boolean;
  readonly givesUpEarly?: boolean;

  // Questions.
  readonly neverAsks?: boolean;
  /** A question that fails means that the payment failed. */
  readonly brokenQuestionMeansFailed?: boolean;
  readonly hasNoTimeoutForQuestions?: boolean;
  /** Looks whether the order is paid before it asks, and not when it knows the state. */
  readonly checksBeforeAsking?: boolean;
  /** Two runs of the cron job read that the order is pending, and both fulfil it. */
  readonly racesInCron?: boolean;
  readonly trustsAnyCertificate?: boolean;

  // Webhooks.
  readonly believesForgeries?: boolean;
  /** Verifies only webhooks that say success. */
  readonly believesForgedFailures?: boolean;
  /** Puts webhooks into a queue that believes them. */
  readonly queuesForgeries?: boolean;
  /** Asks the provider whether a webhook is true, and believes it if that fails. */
  readonly believesWhileDown?: boolean;
  /** Finds the order of a webhook by amount and phone. */
  readonly matchesByAmount?: boolean;
  readonly fulfilsForEachWebhook?: boolean;
  /** The same, from a queue. */
  readonly fulfilsAgainLater?: boolean;
  /** Two webhooks read that the order is pending, and both fulfil it. */
  readonly racesInWebhooks?: boolean;
  /** A webhook that says pending makes a paid order pending. */
  readonly lastWebhookCounts?: boolean;
  /** Saves the reference of an order after the response, accepts webhooks of others, and never asks. */
  readonly forgetsEarlyWebhooks?: boolean;
}

/** How else an application may be right. */
export interface Habits {
  /** Starts the payment after `pay` has come back. */
  readonly paysLater?: boolean;
  /** `pay` comes back when the payment has ended, or after so many ms. */
  readonly waitsForPayer?: number;
  /** Leaves the next attempt to its cron job, which does not run often. */
  readonly retriesFromCron?: boolean;
  /** Its cron job asks only about orders that are older, in ms. */
  readonly asksAfter?: number;
  /** Sends an id of its own, or none: then it pays once, and never again. */
  readonly id?: 'own' | 'none';
  /** Asks for the webhooks of each order at another URL. */
  readonly hasUrlForEachOrder?: boolean;
  /** Acknowledges a webhook so many ms after it was handled. */
  readonly acknowledgesAfter?: number;
  /** Handles a webhook so many ms after it came. */
  readonly handlesAfter?: number;
  /** Does one thing after the other, as a server with one worker. */
  readonly hasOneWorker?: boolean;
  /** Asks for no webhooks. */
  readonly takesNoWebhooks?: boolean;
  /** Its server responds to each webhook with this status, and does not handle it. */
  readonly refusesWebhooks?: number;
}

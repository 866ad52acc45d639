import type { WebhookEntry } from '../mock/journal/entry.ts';
import type { DrillOrder } from './application.ts';
import type { OrderEntry } from './facts.ts';

/** What `success` shows of the application, which decides what its later failures mean. */
export class Learned {
  /** Whether it sends the id of an order to the provider; `undefined` without a payment. */
  sendsOrder: boolean | undefined;
  /** Whether it tells how often an order was fulfilled. */
  tellsFulfilled = false;
  /** Whether it has orders that are pending, for which it may ask at any time. */
  leavesPending = false;
  /** A genuine webhook that its URL refused, if it acknowledged none. */
  refusedWebhook: { readonly url: string; readonly status: number } | undefined;
  #isAcknowledged = false;

  learn(
    { order }: DrillOrder,
    charges: readonly OrderEntry[],
    webhooks: readonly WebhookEntry[],
    sent: ReadonlySet<string>,
  ): void {
    if (charges.length > 0) {
      this.sendsOrder = charges.every((entry) => entry.order?.includes(order));
    }
    for (const { url, status, webhookId } of webhooks) {
      if (status === null || sent.has(webhookId)) continue;
      this.#isAcknowledged ||= status >= 200 && status < 300;
      this.refusedWebhook = this.#isAcknowledged ? undefined : { url, status };
    }
  }
}

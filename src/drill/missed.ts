import { type Facts, isScripted, money, seconds } from './facts.ts';
import type { Wrong } from './judge.ts';
import type { Stage } from './stage.ts';

export const NO_REQUEST = 'the application sent no request';
export const NO_PAYMENT = 'no payment was taken';
export const NO_WEBHOOK = 'no webhook came to which it could happen';

export function notCharged({ charges, requests }: Facts): string | undefined {
  if (requests.length === 0) return NO_REQUEST;
  return charges.length === 0 ? NO_PAYMENT : undefined;
}

/** If a timer comes later than this, in ms, a client may time out although its response is there. */
const TOO_LATE = 1000;

/**
 * Why an application did not get to what the failure is about, if the drill did not keep it from that: on a busy
 * machine, its own timeouts are too short. That it can pay, `success` has shown.
 *
 * @param lateness how late a timer of the drill came at most, in ms
 */
export function gaveUp({ kind }: Wrong, facts: Facts, lateness = 0): string | undefined {
  if (lateness > TOO_LATE) {
    return `a timer of the drill came ${seconds(lateness)} late, so this machine is too busy, or the application blocks its thread`;
  }
  const { order, flow, starts, tokenCalls } = facts;
  const isStart = kind === 'not-started';
  if (!isStart && !(kind === 'pending-charged' && flow.lost !== 'status')) return undefined;
  const needed = [...starts, ...(isStart ? tokenCalls : [])];
  const left = needed.find((request) => request.aborted && !isScripted(request));
  if (left === undefined) {
    const isUnsent = isStart && starts.length === 0;
    return isUnsent ? `the application did not ask for ${money(order)}` : undefined;
  }
  return `the application gave up ${left.operation} after ${seconds(left.duration ?? 0)}, before the provider responded`;
}

/** Why webhooks did not get through, if they did not. A status says that the application got it. */
export function unreached({ webhooks }: Facts, stage: Stage, least: number): string | undefined {
  const arrived = webhooks.filter(({ status, reason }) => status !== null || reason === 'timeout');
  if (arrived.length >= least) return refusedIn(stage);
  const failed = webhooks.find(({ reason }) => reason !== null);
  if (failed === undefined) return NO_WEBHOOK;
  return `the webhook did not reach ${failed.url} (${failed.reason})`;
}

/** Why no webhook gets through: the URL refuses the genuine ones, too. */
export function refusedIn({ options }: Stage): string | undefined {
  const { refusedWebhook } = options.learned;
  if (refusedWebhook === undefined) return undefined;
  const { url, status } = refusedWebhook;
  return `webhooks do not get through: ${url} responds with ${status}, in success as well`;
}

/** Why the webhooks that the drill sent did not reach the application, if they did not. */
export function elsewhere({ webhooks }: Facts, stage: Stage): string | undefined {
  const own = webhooks.filter(({ webhookId }) => stage.sent.has(webhookId));
  if (own.length === 0) return NO_PAYMENT;
  const failed = own.find(({ status, reason }) => status === null && reason !== 'timeout');
  if (failed !== undefined) return `the webhook did not reach ${failed.url} (${failed.reason})`;
  const genuine = webhooks.filter(
    ({ webhookId, reason }) => !stage.sent.has(webhookId) && reason !== 'lost',
  );
  const place = (url: string) => url.split('?')[0];
  // Not `webhook`: some providers know the URL of each payment.
  const isSame = genuine.some(({ url }) => own.some((one) => place(one.url) === place(url)));
  if (genuine.length > 0 && !isSame) {
    return `the application asks for webhooks at ${genuine[0]?.url}, but webhook is ${stage.webhook}`;
  }
  return refusedIn(stage);
}

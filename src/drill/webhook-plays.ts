import type { Webhook } from '../mock/webhooks/webhook.ts';
import type { ScriptedWebhook } from '../mock/webhooks/webhook-script.ts';
import type { Facts } from './facts.ts';
import type { Happened } from './failure.ts';
import { isSettled } from './judge.ts';
import { isOverAndScripted, NEVER_ASKED } from './lost-plays.ts';
import type { Stage } from './stage.ts';
import { TIMES } from './times.ts';

export const MAX_SCRIPTED = 100;

export function successful({ webhooks }: Stage['flow']): ScriptedWebhook['match'] & object {
  return { body: webhooks?.success };
}

export function scriptWebhooks(
  script: (stage: Stage) => ScriptedWebhook,
  count = MAX_SCRIPTED,
): (stage: Stage) => Promise<void> {
  return (stage) => stage.account.scriptWebhooks(Array(count).fill(script(stage)));
}

/** Whether the application waits for the end of a payment. */
export function canForge(stage: Stage, facts: Facts): boolean {
  return facts.taken.length > 0 && stage.canMove(facts);
}

/** Ends the payment, without a call of the cron job, which could learn it before the webhook comes. */
export async function endQuietly(stage: Stage): Promise<Facts> {
  await stage.until((facts) => canForge(stage, facts));
  const hasEnded = ({ charges }: Facts) => charges.some(({ state }) => state === 'success');
  const facts = await stage.until(hasEnded, { moves: true, reconciles: false });
  await stage.account.clearWebhookScript();
  return facts;
}

/** A question gets its response when the webhook is acknowledged. */
export async function sendWhileAsked(stage: Stage): Promise<Happened | undefined> {
  const facts = await endQuietly(stage);
  const webhook = await webhookOf(stage, facts, 'success');
  if (webhook === undefined) return undefined;
  await stage.account.scriptWebhooks([{ before: TIMES.questionInFlight.ms }]);
  await stage.account.respondWith(stage.flow.status.map((operation) => ({ operation, webhook })));
  stage.cron.isDouble = true;
  // Not one that came before. Its acknowledgement may take long.
  const last = facts.webhooks.at(-1)?.id ?? 0;
  const isTold = ({ webhooks }: Facts) =>
    webhooks.some(({ id, reason }) => id > last && reason !== 'lost');
  const asked = await stage.until(isTold, { most: stage.options.pace.of('hold') });
  await stage.account.clearResponses();
  await stage.account.clearWebhookScript();
  if (isTold(asked)) return undefined;
  await send(stage, asked, 'success');
  return { remark: NEVER_ASKED };
}

/** Where a webhook is on its way, it comes before the cron job runs. */
export async function askTwice(stage: Stage): Promise<Happened | undefined> {
  const ended = await endQuietly(stage);
  stage.cron.isDouble = true;
  const asked = await stage.until(isSettled, { most: stage.options.pace.of('hold') });
  if (isSettled(asked)) return undefined;
  await send(stage, asked, 'success');
  const hasAsked = asked.questions.length > ended.questions.length;
  return hasAsked ? undefined : { remark: NEVER_ASKED };
}

/**
 * Whether the application handles the webhook before it gets the response.
 *
 * @param before how long the response waits for the webhook, in ms
 */
export async function handleEarly(stage: Stage, before: number): Promise<Happened | undefined> {
  const { webhooks } = await stage.until(
    ({ charges, requests, webhooks }) =>
      charges.length > 0 && [...requests, ...webhooks].every(({ duration }) => duration !== null),
  );
  const told = webhooks.filter(({ accepted }) => accepted);
  if (told.length === 0) return undefined;
  const isEarly = told.some(({ duration }) => (duration ?? Infinity) <= before);
  return isEarly ? { skipsRest: true } : { remark: 'It handled the webhook after the response.' };
}

/** Sends forged webhooks before the payment ends, while questions fail, and after it has ended. */
export async function forgeAround(
  stage: Stage,
  end: 'success' | 'failed',
): Promise<Happened | undefined> {
  const open = await stage.until((facts) => canForge(stage, facts));
  await forge(stage, open, end);
  await stage.pass(stage.options.pace.of('believe'));
  const wrong = stage.isContradicted ? undefined : await forgeWhileBroken(stage, open, end);
  const isOver = ({ charges }: Facts) =>
    charges.length > 0 && charges.every(({ state }) => state !== 'pending');
  await forge(stage, await stage.until(isOver, { moves: true }), end);
  return wrong;
}

/** @returns what went before, if the application says something wrong now */
async function forgeWhileBroken(
  stage: Stage,
  facts: Facts,
  end: 'success' | 'failed',
): Promise<Happened | undefined> {
  const { status } = stage.flow;
  if (status.length === 0) return undefined;
  const { pace } = stage.options;
  await stage.account.respondWith(
    status.map((operation) => ({ operation, status: 503, times: 'always' })),
  );
  // What a failed question alone leads to is another failure, with other advice.
  const hasFailed = ({ questions }: Facts) => questions.some(isOverAndScripted);
  await stage.until(hasFailed, { most: pace.of('believe') });
  const { outcome } = await stage.pass(pace.of('keepReference'));
  // No forged webhook has said failed.
  const readsFailure = end === 'success' && outcome.state === 'failed';
  if (!readsFailure) {
    await forge(stage, facts, end);
    await stage.pass(pace.of('believe'));
  }
  await stage.account.clearResponses();
  if (readsFailure) {
    return { circumstance: 'after questions that got a 503', adviceOf: 'status-broken' };
  }
  const circumstance = 'after a forged webhook that came while questions got a 503';
  return stage.isContradicted ? { circumstance } : undefined;
}

/** Sends a webhook with a wrong signature and with none, or unsigned as they all are. */
async function forge(stage: Stage, facts: Facts, end: 'success' | 'failed'): Promise<void> {
  const { sign } = (await webhookOf(stage, facts, end)) ?? {};
  const forgeries = sign === undefined ? [undefined] : (['signature', 'missing'] as const);
  for (const forge of forgeries) await send(stage, facts, end, forge && { forge });
}

/** @param id the ledger entry that the webhook is about, if it is another one */
export async function send(
  stage: Stage,
  facts: Facts,
  end: 'success' | 'failed',
  script?: ScriptedWebhook,
  id?: string,
): Promise<void> {
  const webhook = await webhookOf(stage, facts, end, id);
  if (webhook === undefined) return;
  if (script !== undefined) await stage.account.scriptWebhooks([script]);
  const { webhookId } = await stage.account.sendWebhook(webhook);
  stage.sent.add(webhookId);
}

/** The genuine webhook, to be sent once. */
async function webhookOf(
  stage: Stage,
  facts: Facts,
  end: 'success' | 'failed',
  id?: string,
): Promise<Webhook | undefined> {
  const own = stage.payment(facts);
  if (own === undefined) return undefined;
  const payment = id === undefined ? own : { ...own, payment: { ...own.payment, id } };
  const webhook = await stage.flow.webhooks?.of(payment, end);
  if (webhook === undefined) return undefined;
  const { retry: _, ...once } = webhook;
  return once;
}

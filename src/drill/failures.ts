import type { MomoDrill, PaymentEnd } from '../mock/operations/drill-file.ts';
import type { ScriptedResponse } from '../mock/responses/scripted-response.ts';
import type { ScriptedWebhook } from '../mock/webhooks/webhook-script.ts';
import { timeOfDay } from '../timers.ts';
import {
  endOf,
  type Facts,
  isScripted,
  questionsIn,
  seconds,
  startsIn,
  takenIn,
  tokenCallsIn,
} from './facts.ts';
import { isSettled, type Right, type Wrong } from './judge.ts';
import type { Stage } from './stage.ts';
import { TIMES } from './times.ts';

/** A failure: what happens to its orders, one after the other. */
export interface Failure {
  readonly name: string;
  /** What happens, in a few words. */
  readonly about: string;
  /** What is right for its orders, or for the first one. */
  readonly right: Right;
  /** What to do about it, unless the provider's `drill.js` knows better. */
  readonly advice: string;
  /** What it needs besides an application and a provider. */
  readonly needs?: readonly Need[];
  /** Whether tokens of its account end. @default false */
  readonly endsTokens?: boolean;
  readonly plays: readonly Play[] | ((provider: MomoDrill) => readonly Play[]);
}

/** What happens to one order. */
export interface Play {
  /** @default the failure's */
  readonly right?: Right;
  /** What went before a wrong state of the order, in words: `after a forged webhook`. */
  readonly circumstance?: string;
  /** How the payment ends. @default 'success' */
  readonly end?: PaymentEnd;
  /** When `pay` is called, in ms from the beginning. @default once */
  readonly clicks?: readonly number[];
  /** What this order needs besides the failure. Without it, the others are played. */
  readonly needs?: readonly Need[];
  /** Scripts what goes wrong, once the application is ready. */
  readonly prepare?: (stage: Stage) => Promise<void>;
  /**
   * What happens while the provider's clock stands still, from the call of `pay` on. Then the clock moves
   * until the application and the ledger agree.
   */
  readonly happen?: (stage: Stage) => Promise<Happened | undefined>;
  /** Whether it is over after {@link happen}, and the provider's clock never moves. */
  readonly isEndless?: boolean;
  /** Why the drill could not bring it about, if it could not. */
  readonly missed?: (
    facts: Facts,
    stage: Stage,
  ) => Promise<string | undefined> | string | undefined;
}

/** What came out of it before the clock moves. */
export interface Happened {
  /** What is wrong, if it shows here. */
  readonly wrong?: Wrong;
  /** An occasion that the application did not give, so that the failure could not touch it: a sentence. */
  readonly remark?: string;
  /** Whether it would give no other order the occasion. */
  readonly skipsRest?: boolean;
}

export type Need =
  | 'webhook'
  | 'pending-webhook'
  | 'other-order'
  | 'pay-less'
  | 'status'
  | 'unknown'
  | 'tokens'
  | 'fulfilled';

const MAX_STARTS_WHILE_DOWN = 30;
const MAX_SCRIPTED = 100;
const CLICKS_AT_ONCE = 8;
/** A look before an insert is found in a third of the rounds, with four workers of PHP. */
const ROUNDS_OF_CLICKS = 12;

const FIND_OUT =
  'After a lost response, keep the order pending, and ask the provider before you pay again or give up.';
const TRY_AGAIN = 'Pay again with the same id, or keep the order pending and try later.';
const ASK =
  'Ask the provider for the state of pending payments now and then, such as from a cron job.';
const VERIFY = 'Verify the signature of each webhook, or ask the provider before you believe it.';
const NEVER_ASKED = 'It never asked.';

const NO_REQUEST = 'the application sent no request';
const NO_PAYMENT = 'no payment was taken';
const NO_WEBHOOK = 'no webhook came to which it could happen';

/** The payment ends with the last round: what counts is how often it begins. */
const UNFINISHED: Partial<Play> = {
  right: 'pending',
  isEndless: true,
  happen: async (stage) => {
    await stage.until((facts) => takenIn(facts).length > 0);
    return undefined;
  },
};

/** All failures, in the order in which they are shown. */
export const FAILURES: readonly Failure[] = [
  {
    name: 'success',
    about: 'nothing goes wrong',
    right: 'paid',
    advice: 'Mark the order as paid when the provider says that the payment is successful.',
    plays: [{}],
  },
  refused('declined', 'the payer, or the provider, declines the payment'),
  refused('no-funds', 'the payer has too little money'),
  refused('expired', 'the payer does not confirm in time'),
  {
    name: 'pending-forever',
    about: 'the payment does not end',
    right: 'pending',
    advice: 'A payment without an end is pending, however long it takes: it may still be paid.',
    plays: [
      {
        circumstance: 'while the payment does not end',
        isEndless: true,
        happen: async (stage) => {
          await stage.until((facts) => takenIn(facts).length > 0);
          await stage.pass(stage.options.pace.of('giveUp'));
          return undefined;
        },
        missed: notCharged,
      },
    ],
  },
  {
    name: 'webhook-amount',
    about: 'the payer pays less than the amount',
    right: 'underpaid',
    advice: 'Compare amount and currency of the payment with those of the order.',
    needs: ['pay-less'],
    plays: [
      // As text, "62500" is more than "125000", and "3" is not more than "7": one order could show nothing.
      paidLess(),
      paidLess(),
    ],
  },
  lost('lost-response', 'after a connection that was reset', 'the connection is reset', {
    fault: 'reset',
  }),
  {
    name: 'timeout',
    about: 'the payment is taken, and no response comes; the same for tokens and questions',
    right: 'found-out',
    advice: FIND_OUT,
    endsTokens: true,
    plays: [
      {
        right: 'either',
        circumstance: 'after a token call without a response',
        needs: ['tokens'],
        prepare: async (stage) => {
          await stage.expireTokens();
          const { operations = [] } = stage.provider.tokens ?? {};
          await stage.account.respondWith(
            operations.map((operation) => ({ operation, fault: 'hang' })),
          );
        },
        happen: async (stage) => {
          const isOver = (facts: Facts) => tokenCallsIn(facts).some(isOverAndScripted);
          const facts = await stage.until((facts) => isOver(facts) || isSettled(facts));
          await stage.account.clearResponses();
          return isOver(facts) || tokenCallsIn(facts).length > 0
            ? undefined
            : { remark: 'It asked for no token.' };
        },
      },
      lostStart('after a request without a response', { fault: 'hang' }),
      brokenQuestion('after a question without a response', { fault: 'hang' }),
    ],
  },
  lost('half-response', 'after half a response', 'the response breaks off', { fault: 'truncate' }),
  lost('server-error', 'after a 502', 'a gateway responds with 502 and HTML', html(502)),
  lost('garbage', 'after a 200 without JSON', 'the response is 200 with HTML', html(200)),
  {
    name: 'lost-request',
    about: 'no payment is taken: the connection is reset',
    right: 'either',
    advice: TRY_AGAIN,
    plays: onTwoKindsOfConnections((closes) =>
      lostRequest('after a connection that was reset', { status: 503, fault: 'reset' }, closes),
    ),
  },
  {
    name: 'unavailable',
    about: 'no payment is taken: the provider responds with 503 once',
    right: 'either',
    advice: TRY_AGAIN,
    plays: [lostRequest('after a 503', { status: 503 })],
  },
  {
    name: 'down',
    about: 'the provider responds with 503 for 20 s',
    right: 'either',
    advice: 'Wait longer after each attempt, and give up after a few.',
    plays: [
      {
        circumstance: 'while the provider is down',
        prepare: ({ account }) => account.respondWith({ status: 503, times: 'always' }),
        happen: async (stage) => {
          const facts = await stage.pass(TIMES.outage.ms, { reconciles: false });
          await stage.account.clearResponses();
          const starts = startsIn(facts).length;
          const tokens = tokenCallsIn(facts).length;
          if (Math.max(starts, tokens) <= MAX_STARTS_WHILE_DOWN) return undefined;
          const [count, what] =
            starts > MAX_STARTS_WHILE_DOWN
              ? [starts, 'requests that start a payment']
              : [tokens, 'requests for tokens'];
          const text = `The application sent ${count} ${what} in ${seconds(TIMES.outage.ms)} to a provider that is down.`;
          return { wrong: { kind: 'too-many-requests', sentence: text, isFinal: true } };
        },
        missed: ({ requests }) => (requests.length === 0 ? NO_REQUEST : undefined),
      },
    ],
  },
  {
    name: 'rate-limited',
    about: 'no payment is taken: the provider responds with 429 and retry-after once',
    right: 'either',
    advice: 'Read the header retry-after, and send no request before.',
    plays: [
      {
        circumstance: 'after a 429',
        prepare: (stage) => stage.respondToStart(limited(stage)),
        happen: async (stage) => {
          // Each look at the application could be what makes it ask.
          const quiet = { reconciles: false, asks: false };
          await useScript(stage, limited(stage), hasAffected, quiet);
          const wait = retryAfter(stage);
          const { requests } = await stage.until(
            ({ requests }) =>
              requests.some((request) => isAffected(request) && sinceEnd(request) > wait),
            { ...quiet, most: wait + stage.options.pace.of('tryAgain') },
          );
          const refused = requests.find(isAffected);
          const early = requests.find(
            ({ id, time }) =>
              refused !== undefined &&
              id > refused.id &&
              Date.parse(time) < endOf(refused) + wait - TIMES.tolerance.ms,
          );
          if (refused === undefined || early === undefined) return undefined;
          const time = ({ time }: typeof early) => time.slice(11, 23);
          const after = seconds(Date.parse(early.time) - endOf(refused));
          const sentence = `The application sent the next request after ${after}, although the provider asked it to wait ${seconds(wait)} (429 at ${time(refused)}, ${early.operation} at ${time(early)}).`;
          return { wrong: { kind: 'too-early', sentence, isFinal: true } };
        },
        missed: (facts) => (hasAffected(facts) ? undefined : NO_REQUEST),
      },
    ],
  },
  {
    name: 'status-broken',
    about: 'each question for the state fails for a while, in eight ways',
    right: 'paid',
    advice:
      'A question that fails says nothing about the payment: keep the order pending, ask again.',
    needs: ['status'],
    plays: [
      brokenQuestion('after questions that got a 503', { status: 503 }),
      brokenQuestion('after questions that got a 500', { status: 500 }),
      brokenQuestion('after questions that got a 429', { status: 429 }),
      {
        ...brokenQuestion('after questions that found no payment', 'unknown'),
        needs: ['status', 'unknown'],
      },
      brokenQuestion('after questions whose connection was reset', { fault: 'reset' }),
      brokenQuestion('after questions that got HTML', { ...html(200), afterHandler: false }),
      brokenQuestion('after questions whose response broke off', { fault: 'truncate' }),
      brokenQuestion('after questions without a response', { fault: 'hang' }),
    ],
  },
  {
    name: 'token-expired',
    about: 'the token ends between two requests',
    right: 'paid',
    advice: 'When the provider refuses a token, get another one and send the request again.',
    needs: ['tokens', 'status'],
    endsTokens: true,
    plays: [
      {
        circumstance: 'after a token that had ended',
        prepare: async (stage) => {
          const { seconds = 0 } = stage.provider.tokens ?? {};
          // Otherwise, its webhook comes while the token ends.
          const settled = stage.flow.settle?.(seconds * 1000 + TIMES.afterToken.ms);
          await stage.setState(settled ?? {});
        },
        happen: async (stage) => {
          await stage.until((facts) => takenIn(facts).length > 0 && stage.canMove(facts));
          await stage.expireTokens();
          const hasUsed = (facts: Facts) => usedOldToken(facts) || isSettled(facts);
          const facts = await stage.until(hasUsed, { most: stage.options.pace.of('hold') });
          return usedOldToken(facts)
            ? undefined
            : { remark: 'It used no token after it had ended.' };
        },
      },
    ],
  },
  {
    name: 'wrong-certificate',
    about: 'the certificate is expired, of another host, or of nobody known',
    right: 'untouched',
    advice:
      'Verify certificates: never turn the check off, and trust no certificate but the right one.',
    plays: [],
  },
  {
    name: 'late-webhook',
    about: 'the payment ends after 90 minutes',
    right: 'paid',
    advice:
      'Do not give up a pending payment after a time of your own: believe its webhook when it comes.',
    needs: ['webhook'],
    plays: [
      {
        circumstance: 'while the webhook is late',
        prepare: (stage) => stage.setState(stage.flow.settle?.(TIMES.late.ms) ?? {}),
        happen: async (stage) => {
          await stage.until((facts) => takenIn(facts).length > 0);
          await stage.pass(stage.options.pace.of('beforeLateWebhook'));
          await stage.until(() => !stage.isContradicted);
          stage.advance(TIMES.late.ms);
          return undefined;
        },
        missed: (facts, stage) => notCharged(facts) ?? refusedIn(stage),
      },
    ],
  },
  {
    name: 'no-webhook',
    about: 'the webhooks never come',
    right: 'paid',
    advice: ASK,
    needs: ['webhook', 'status'],
    plays: [
      {
        circumstance: 'without a webhook',
        prepare: scriptWebhooks(() => ({ lose: true })),
        missed: ({ webhooks }) =>
          webhooks.some(({ reason }) => reason === 'lost') ? undefined : NO_WEBHOOK,
      },
    ],
  },
  {
    name: 'webhook-twice',
    about:
      'the final webhook comes twice: in a row, at the same moment, and while a question waits; then two cron jobs find out at once',
    right: 'paid',
    advice: 'Remember for each order whether it was fulfilled, in the same transaction.',
    needs: ['webhook', 'fulfilled'],
    plays: [
      {
        circumstance: 'after a webhook that came twice',
        prepare: scriptWebhooks(({ flow }) => ({ match: successful(flow), repeat: 2 }), 1),
        happen: reconcileTwice,
        missed: async (facts, stage) =>
          (await stage.account.webhookScript()).length > 0
            ? NO_WEBHOOK
            : unreached(facts, stage, 2),
      },
      {
        circumstance: 'after a webhook that came twice at the same moment',
        prepare: scriptWebhooks(({ flow }) => ({ match: successful(flow), lose: true }), 1),
        happen: async (stage) => {
          stage.reconcilesTwice = true;
          const facts = await endQuietly(stage);
          await Promise.all([send(stage, facts, 'success'), send(stage, facts, 'success')]);
          return undefined;
        },
        missed: elsewhere,
      },
      {
        circumstance: 'after a webhook that came while a question waited',
        needs: ['status'],
        prepare: scriptWebhooks(({ flow }) => ({ match: successful(flow), lose: true }), 1),
        happen: sendWhileAsked,
        missed: ({ webhooks }, stage) =>
          webhooks.some(({ accepted }) => accepted !== null) ? refusedIn(stage) : NO_WEBHOOK,
      },
      {
        circumstance: 'after two runs of the cron job at once',
        needs: ['status'],
        prepare: scriptWebhooks(({ flow }) => ({ match: successful(flow), lose: true }), 1),
        happen: askTwice,
      },
    ],
  },
  {
    name: 'webhook-order',
    about: 'the final webhook comes first, then the one that says pending',
    right: 'paid',
    advice: 'A payment that has ended never becomes pending again: ignore such webhooks.',
    needs: ['webhook', 'pending-webhook'],
    plays: [
      {
        circumstance: 'after a webhook that says pending',
        prepare: scriptWebhooks(({ flow }) => ({
          match: { body: flow.webhooks?.pending },
          delay: TIMES.pendingWebhook.ms,
        })),
        missed: async (facts, stage) =>
          (await stage.account.webhookScript()).length === MAX_SCRIPTED
            ? NO_WEBHOOK
            : unreached(facts, stage, 2),
      },
    ],
  },
  {
    name: 'webhook-first',
    about: 'the final webhook comes before the response',
    right: 'paid',
    advice: 'Save the order before you send the request, so that its webhook finds it.',
    needs: ['webhook'],
    plays: [
      {
        circumstance: 'after a webhook that came before the response',
        prepare: async ({ account, flow }) => {
          const { pending } = flow.webhooks ?? {};
          // A pending one that comes after it is another failure.
          const others =
            pending === undefined ? [] : Array(10).fill({ match: { body: pending }, lose: true });
          const early = { match: successful(flow), before: TIMES.earlyWebhook.ms };
          await account.scriptWebhooks([early, ...others]);
        },
        missed: async (facts, stage) =>
          (await stage.account.webhookScript()).some(({ before }) => before !== undefined)
            ? NO_WEBHOOK
            : unreached(facts, stage, 1),
      },
    ],
  },
  {
    name: 'webhook-forged',
    about: 'somebody else sends webhooks: paid for a declined payment, and failed for a paid one',
    right: 'refused',
    advice: VERIFY,
    needs: ['webhook'],
    plays: [
      {
        circumstance: 'after a forged webhook',
        end: 'declined',
        happen: (stage) => forgeAround(stage, 'success'),
        missed: elsewhere,
      },
      {
        right: 'paid',
        circumstance: 'after a forged webhook that says failed',
        happen: (stage) => forgeAround(stage, 'failed'),
        missed: (facts, stage) => (stage.sent.size === 0 ? undefined : elsewhere(facts, stage)),
      },
    ],
  },
  {
    name: 'webhook-other-order',
    about: 'the webhook of another, paid order with the same amount and phone comes',
    right: 'refused',
    advice: 'Find the order of a webhook by an id, never by amount and phone number.',
    needs: ['webhook', 'other-order'],
    plays: [
      {
        circumstance: 'after the webhook of another order',
        end: 'declined',
        happen: async (stage) => {
          const facts = await stage.until((facts) => canForge(stage, facts));
          const payment = stage.payment(facts);
          if (payment === undefined) return undefined;
          const id = (await stage.flow.addPaidOrder?.(payment)) ?? '';
          stage.ignore(id);
          await send(stage, facts, 'success', {}, id);
          await stage.pass(stage.options.pace.of('believe'));
          return undefined;
        },
        missed: elsewhere,
      },
    ],
  },
  {
    name: 'double-click',
    about: 'the customer pays the same order several times: at once, and a moment later',
    right: 'paid',
    advice:
      'Let the database decide which call pays: insert the attempt with a unique order id first.',
    plays: [
      clicked([0, 0]),
      clicked([0, TIMES.quickClick.ms]),
      clicked([0, TIMES.lateClick.ms]),
      ...Array.from({ length: ROUNDS_OF_CLICKS }, (_, round) => ({
        ...clicked(Array(CLICKS_AT_ONCE).fill(0)),
        ...(round + 1 < ROUNDS_OF_CLICKS && UNFINISHED),
      })),
    ],
  },
];

function refused(name: PaymentEnd, about: string): Failure {
  const advice = 'Mark the order as failed when the provider says that the payment has failed.';
  return { name, about, right: 'refused', advice, plays: [{ end: name }] };
}

function paidLess(): Play {
  return {
    happen: async (stage) => {
      const payment = stage.payment(await stage.until((facts) => takenIn(facts).length > 0));
      if (payment !== undefined) await stage.flow.payLess?.(payment);
      return undefined;
    },
    missed: ({ charges, order }) =>
      charges.some(({ state, amount }) => state === 'success' && amount < order.amount)
        ? undefined
        : 'no payment with a smaller amount was successful',
  };
}

function html(status: number): ScriptedResponse {
  const headers = { 'content-type': 'text/html; charset=utf-8' };
  const body = '<!doctype html><html><body><h1>Error</h1></body></html>';
  return { status, headers, body, afterHandler: true };
}

/** The payment is taken, and the application does not learn it. */
function lost(
  name: string,
  circumstance: string,
  about: string,
  response: ScriptedResponse,
): Failure {
  // What a proxy says comes on any connection.
  const isBroken = response.fault === 'reset';
  return {
    name,
    about: `the payment is taken, and ${about}`,
    right: 'found-out',
    advice: FIND_OUT,
    plays: isBroken
      ? onTwoKindsOfConnections((closes) => lostStart(circumstance, response, closes))
      : [lostStart(circumstance, response)],
  };
}

/**
 * libcurl sends a POST again by itself when a connection breaks that it has used before. So the first order's
 * request has a connection of its own, and the second one's may not.
 */
function onTwoKindsOfConnections(play: (others: ScriptedResponse | undefined) => Play): Play[] {
  return [play({ headers: { connection: 'close' } }), play(undefined)];
}

/** @param others the responses to all requests before it */
function lostStart(
  circumstance: string,
  response: ScriptedResponse,
  others?: ScriptedResponse,
): Play {
  return {
    circumstance,
    prepare: (stage) => stage.respondToStart(response, others),
    happen: async (stage) => {
      await useScript(stage, response, hasTaken, { others });
      const most = stage.options.pace.of('tryAgain');
      await stage.until((facts) => {
        const [first, ...more] = startsIn(facts);
        if (first === undefined || !first.ended) return false;
        return more.some(({ ended }) => ended) || sinceEnd(first) > most;
      });
      return undefined;
    },
    missed: (facts) => (startsIn(facts).some(isScripted) ? notCharged(facts) : NO_REQUEST),
  };
}

/** The payment is not taken. */
function lostRequest(
  circumstance: string,
  response: ScriptedResponse,
  others?: ScriptedResponse,
): Play {
  return {
    circumstance,
    prepare: (stage) => stage.respondToStart(response, others),
    happen: async (stage) => {
      await useScript(stage, response, hasAffected, { others });
      return undefined;
    },
    missed: (facts) => (hasAffected(facts) ? undefined : NO_REQUEST),
  };
}

/** Questions for the state fail for a while. */
function brokenQuestion(circumstance: string, response: ScriptedResponse | 'unknown'): Play {
  const isBroken = (facts: Facts) => questionsIn(facts).some(isOverAndScripted);
  return {
    right: 'paid',
    circumstance,
    needs: ['status'],
    prepare: ({ account, flow }) =>
      account.respondWith(
        flow.status.map((operation) => {
          const given = response === 'unknown' ? flow.unknown?.[operation] : response;
          return { ...given, operation, times: 'always' };
        }),
      ),
    happen: async (stage) => {
      const { pace } = stage.options;
      const hasLasted = (facts: Facts) => {
        const [first, second] = questionsIn(facts).filter(isOverAndScripted);
        if (first === undefined || takenIn(facts).length === 0) return false;
        return second !== undefined || sinceEnd(first) > pace.of('failQuestions');
      };
      await stage.until((facts) => takenIn(facts).length > 0);
      // Final webhooks are held for a while. Some applications ask only after one, and some never.
      let facts = await stage.until((facts) => hasLasted(facts) || isAsking(facts), {
        most: pace.of('hold'),
      });
      if (isAsking(facts)) facts = await stage.until(hasLasted);
      const isOver = (facts: Facts) => hasLasted(facts) || isSettled(facts);
      if (!hasLasted(facts)) facts = await stage.until(isOver, { moves: true });
      await stage.account.clearResponses();
      return isBroken(facts) ? undefined : { remark: NEVER_ASKED, skipsRest: true };
    },
  };
}

/** Whether a question waits for its response. */
function isAsking(facts: Facts): boolean {
  return questionsIn(facts).some(({ ended }) => !ended);
}

function clicked(clicks: readonly number[]): Play {
  return {
    circumstance: `after ${clicks.length === 2 ? 'two' : clicks.length} clicks`,
    clicks,
    happen: async (stage) => {
      stage.reconcilesTwice = true;
      // All clicks come while the payment is pending.
      const last = Math.max(...clicks);
      if (last > 0) await stage.pass(last + stage.options.pace.of('keepReference'));
      return undefined;
    },
    missed: notCharged,
  };
}

/** How to look while a script is used. */
interface Use {
  readonly reconciles?: boolean;
  readonly asks?: boolean;
  readonly others?: ScriptedResponse | undefined;
}

/**
 * Waits until the scripted response had its effect, and removes what is scripted for other operations. Until
 * then it is scripted again: a request may be refused, for example because it has no token yet, or be of an order
 * of another failure.
 */
async function useScript(
  stage: Stage,
  response: ScriptedResponse,
  hasEffect: (facts: Facts) => boolean,
  { others, ...how }: Use = {},
): Promise<void> {
  let wasUsed = false;
  await stage.until(async (facts) => {
    if (hasEffect(facts)) return true;
    const left = await stage.account.responses();
    const isUsed = !left.some(({ operation }) => operation !== undefined);
    // What used it shows in the next look, at the latest.
    if (isUsed && wasUsed) {
      await stage.account.clearResponses();
      await stage.respondToStart(response, others);
    }
    wasUsed = isUsed && !wasUsed;
    return false;
  }, how);
  await stage.account.clearResponses();
}

function hasTaken(facts: Facts): boolean {
  return facts.charges.length > 0 && startsIn(facts).some(isScripted);
}

function hasAffected(facts: Facts): boolean {
  return startsIn(facts).some(isAffected);
}

/** Whether the application got a scripted response, or its connection was reset. */
function isAffected(request: Facts['requests'][number]): boolean {
  return isScripted(request) && request.ended && !request.aborted;
}

/** The same for a response that may never come: then the application leaves. */
function isOverAndScripted(request: Facts['requests'][number]): boolean {
  return isScripted(request) && request.ended;
}

function sinceEnd(request: Facts['requests'][number]): number {
  return request.ended ? timeOfDay() - endOf(request) : 0;
}

function limited(stage: Stage): ScriptedResponse {
  return { status: 429, headers: { 'retry-after': `${retryAfter(stage) / 1000}` } };
}

/** In ms, a whole number of seconds. */
function retryAfter({ options }: Stage): number {
  return Math.ceil(options.pace.exactly('retryAfter') / 1000) * 1000;
}

function usedOldToken(facts: Facts): boolean {
  const { requests, provider } = facts;
  const [start] = startsIn(facts);
  const isRenewed = requests.some(
    ({ operation, id }) =>
      id > (start?.id ?? Infinity) &&
      provider.tokens?.operations.some((name) => name === operation),
  );
  return isRenewed || requests.some(({ reason }) => `${reason}` === 'token-expired');
}

function notCharged({ charges, requests }: Facts): string | undefined {
  if (requests.length === 0) return NO_REQUEST;
  return charges.length === 0 ? NO_PAYMENT : undefined;
}

function successful({ webhooks }: Stage['flow']): ScriptedWebhook['match'] & object {
  return { body: webhooks?.success };
}

function scriptWebhooks(
  script: (stage: Stage) => ScriptedWebhook,
  count = MAX_SCRIPTED,
): (stage: Stage) => Promise<void> {
  return (stage) => stage.account.scriptWebhooks(Array(count).fill(script(stage)));
}

/** Why webhooks did not get through, if they did not. A status says that the application got it. */
function unreached({ webhooks }: Facts, stage: Stage, least: number): string | undefined {
  const arrived = webhooks.filter(({ status, reason }) => status !== null || reason === 'timeout');
  if (arrived.length >= least) return refusedIn(stage);
  const failed = webhooks.find(({ reason }) => reason !== null);
  if (failed === undefined) return NO_WEBHOOK;
  return `the webhook did not reach ${failed.url} (${failed.reason})`;
}

/** Why no webhook gets through: the URL refuses the genuine ones, too. */
function refusedIn({ options }: Stage): string | undefined {
  const { refusedWebhook } = options.learned;
  if (refusedWebhook === undefined) return undefined;
  const { url, status } = refusedWebhook;
  return `webhooks do not get through: ${url} responds with ${status}, in success as well`;
}

/** Whether the application waits for the end of a payment. */
function canForge(stage: Stage, facts: Facts): boolean {
  return takenIn(facts).length > 0 && stage.canMove(facts);
}

/** Two cron jobs of the application run at once. */
async function reconcileTwice(stage: Stage): Promise<undefined> {
  stage.reconcilesTwice = true;
}

/** Ends the payment, without a call of the cron job, which could learn it before the webhook comes. */
async function endQuietly(stage: Stage): Promise<Facts> {
  await stage.until((facts) => canForge(stage, facts));
  const hasEnded = ({ charges }: Facts) => charges.some(({ state }) => state === 'success');
  const facts = await stage.until(hasEnded, { moves: true, reconciles: false });
  await stage.account.clearWebhookScript();
  return facts;
}

/** A question gets its response when the webhook is acknowledged. */
async function sendWhileAsked(stage: Stage): Promise<Happened | undefined> {
  const facts = await endQuietly(stage);
  const payment = stage.payment(facts);
  const webhook = payment && (await stage.flow.webhooks?.of(payment, 'success'));
  if (webhook === undefined) return undefined;
  const { retry: _, ...once } = webhook;
  await stage.account.scriptWebhooks([{ before: TIMES.questionInFlight.ms }]);
  await stage.account.respondWith(
    stage.flow.status.map((operation) => ({ operation, webhook: once })),
  );
  stage.reconcilesTwice = true;
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
async function askTwice(stage: Stage): Promise<Happened | undefined> {
  const ended = await endQuietly(stage);
  stage.reconcilesTwice = true;
  const asked = await stage.until(isSettled, { most: stage.options.pace.of('hold') });
  if (isSettled(asked)) return undefined;
  await send(stage, asked, 'success');
  const hasAsked = questionsIn(asked).length > questionsIn(ended).length;
  return hasAsked ? undefined : { remark: NEVER_ASKED };
}

/** Sends forged webhooks before the payment ends, while questions fail, and after it has ended. */
async function forgeAround(stage: Stage, end: 'success' | 'failed'): Promise<undefined> {
  const open = await stage.until((facts) => canForge(stage, facts));
  await forge(stage, open, end);
  await stage.pass(stage.options.pace.of('believe'));
  await forgeWhileBroken(stage, open, end);
  const isOver = ({ charges }: Facts) =>
    charges.length > 0 && charges.every(({ state }) => state !== 'pending');
  await forge(stage, await stage.until(isOver, { moves: true }), end);
}

async function forgeWhileBroken(
  stage: Stage,
  facts: Facts,
  end: 'success' | 'failed',
): Promise<void> {
  const { status } = stage.flow;
  if (status.length === 0) return;
  await stage.account.respondWith(
    status.map((operation) => ({ operation, status: 503, times: 'always' })),
  );
  await forge(stage, facts, end);
  await stage.pass(stage.options.pace.of('forgedWhileBroken'));
  await stage.account.clearResponses();
}

/** Sends a webhook with a wrong signature and with none, or unsigned as they all are. */
async function forge(stage: Stage, facts: Facts, end: 'success' | 'failed'): Promise<void> {
  const payment = stage.payment(facts);
  if (payment === undefined) return;
  const { sign } = (await stage.flow.webhooks?.of(payment, end)) ?? {};
  const forgeries = sign === undefined ? [undefined] : (['signature', 'missing'] as const);
  for (const forge of forgeries) await send(stage, facts, end, forge && { forge });
}

/** @param id the ledger entry that the webhook is about, if it is another one */
async function send(
  stage: Stage,
  facts: Facts,
  end: 'success' | 'failed',
  script?: ScriptedWebhook,
  id?: string,
): Promise<void> {
  const own = stage.payment(facts);
  if (own === undefined) return;
  const payment = id === undefined ? own : { ...own, payment: { ...own.payment, id } };
  const webhook = await stage.flow.webhooks?.of(payment, end);
  if (webhook === undefined) return;
  const { retry: _, ...once } = webhook;
  if (script !== undefined) await stage.account.scriptWebhooks([script]);
  const { webhookId } = await stage.account.sendWebhook(once);
  stage.sent.add(webhookId);
}

/** Why the webhooks that the drill sent did not reach the application, if they did not. */
function elsewhere({ webhooks }: Facts, stage: Stage): string | undefined {
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

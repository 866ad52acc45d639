import type { PaymentEnd } from '../mock/ledger/momo-drill.ts';
import type { ScriptedResponse } from '../mock/responses/scripted-response.ts';
import { endOf, type Facts, seconds } from './facts.ts';
import type { Failure, Play } from './failure.ts';
import { isSettled } from './judge.ts';
import {
  brokenQuestion,
  hasAffected,
  html,
  isAffected,
  isOverAndScripted,
  lostRequest,
  lostStart,
  onTwoKindsOfConnections,
  sinceEnd,
  useScript,
} from './lost-plays.ts';
import { elsewhere, NO_REQUEST, NO_WEBHOOK, notCharged, refusedIn, unreached } from './missed.ts';
import type { Stage } from './stage.ts';
import { TIMES } from './times.ts';
import {
  askTwice,
  canForge,
  endQuietly,
  forgeAround,
  handleEarly,
  MAX_SCRIPTED,
  scriptWebhooks,
  send,
  sendWhileAsked,
  successful,
} from './webhook-plays.ts';

const MAX_STARTS_WHILE_DOWN = 30;
const CLICKS_AT_ONCE = 8;
/** A look before an insert is found in a third of the rounds, with four workers of PHP. */
const ROUNDS_OF_CLICKS = 12;
/** One round misses a race of four workers of PHP now and then. */
const WEBHOOKS_AT_ONCE = 4;
const ROUNDS_OF_WEBHOOKS = 4;

const FIND_OUT =
  'After a lost response, keep the order pending, and ask the provider before you pay again or give up.';
const TRY_AGAIN = 'Pay again with the same id, or keep the order pending and try later.';
const ASK =
  'Ask the provider for the state of pending payments now and then, such as from a cron job.';
const VERIFY = 'Verify the signature of each webhook, or ask the provider before you believe it.';

/** The payment ends with the last round: what counts is how often it begins. */
const UNFINISHED: Partial<Play> = {
  right: 'pending',
  isEndless: true,
  happen: async (stage) => {
    await stage.until(({ taken }) => taken.length > 0);
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
          await stage.until(({ taken }) => taken.length > 0);
          await stage.pass(stage.options.pace.of('giveUp'));
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
          const { operations = [] } = stage.options.provider.tokens ?? {};
          await stage.account.respondWith(
            operations.map((operation) => ({ operation, fault: 'hang' })),
          );
        },
        happen: async (stage) => {
          const isOver = ({ tokenCalls }: Facts) => tokenCalls.some(isOverAndScripted);
          const facts = await stage.until((facts) => isOver(facts) || isSettled(facts));
          await stage.account.clearResponses();
          return isOver(facts) || facts.tokenCalls.length > 0
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
          const starts = facts.starts.length;
          const tokens = facts.tokenCalls.length;
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
          const { seconds = 0 } = stage.options.provider.tokens ?? {};
          // Otherwise, its webhook comes while the token ends.
          const settled = stage.flow.settle?.(seconds * 1000 + TIMES.afterToken.ms);
          await stage.setState(settled ?? {});
        },
        happen: async (stage) => {
          await stage.until((facts) => canForge(stage, facts));
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
          await stage.until(({ taken }) => taken.length > 0);
          await stage.pass(stage.options.pace.of('beforeLateWebhook'));
          await stage.until(() => !stage.isContradicted);
          stage.clock.advance(TIMES.late.ms);
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
      'the final webhook comes again: in a row, four times at the same moment, and while a question waits; then two cron jobs find out at once',
    right: 'paid',
    advice: 'Remember for each order whether it was fulfilled, in the same transaction.',
    needs: ['webhook', 'fulfilled'],
    plays: [
      {
        circumstance: 'after a webhook that came twice',
        prepare: scriptWebhooks(({ flow }) => ({ match: successful(flow), repeat: 2 }), 1),
        happen: async (stage) => {
          stage.cron.isDouble = true;
        },
        missed: async (facts, stage) =>
          (await stage.account.webhookScript()).length > 0
            ? NO_WEBHOOK
            : unreached(facts, stage, 2),
      },
      ...Array.from({ length: ROUNDS_OF_WEBHOOKS }, webhooksAtOnce),
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
    // On a slow machine, the response may leave before the webhook is handled.
    plays: () => [webhookFirst(), webhookFirst()],
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
          if (payment === undefined) return;
          const id = (await stage.flow.addPaidOrder?.(payment)) ?? '';
          stage.ignore(id);
          await send(stage, facts, 'success', {}, id);
          await stage.pass(stage.options.pace.of('believe'));
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
      const payment = stage.payment(await stage.until(({ taken }) => taken.length > 0));
      if (payment !== undefined) await stage.flow.payLess?.(payment);
    },
    missed: ({ charges, order }) =>
      charges.some(({ state, amount }) => state === 'success' && amount < order.amount)
        ? undefined
        : 'no payment with a smaller amount was successful',
  };
}

function webhooksAtOnce(): Play {
  return {
    circumstance: 'after webhooks at the same moment',
    prepare: scriptWebhooks(({ flow }) => ({ match: successful(flow), lose: true }), 1),
    happen: async (stage) => {
      stage.cron.isDouble = true;
      const facts = await endQuietly(stage);
      const all = Array.from({ length: WEBHOOKS_AT_ONCE }, () => send(stage, facts, 'success'));
      await Promise.all(all);
    },
    missed: elsewhere,
  };
}

function webhookFirst(): Play {
  let before = 0;
  return {
    circumstance: 'after a webhook that came before the response',
    prepare: async ({ account, flow, options }) => {
      const { pending } = flow.webhooks ?? {};
      // A pending one that comes after it is another failure.
      const others =
        pending === undefined ? [] : Array(10).fill({ match: { body: pending }, lose: true });
      before = Math.round(options.pace.of('earlyWebhook'));
      await account.scriptWebhooks([{ match: successful(flow), before }, ...others]);
    },
    happen: (stage) => handleEarly(stage, before),
    missed: async (facts, stage) =>
      (await stage.account.webhookScript()).some(({ before }) => before !== undefined)
        ? NO_WEBHOOK
        : unreached(facts, stage, 1),
  };
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

function clicked(clicks: readonly number[]): Play {
  return {
    circumstance: `after ${clicks.length === 2 ? 'two' : clicks.length} clicks`,
    clicks,
    happen: async (stage) => {
      stage.cron.isDouble = true;
      // All clicks come while the payment is pending.
      const last = Math.max(...clicks);
      if (last > 0) await stage.pass(last + stage.options.pace.of('keepReference'));
    },
    missed: notCharged,
  };
}

function limited(stage: Stage): ScriptedResponse {
  return { status: 429, headers: { 'retry-after': `${retryAfter(stage) / 1000}` } };
}

/** In ms, a whole number of seconds. */
function retryAfter({ options }: Stage): number {
  return Math.ceil(options.pace.exactly('retryAfter') / 1000) * 1000;
}

function usedOldToken({ requests, starts: [start], tokenCalls }: Facts): boolean {
  const isRenewed = tokenCalls.some(({ id }) => id > (start?.id ?? Infinity));
  return isRenewed || requests.some(({ reason }) => reason === 'token-expired');
}

import type { ScriptedResponse } from '../mock/responses/scripted-response.ts';
import { timeOfDay } from '../timers.ts';
import { endOf, type Facts, isScripted } from './facts.ts';
import type { Play } from './failure.ts';
import { isSettled } from './judge.ts';
import { NO_REQUEST, notCharged } from './missed.ts';
import type { Stage } from './stage.ts';

export const NEVER_ASKED = 'It never asked.';

export function html(status: number): ScriptedResponse {
  const headers = { 'content-type': 'text/html; charset=utf-8' };
  const body = '<!doctype html><html><body><h1>Error</h1></body></html>';
  return { status, headers, body, afterHandler: true };
}

/**
 * libcurl sends a POST again by itself when a connection breaks that it has used before. So the first order's
 * request has a connection of its own, and the second one's may not.
 */
export function onTwoKindsOfConnections(
  play: (others: ScriptedResponse | undefined) => Play,
): Play[] {
  return [play({ headers: { connection: 'close' } }), play(undefined)];
}

/** @param others the responses to all requests before it */
export function lostStart(
  circumstance: string,
  response: ScriptedResponse,
  others?: ScriptedResponse,
): Play {
  return {
    ...lostRequest(circumstance, response, others),
    happen: async (stage) => {
      const hasTaken = ({ charges, starts }: Facts) =>
        charges.length > 0 && starts.some(isScripted);
      await useScript(stage, response, hasTaken, { others });
      const most = stage.options.pace.of('tryAgain');
      await stage.until(({ starts: [first, ...more] }) => {
        if (first === undefined || !first.ended) return false;
        return more.some(({ ended }) => ended) || sinceEnd(first) > most;
      });
    },
    missed: (facts) => (facts.starts.some(isScripted) ? notCharged(facts) : NO_REQUEST),
  };
}

/** The payment is not taken. */
export function lostRequest(
  circumstance: string,
  response: ScriptedResponse,
  others?: ScriptedResponse,
): Play {
  return {
    circumstance,
    prepare: (stage) => stage.respondToStart(response, others),
    happen: async (stage) => {
      await useScript(stage, response, hasAffected, { others });
    },
    missed: (facts) => (hasAffected(facts) ? undefined : NO_REQUEST),
  };
}

/** Questions for the state fail for a while. */
export function brokenQuestion(circumstance: string, response: ScriptedResponse | 'unknown'): Play {
  const isBroken = ({ questions }: Facts) => questions.some(isOverAndScripted);
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
      const hasLasted = ({ questions, taken }: Facts) => {
        const [first, second] = questions.filter(isOverAndScripted);
        if (first === undefined || taken.length === 0) return false;
        return second !== undefined || sinceEnd(first) > pace.of('failQuestions');
      };
      await stage.until(({ taken }) => taken.length > 0);
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
function isAsking({ questions }: Facts): boolean {
  return questions.some(({ ended }) => !ended);
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
export async function useScript(
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

export function hasAffected({ starts }: Facts): boolean {
  return starts.some(isAffected);
}

/** Whether the application got a scripted response, or its connection was reset. */
export function isAffected(request: Facts['requests'][number]): boolean {
  return isScripted(request) && request.ended && !request.aborted;
}

/** The same for a response that may never come: then the application leaves. */
export function isOverAndScripted(request: Facts['requests'][number]): boolean {
  return isScripted(request) && request.ended;
}

export function sinceEnd(request: Facts['requests'][number]): number {
  return request.ended ? timeOfDay() - endOf(request) : 0;
}

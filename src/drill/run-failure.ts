import { monotonicTime, timeOfDay } from '../timers.ts';
import { evidence, type Facts, paymentsIn, seconds } from './facts.ts';
import { FAILURES, type Failure } from './failures.ts';
import { isSettled, wrongWith } from './judge.ts';
import type { DrillResult } from './result.ts';
import { newest, Stage, type StageOptions, textOf } from './stage.ts';

/** How long nothing may happen after the application and the ledger agree, in ms. */
const TO_BE_CALM = 300;
/** The same if something may still come: the application waits, or gave up before it was charged. */
const TO_GIVE_UP = 5000;
/** How long the application may contradict the ledger while it saves what it learned, in ms. */
const TO_SAVE = 400;
const TIMEOUT =
  'Set a timeout for the connection and for the response, and treat it as an unknown outcome.';
const CRASH =
  'Handle the errors of each request: a crash loses what the application knew of its orders.';
const GIVE_UP = 'A refused certificate does not get better: give up after a few attempts.';

/** Runs a failure. @throws DrillStopped, or the reason of the signal */
export async function runFailure(failure: Failure, options: StageOptions): Promise<DrillResult> {
  const began = monotonicTime();
  const { end, right, name } = failure;
  const state = name === 'token-expired' ? options.provider.tokens?.state : {};
  const stage = await Stage.open(options, end ?? 'success', state);
  try {
    return resultOf(failure, stage, began, await verdictOf(failure, stage, right));
  } finally {
    await stage.close();
  }
}

interface Verdict {
  readonly verdict: DrillResult['verdict'];
  readonly sentence?: string | undefined;
  readonly advice?: string;
  readonly facts: Facts;
}

function resultOf(
  { name }: Failure,
  stage: Stage,
  began: number,
  { verdict, sentence = '', advice, facts }: Verdict,
): DrillResult {
  return {
    name,
    verdict,
    sentence: stage.redacted(sentence),
    ...(advice !== undefined && { advice }),
    charges: facts.charges,
    outcome: facts.outcome.state,
    duration: Math.round(monotonicTime() - began),
  };
}

async function verdictOf(
  failure: Failure,
  stage: Stage,
  right: Failure['right'],
): Promise<Verdict> {
  const { name, clicks, happen, prepare, missed, isEndless } = failure;
  await prepare?.(stage);
  const isDecided = watch(stage, right);
  await stage.start(clicks);
  const sentence = await happen?.(stage);
  const facts = await (isEndless
    ? stage.until(({ isPaid }) => isPaid)
    : stage.until(isOver(stage, failure), { moves: true }));
  // First, because an application may not know an order whose pay failed.
  if (name === 'success' && stage.payError !== undefined) {
    throw stage.stopped(`Failed to pay, although nothing went wrong: ${textOf(stage.payError)}`);
  }
  const crash = crashOf(stage, facts);
  if (crash !== undefined) return crash;
  stage.checkOutcome();
  if (stage.clockError !== undefined) {
    const text = `The drill did not happen: ${textOf(stage.clockError)}`;
    return { verdict: 'error', sentence: text, facts };
  }
  const wrong = isDecided() ?? wrongWith(right, facts);
  const helpful = FAILURES.find((one) => one.name === wrong?.like) ?? failure;
  const advice = stage.provider.advice?.[helpful.name] ?? helpful.advice;
  const blame = wrong && inCircumstance(wrong.sentence, failure.circumstance);
  if (wrong?.isFinal) return { verdict: 'failed', sentence: blame, advice, facts };
  if (sentence !== undefined) return { verdict: 'failed', sentence, advice, facts };
  const isOld = (time: string) => timeOfDay() - Date.parse(time) > TO_GIVE_UP * stage.scale;
  if (!facts.isPaid || facts.requests.some(({ ended, time }) => !ended && isOld(time))) {
    const what = facts.isPaid ? 'a request has' : 'pay has';
    const text = `The application waits for ever: ${what} not come back within ${seconds(facts.elapsed)}${evidence(paymentsIn(facts))}. Set a timeout.`;
    return { verdict: 'failed', sentence: text, advice: TIMEOUT, facts };
  }
  const reason = await missed?.(facts, stage);
  if (wrong === undefined && reason !== undefined) {
    return { verdict: 'error', sentence: `The drill did not happen: ${reason}.`, facts };
  }
  if (wrong !== undefined) return { verdict: 'failed', sentence: blame, advice, facts };
  return { verdict: 'survived', sentence: survival(facts), facts };
}

function crashOf({ crash }: Stage, facts: Facts) {
  if (crash === undefined) return undefined;
  const sentence = `The application crashed: ${crash}${evidence(paymentsIn(facts))}.`;
  return { verdict: 'failed', sentence, advice: CRASH, facts } as const;
}

/** `After a 502, the application says failed, but …`. */
function inCircumstance(sentence: string, circumstance: string | undefined): string {
  if (circumstance === undefined || !/^The (application|order)/.test(sentence)) return sentence;
  const first = circumstance.charAt(0).toUpperCase() + circumstance.slice(1);
  return `${first}, ${sentence.charAt(0).toLowerCase()}${sentence.slice(1)}`;
}

/** Watches for what nothing makes right again. Returns a function that returns it. */
function watch(stage: Stage, right: Failure['right']) {
  let since: number | undefined;
  let decided: ReturnType<typeof wrongWith>;
  stage.watch = (facts) => {
    const wrong = wrongWith(right, facts);
    stage.isContradicted = wrong?.isFinal === true;
    if (!wrong?.isFinal) since = undefined;
    else {
      since ??= monotonicTime();
      if (monotonicTime() - since > TO_SAVE) decided ??= wrong;
    }
    const isStopped = stage.options.failure === 'success' && stage.payError !== undefined;
    return decided !== undefined || isStopped;
  };
  return () => decided;
}

/** Whether the application and the ledger agree, and nothing more comes. */
function isOver(stage: Stage, { right, calm = 0 }: Failure) {
  let before = '';
  let since = monotonicTime();
  return async (facts: Facts): Promise<boolean> => {
    const { requests, webhooks, outcome, charges, isPaid } = facts;
    // Not the questions for the state, because some applications never stop asking.
    const now = JSON.stringify([paymentsIn(facts).length, webhooks.length, outcome, charges]);
    const isRight = wrongWith(right, facts) === undefined;
    const isBusy = !isPaid || [...requests, ...webhooks].some(({ duration }) => duration === null);
    if (now !== before || !isRight || isBusy || (await stage.isDue())) since = monotonicTime();
    before = now;
    const isDone = isSettled(facts) && stage.isReconciled;
    const wait = isDone ? Math.max(TO_BE_CALM, calm * stage.scale) : TO_GIVE_UP * stage.scale;
    return monotonicTime() - since >= wait;
  };
}

function survival({ outcome, charges }: Facts): string {
  const count = charges.filter(({ state }) => state !== 'failed').length;
  const charged = count === 0 ? 'Not charged' : 'Charged once';
  return `${charged}, and ${outcome.state}.`;
}

const MODES = ['expired', 'wrong-host', 'untrusted'] as const;
const CERTIFICATES = {
  expired: 'is expired',
  'wrong-host': 'is for another host',
  untrusted: 'nobody has vouched for',
};

/** Runs `wrong-certificate`, which needs the whole server. @throws DrillStopped, or the reason of the signal */
export async function runCertificates(
  failure: Failure,
  options: StageOptions,
): Promise<DrillResult> {
  const began = monotonicTime();
  let result: DrillResult | undefined;
  try {
    for (const mode of MODES) {
      const stage = await Stage.open(options, 'success');
      try {
        await options.mock.setTls(mode);
        result = resultOf(failure, stage, began, await certificateVerdict(failure, stage, mode));
      } finally {
        await stage.close();
      }
      if (result.verdict !== 'survived') break;
    }
  } finally {
    await options.mock.setTls('normal');
  }
  return result as DrillResult;
}

async function certificateVerdict(
  failure: Failure,
  stage: Stage,
  mode: (typeof MODES)[number],
): Promise<Verdict> {
  const { mock } = stage.options;
  const advice = stage.provider.advice?.[failure.name] ?? failure.advice;
  const before = (await newest((options) => mock.requests(options))).at(-1)?.id ?? 0;
  const arrived = async () => {
    const all = await newest((options) => mock.requests(options));
    return all.filter(({ id }) => id > before);
  };
  const isDecided = watch(stage, failure.right);
  await stage.start();
  let refused = 0;
  let since = monotonicTime();
  let paidAt: number | undefined;
  const hasEnded = async ({ isPaid }: Facts) => {
    const requests = await arrived();
    if (requests.some(({ tls }) => tls === mode)) return true;
    const count = requests.filter(({ reason }) => reason === 'tls-handshake').length;
    if (count !== refused) since = monotonicTime();
    refused = count;
    if (!isPaid || refused === 0) return false;
    paidAt ??= monotonicTime();
    const isCalm = monotonicTime() - since > 3 * TO_BE_CALM;
    // Other orders, which the application asks for without an end, are refused, too.
    return isCalm || monotonicTime() - paidAt > TO_GIVE_UP * stage.scale;
  };
  const facts = await stage.until(hasEnded, { reconciles: false });
  const crash = crashOf(stage, facts);
  if (crash !== undefined) return crash;
  stage.checkOutcome();
  const reached = (await arrived()).filter(({ tls }) => tls === mode);
  const wrong = isDecided() ?? wrongWith(failure.right, facts);
  if (reached.length > 0) {
    const sentence = `The application sent its key to a server whose certificate ${CERTIFICATES[mode]}${evidence(reached)}.`;
    return { verdict: 'failed', sentence, advice, facts };
  }
  if (wrong !== undefined) return { verdict: 'failed', sentence: wrong.sentence, advice, facts };
  if (!facts.isPaid) {
    const sentence = `The application waits for ever after a refused certificate: pay has not come back within ${seconds(facts.elapsed)}.`;
    return { verdict: 'failed', sentence, advice: GIVE_UP, facts };
  }
  if (refused === 0) {
    const sentence = `The drill did not happen: the application did not connect while the certificate of the provider was ${mode}.`;
    return { verdict: 'error', sentence, facts };
  }
  const sentence = 'No request reached the provider, and nothing is paid.';
  return { verdict: 'survived', sentence, facts };
}

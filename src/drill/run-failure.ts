import { monotonicTime, timeOfDay } from '../timers.ts';
import { advise } from './advice.ts';
import { evidence, type Facts, seconds } from './facts.ts';
import type { Happened, Play } from './failure.ts';
import {
  isSettled,
  type Right,
  type Wrong,
  wordsOfRefusal,
  wrongInEvery,
  wrongWith,
} from './judge.ts';
import { gaveUp } from './missed.ts';
import type { DrillResult, DrillWrong } from './result.ts';
import { errorText, Stage, type StageOptions } from './stage.ts';
import type { NotStarted } from './stopped.ts';

/** What came out of a failure, so far. */
export interface Verdict {
  readonly verdict: DrillResult['verdict'];
  readonly kind?: DrillWrong;
  readonly sentence: string;
  readonly advice?: string;
  readonly facts: Facts | undefined;
}

/** One attempt at a failure: its orders are played, then watched. */
export class FailureRun {
  readonly #plays: readonly Play[];
  readonly #stage: Stage;
  /** What was played of it. */
  readonly #played: Play[] = [];
  /** What is right of orders that are over, once for all that have it. */
  readonly #sentences = new Set<string>();

  /** @throws NotStarted if the application does not start */
  static async open(plays: readonly Play[], options: StageOptions): Promise<FailureRun> {
    const { failure, provider } = options;
    const state = failure.endsTokens ? (provider.tokens?.state ?? {}) : {};
    return new FailureRun(plays, await Stage.open(options, state));
  }

  private constructor(plays: readonly Play[], stage: Stage) {
    this.#plays = plays;
    this.#stage = stage;
  }

  /** Plays the orders, one after the other. @throws DrillStopped if `success` shows that the rest means nothing */
  async play(): Promise<Verdict> {
    let unknown: Verdict | undefined;
    for (const play of this.#plays) {
      this.#played.push(play);
      const isLast = this.#played.length === this.#plays.length;
      const { verdict, ...happened } = await this.#order(play, isLast);
      // An application that gave the occasion before gives it again, unless it was slow.
      const skipsRest = happened.skipsRest && this.#played.length === 1;
      if (verdict.verdict === 'failed') return verdict;
      // What is not known of one order does not hide what is wrong with the next.
      if (verdict.verdict === 'inconclusive') unknown ??= verdict;
      else if (isLast || skipsRest) return unknown ?? this.#withOthers(verdict);
      // An order that ends with a later one is not over yet.
      else if (!play.isEndless) this.#sentences.add(verdict.sentence);
    }
    if (unknown === undefined)
      throw new Error(`${this.#stage.options.failure.name} has no orders.`);
    return unknown;
  }

  /**
   * Watches all orders for what comes later, such as a second charge by a queue.
   *
   * @param played what came out so far
   */
  async watch(played: Verdict): Promise<Verdict> {
    const stage = this.#stage;
    const { pace, patience } = stage.options;
    const began = monotonicTime();
    const play = this.#played.at(-1);
    const right = this.#rightOf(play);
    const isLeft = async (latest: Facts) => {
      if (latest.calm >= patience) return false;
      const isOpen = wrongWith(right, latest) !== undefined || !latest.isBack;
      return isOpen || (!play?.isEndless && (await stage.clock.isDue()));
    };
    const isOver = async (latest: Facts) =>
      monotonicTime() - began > pace.of('watch') && !(await isLeft(latest));
    return await this.#look(played, isOver, !play?.isEndless);
  }

  /** Judges all orders again, by what is wrong in every failure. */
  async judgeAgain(played: Verdict): Promise<Verdict> {
    const right = this.#rightOf(this.#played.at(-1));
    this.#stage.judge = (facts) => wrongInEvery(right, facts);
    return await this.#look(played, () => true, false);
  }

  async close(): Promise<void> {
    await this.#stage.close();
  }

  #rightOf(play: Play | undefined): Right {
    return play?.right ?? this.#stage.options.failure.right;
  }

  /** @returns also whether the other orders would say nothing */
  async #order(play: Play, isLast: boolean) {
    const stage = this.#stage;
    const { end = 'success', isEndless } = play;
    const right = this.#rightOf(play);
    const { ends } = stage.flow;
    await stage.begin(ends[end] ?? ends.success);
    await play.prepare?.(stage);
    stage.judge = (facts) => judgeNow(right, facts, stage);
    stage.pay(play.clicks);
    const happened = await play.happen?.(stage);
    const facts = await (isEndless
      ? stage.until(({ isBack }) => isBack)
      : stage.until(isOver(stage, right, isLast), { moves: true }));
    await stage.account.clearResponses();
    await stage.account.clearWebhookScript();
    return {
      verdict: await verdictOf(play, wrongWith(right, facts), stage, facts, happened),
      skipsRest: happened?.skipsRest,
    };
  }

  async #look(
    played: Verdict,
    isOver: (latest: Facts) => boolean | Promise<boolean>,
    moves: boolean,
  ): Promise<Verdict> {
    const stage = this.#stage;
    const judge = (facts: Facts, order: number) =>
      wrongInEvery(this.#rightOf(this.#played[order]), facts);
    const { latest, wrong, facts = latest } = await stage.watch(judge, isOver, moves);
    const before = { circumstance: LATER };
    const late = wrong ?? stage.decided;
    if (late !== undefined) return failed(late, stage, facts, before);
    const { crash } = stage;
    if (crash !== undefined) return crashed(crash, stage, latest);
    stage.options.learned.leavesPending ||= latest.outcome.state === 'pending';
    const open = stage.judge(latest);
    if (open !== undefined) {
      const excuse = gaveUp(open, latest, stage.lateness);
      if (excuse !== undefined) return inconclusive(excuse, stage, latest);
      return failed(open, stage, latest, before);
    }
    const isSame = latest.outcome.state === played.facts?.outcome.state;
    return isSame
      ? played
      : this.#withOthers({ ...played, sentence: survival(latest), facts: latest });
  }

  #withOthers(verdict: Verdict): Verdict {
    const sentences = new Set([...this.#sentences, verdict.sentence]);
    return { ...verdict, sentence: [...sentences].join(' ') };
  }
}

/** What is wrong now. In `success`, what the provider refused is wrong at once. */
function judgeNow(right: Right, facts: Facts, stage: Stage): Wrong | undefined {
  const wrong = wrongWith(right, facts);
  if (!stage.isSuccess || wrong === undefined) return wrong;
  const isQuiet = facts.isBack && facts.requests.every(({ ended }) => ended);
  const isRefused = isQuiet && wrong.sentence.includes('The provider refused');
  return isRefused || stage.current.payError !== undefined ? { ...wrong, isFinal: true } : wrong;
}

async function verdictOf(
  play: Play,
  inTheEnd: Wrong | undefined,
  stage: Stage,
  facts: Facts,
  happened: Happened = {},
): Promise<Verdict> {
  const wrong = stage.decided ?? happened.wrong ?? inTheEnd;
  // What is certain counts first, because an application may not tell the outcome of an order that it lost.
  if (stage.isSuccess) stopIfMeaningless(stage, facts, wrong);
  const { crash } = stage;
  if (crash !== undefined) return crashed(crash, stage, facts);
  const before = wrong === happened.wrong ? {} : { ...play, ...happened };
  if (wrong?.isFinal) return failed(wrong, stage, facts, before);
  const { outcomeProblem } = stage;
  if (outcomeProblem !== undefined) {
    return inconclusive(`the outcome of an order can't be read: ${outcomeProblem}`, stage, facts);
  }
  if (stage.clock.error !== undefined) {
    return inconclusive(errorText(stage.clock.error), stage, facts);
  }
  const open = hangs(facts) ?? wrong;
  const excuse = open && !stage.isSuccess && gaveUp(open, facts, stage.lateness);
  if (excuse) return inconclusive(excuse, stage, facts);
  if (open?.isFinal) return failed(open, stage, facts);
  if (wrong !== undefined) return failed(wrong, stage, facts, before);
  const { remark } = happened;
  const reason = remark === undefined ? await play.missed?.(facts, stage) : undefined;
  if (reason !== undefined) return inconclusive(reason, stage, facts);
  const text = [survival(facts), remark, facts.note].filter(Boolean).join(' ');
  return { verdict: 'survived', sentence: stage.redacted(text), facts };
}

/** @throws DrillStopped if nothing else would mean anything */
function stopIfMeaningless(stage: Stage, facts: Facts, wrong: Wrong | undefined): void {
  const { outcomeProblem, current } = stage;
  if (current.payError !== undefined) {
    const refusal = /The provider refused.*/.exec(wrong?.sentence ?? '')?.[0] ?? '';
    const text = `Failed to pay, although nothing went wrong: ${errorText(current.payError)}`;
    throw stage.stopped(`${text} ${refusal}`.trimEnd());
  }
  if (outcomeProblem !== undefined) {
    throw stage.stopped(`Failed to read the outcome of an order: ${outcomeProblem}`);
  }
  if (facts.isForgotten) {
    const text = 'Failed to read the outcome of an order: the application does not know it.';
    throw stage.stopped(`${text} Save the order before pay comes back.`);
  }
}

function survival(facts: Facts): string {
  const charged = facts.taken.length === 0 ? 'Not charged' : 'Charged once';
  return `${charged}, and ${facts.outcome.state}.`;
}

/** What has not come back. */
function hangs(facts: Facts): Wrong | undefined {
  const { patience, requests, starts, isBack } = facts;
  const isOld = (time: string) => timeOfDay() - Date.parse(time) > patience;
  const isOpen = requests.some(({ ended, time }) => !ended && isOld(time));
  if (isBack && !isOpen) return undefined;
  const what = isBack ? 'a request' : 'pay';
  const text = `The application hangs: ${what} has not come back within ${seconds(patience)}${evidence(starts)}.`;
  const fix = 'Set a timeout, or set patience if this is right.';
  return { kind: 'hangs', sentence: `${text} ${fix}`, isFinal: true };
}

export function failed(
  { kind, sentence }: Wrong,
  stage: Stage,
  facts: Facts,
  { circumstance, adviceOf }: Happened = {},
): Verdict {
  const redirect =
    facts.requests.length === 0 && kind === 'not-started' ? stage.application.redirect : undefined;
  const text = [inCircumstance(sentence, circumstance), facts.note, redirect].filter(Boolean);
  const advice = advise(kind, stage.options, adviceOf);
  return { verdict: 'failed', kind, sentence: stage.redacted(text.join(' ')), advice, facts };
}

export function crashed(crash: string, stage: Stage, facts: Facts): Verdict {
  const sentence = `The application crashed: ${crash}${evidence(facts.starts)}.`;
  return failed({ kind: 'crashed', sentence, isFinal: true }, stage, facts);
}

export function inconclusive(reason: string, stage: Stage, facts: Facts): Verdict {
  const text = `The failure did not happen: ${reason.replace(/\.$/, '')}.${wordsOfRefusal(facts)}`;
  const sentence = stage.redacted(text);
  return { verdict: 'inconclusive', sentence, advice: INCONCLUSIVE, facts };
}

export function notStarted({ message }: NotStarted): Verdict {
  const sentence = `The failure did not happen. ${message}`;
  return { verdict: 'inconclusive', sentence, advice: INCONCLUSIVE, facts: undefined };
}

const INCONCLUSIVE =
  'Nothing is known about this failure. Make it possible, or run it again on a machine with less load.';

const LATER = 'some time later';

/** `After a 502, the application says failed, but …`. */
function inCircumstance(sentence: string, circumstance: string | undefined): string {
  if (circumstance === undefined || !/^The (application|order|customer)/.test(sentence))
    return sentence;
  if (/^The customer was/.test(sentence) && circumstance !== LATER) return sentence;
  const first = circumstance.charAt(0).toUpperCase() + circumstance.slice(1);
  return `${first}, ${sentence.charAt(0).toLowerCase()}${sentence.slice(1)}`;
}

/** Whether the application and the ledger agree, and nothing more comes that only the clock brings. */
function isOver(stage: Stage, right: Right, isLast: boolean) {
  const { pace } = stage.options;
  let before = '';
  let since = monotonicTime();
  return async (facts: Facts): Promise<boolean> => {
    const { requests, starts, webhooks, outcome, charges, isBack } = facts;
    // Not the questions for the state, because some applications never stop asking.
    const now = JSON.stringify([starts.length, webhooks.length, outcome, charges]);
    const isRight = wrongWith(right, facts) === undefined;
    const isBusy = !isBack || [...requests, ...webhooks].some(({ duration }) => duration === null);
    if (now !== before || !isRight || isBusy || (await stage.clock.isDue()))
      since = monotonicTime();
    before = now;
    // What comes later is met by the watch, or else by the next order.
    const isDone = isLast ? stage.isReconciled : isSettled(facts);
    return monotonicTime() - since >= pace.of(isDone ? 'calm' : 'giveUp');
  };
}

/** What the result says of the order that it is about. */
export function evidenceOf(facts: Facts | undefined): Pick<DrillResult, 'entries' | 'outcome'> {
  if (facts === undefined) return { entries: [], outcome: null };
  const entries = [...facts.charges, ...facts.backs].map(({ misplaced: _, ...entry }) => entry);
  return { entries, outcome: facts.outcome };
}

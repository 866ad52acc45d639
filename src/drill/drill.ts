import { setMaxListeners } from 'node:events';
import { MomoMockError } from '../errors.ts';
import type { MomoMock } from '../library/momo-mock.ts';
import { drillOf } from '../library/open-server.ts';
import { advice } from '../mock/closest-name.ts';
import type { DrillFlow, MomoDrill } from '../mock/ledger/momo-drill.ts';
import { Semaphore } from '../mock/webhooks/semaphore.ts';
import { monotonicTime } from '../timers.ts';
import { playsOf } from './applicable.ts';
import type { DrillTarget } from './application.ts';
import { runCertificates } from './certificates.ts';
import type { Failure, Play } from './failure.ts';
import { FAILURES } from './failures.ts';
import { Learned } from './learned.ts';
import { OrderBook } from './order-book.ts';
import { Pace } from './pace.ts';
import type { DrillReport, DrillResult } from './result.ts';
import { evidenceOf, FailureRun, notStarted, type Verdict } from './run-failure.ts';
import type { StageOptions } from './stage.ts';
import { DrillStopped, NotStarted } from './stopped.ts';
import { TIMES } from './times.ts';

export type { DrillReport, DrillResult } from './result.ts';
export { DrillStopped } from './stopped.ts';

export interface DrillOptions {
  /** A mock of `startMomoMock`, whose fixture tree has a `drill.js`. The caller closes it. */
  readonly mock: MomoMock;
  readonly target: DrillTarget;
  /** Whether the application takes webhooks. */
  readonly webhookExists: boolean;
  /** Names of failures to run. `success` always runs first. @default all */
  readonly only?: readonly string[] | undefined;
  /**
   * How long the drill waits for what it brings about itself, in ms. With less than the usual limit, its other
   * waits are shorter in proportion.
   */
  readonly limit: number;
  /** How long the drill waits for the application, in ms. */
  readonly patience: number;
  /** How many failures run at once. */
  readonly concurrency: number;
  /** Amounts by currency. @default those of drill.js */
  readonly amounts?: Readonly<Record<string, readonly number[]>> | undefined;
  /** Whether the application is told the currency of an order. @default true */
  readonly usesCurrency?: boolean | undefined;
  /** Called when a failure begins. */
  readonly onStart?: ((name: string) => void) | undefined;
  /** Called when a failure has ended. */
  readonly onResult?: ((result: DrillResult) => void) | undefined;
  /** Stops the drill: running failures are ended, and their applications closed. */
  readonly signal?: AbortSignal | undefined;
}

/** The names of all failures, in the order in which they are shown. */
export const FAILURE_NAMES: readonly string[] = FAILURES.map(({ name }) => name);

/**
 * Runs an application through failures.
 *
 * @throws DrillStopped with a sentence, and what was judged before
 * @throws MomoMockError `MOMO_MOCK_FIXTURE_INVALID` if the tree has no `drill.js`, or not a valid one
 */
export async function runDrill(options: DrillOptions): Promise<DrillReport> {
  const names = chosenNames(options.only);
  const session = await DrillSession.open(options, names);
  const results = new Map<string, DrillResult>();
  const judge = async (name: string): Promise<void> => {
    try {
      const result = await session.result(name);
      results.set(name, result);
      options.onResult?.(result);
    } catch (error) {
      if (!(error instanceof NotRun)) throw error;
    }
  };
  try {
    await Promise.all(session.names.map(judge));
  } catch (error) {
    const isOwn = error instanceof DrillStopped;
    // What was judged before is worth a report, whatever stopped the drill.
    if (!isOwn && !(error instanceof MomoMockError && results.size > 0)) throw error;
    const stopped = isOwn ? error : new DrillStopped(error.message);
    stopped.report = reportOf(results);
    throw stopped;
  } finally {
    await session.close();
  }
  return reportOf(results);
}

function reportOf(results: ReadonlyMap<string, DrillResult>): DrillReport {
  const failures = FAILURE_NAMES.flatMap((name) => results.get(name) ?? []);
  const count = (verdict: DrillResult['verdict']) =>
    failures.filter((result) => result.verdict === verdict).length;
  return {
    flows: ['payment'],
    survived: count('survived'),
    failed: count('failed'),
    notApplicable: count('not-applicable'),
    inconclusive: count('inconclusive'),
    failures,
  };
}

const CERTIFICATES = 'wrong-certificate';
/** The failures that take longest, the longest last. */
const LONG = [
  ...['timeout', 'late-webhook', 'double-click', 'webhook-forged', 'webhook-twice'],
  ...['down', 'status-broken'],
];

/** `only`, in the order of all failures. @throws DrillStopped for an unknown name */
export function chosenNames(only: readonly string[] = FAILURE_NAMES): readonly string[] {
  const chosen = only.map(failureOf);
  return FAILURES.filter((failure) => chosen.includes(failure)).map(({ name }) => name);
}

/** @throws DrillStopped for an unknown name */
function failureOf(name: string): Failure {
  const failure = FAILURES.find((one) => one.name === name);
  if (failure !== undefined) return failure;
  throw new DrillStopped(`Unknown failure "${name}". ${advice(name, FAILURE_NAMES)}`);
}

/** A failure that was not run, because `success` was not survived. */
class NotRun extends DrillStopped {}

/** What came out of a failure, and what can be judged again: one process that has all orders. */
interface Judged {
  readonly verdict: Verdict;
  readonly run?: FailureRun | undefined;
  /** With all attempts, in ms. */
  readonly duration: number;
}

/** The failures of one application. All of them run, each once. */
export class DrillSession {
  /** The failures, in the order in which they run. */
  readonly names: readonly string[];
  readonly #options: DrillOptions;
  readonly #stop = new AbortController();
  readonly #slots: Semaphore;
  readonly #stage: Omit<StageOptions, 'failure' | 'place'>;
  /** What was played and watched, in the order in which the failures run. */
  readonly #judged: Promise<Judged>[] = [];
  readonly #results = new Map<string, Promise<DrillResult>>();
  readonly #watched = new Set<Promise<unknown>>();
  #pass: () => void = () => {};
  #fail: (error: unknown) => void = () => {};
  /** Settles when `success` was played: it was survived so far, or it was not. */
  readonly #passed = new Promise<void>((pass, fail) => {
    this.#pass = pass;
    this.#fail = fail;
  });

  static async open(options: DrillOptions, names: readonly string[]): Promise<DrillSession> {
    const provider = await drillOf(options.mock);
    const known = FAILURE_NAMES.flatMap((name) => [name, `payment:${name}`]);
    for (const field of ['cannot', 'advice'] as const) {
      const unknown = Object.keys(provider[field] ?? {}).find((name) => !known.includes(name));
      if (unknown === undefined) continue;
      const text = `Failed to read drill.js: ${field} has the unknown failure "${unknown}". ${advice(unknown, FAILURE_NAMES)}`;
      throw new MomoMockError('MOMO_MOCK_FIXTURE_INVALID', text);
    }
    const flow = provider.flows.payment;
    if (flow === undefined) {
      const text =
        'Failed to read drill.js: flows has no payment. Add it, because payments are drilled.';
      throw new MomoMockError('MOMO_MOCK_FIXTURE_INVALID', text);
    }
    return new DrillSession(options, provider, flow, names);
  }

  private constructor(
    options: DrillOptions,
    provider: MomoDrill,
    flow: DrillFlow,
    names: readonly string[],
  ) {
    this.#options = options;
    const { mock, target, limit, patience, signal } = options;
    const { amounts = flow.amounts, usesCurrency = true } = options;
    this.#slots = new Semaphore(options.concurrency);
    this.#stage = {
      ...{ mock, provider, flow, target, patience, learned: new Learned() },
      pace: new Pace(limit),
      book: new OrderBook(amounts, usesCurrency),
      signal: AbortSignal.any([this.#stop.signal, ...(signal === undefined ? [] : [signal])]),
    };
    // Each wait of a drill listens.
    setMaxListeners(0, this.#stage.signal);
    this.#passed.catch(() => {});
    this.names = ['success', ...this.#inOrder(names)];
    for (const name of this.names) {
      const judged = this.#judge(failureOf(name), [...this.#judged]);
      this.#judged.push(judged);
      const result = this.#resultOf(name, judged);
      this.#results.set(name, result);
      result.catch(() => {});
    }
  }

  /**
   * The result of a failure, once nothing can change it.
   *
   * @throws DrillStopped also if `success` was not survived
   */
  async result(name: string): Promise<DrillResult> {
    const result = this.#results.get(name);
    if (result === undefined) throw new DrillStopped(`${name} was not chosen.`);
    return await result;
  }

  /** Ends what still runs. */
  async close(): Promise<void> {
    this.#stop.abort(new DrillStopped('The drill was stopped.'));
    await Promise.allSettled(this.#results.values());
  }

  /** Failures other than `success`, in the order in which to run them. */
  #inOrder(names: readonly string[]): string[] {
    const isAlone = this.#options.concurrency === 1;
    const place = (name: string): number => {
      if (name === CERTIFICATES) return 1;
      // Those that take longest come first, so that nothing waits for them in the end.
      return isAlone ? 0 : -1 - LONG.indexOf(name);
    };
    return names.filter((name) => name !== 'success').sort((a, b) => place(a) - place(b));
  }

  /** One process has the orders of all failures, so they are judged again when nothing more comes. */
  async #resultOf(name: string, judged: Promise<Judged>): Promise<DrillResult> {
    const { run, duration, ...first } = await judged;
    let { verdict } = first;
    try {
      if (run !== undefined) {
        await Promise.allSettled(this.#judged);
        this.#stage.signal.throwIfAborted();
        verdict = await run.judgeAgain(verdict);
      }
    } finally {
      await run?.close();
    }
    const { facts, ...said } = verdict;
    return { name, flow: 'payment', ...said, ...evidenceOf(facts), duration };
  }

  /**
   * Runs a failure, after `success` and when there is room. `wrong-certificate` waits for all others that
   * were begun, also for what is watched.
   */
  async #judge(failure: Failure, others: readonly Promise<unknown>[]): Promise<Judged> {
    const { name } = failure;
    const isFirst = name === 'success';
    if (!isFirst) await this.#passed;
    if (name === CERTIFICATES) await Promise.allSettled(others);
    const { webhookExists } = this.#options;
    const { tellsFulfilled } = this.#stage.learned;
    const plays = playsOf(failure, { ...this.#stage, webhookExists, tellsFulfilled });
    if (typeof plays === 'string') {
      // So that `success` is shown first.
      await this.#judged[0];
      const verdict = { verdict: 'not-applicable', sentence: plays, facts: undefined } as const;
      return { verdict, duration: 0 };
    }
    try {
      const judged = await this.#attempt(failure, plays);
      const { verdict, duration } = judged;
      // On a busy machine, an application may miss what was prepared for it, or not have read a 429 in time.
      const isOver = verdict.verdict !== 'inconclusive' && verdict.kind !== 'too-early';
      const last = isOver ? judged : await this.#attempt(failure, plays);
      if (isFirst && last.verdict.verdict !== 'survived') {
        const why = `Not run, because success was not survived: ${last.verdict.sentence}`;
        this.#fail(new NotRun(why));
      }
      return isOver ? judged : { ...last, duration: duration + last.duration };
    } catch (error) {
      if (isFirst) this.#fail(error);
      throw error;
    }
  }

  /** Plays a failure when there is room, and watches it while others run. */
  async #attempt(failure: Failure, plays: readonly Play[]): Promise<Judged> {
    const { signal } = this.#stage;
    try {
      const watching = await this.#slots.run(signal, async () => {
        await this.#untilInTime();
        const judged = Promise.resolve((await this.#play(failure, plays)).judged);
        this.#watched.add(judged);
        judged.finally(() => this.#watched.delete(judged)).catch(() => {});
        while (this.#watched.size > this.#options.target.maxWatched) {
          await Promise.race(this.#watched).catch(() => {});
        }
        return { judged };
      });
      if (watching === undefined) throw signal.reason;
      return await watching.judged;
    } catch (error) {
      throw signal.aborted ? signal.reason : error;
    }
  }

  /** What runs already comes first on a busy machine, but the next failure waits for no longer than the limit. */
  async #untilInTime(): Promise<void> {
    const { pace } = this.#stage;
    const until = monotonicTime() + this.#options.limit;
    while (pace.isBehind && monotonicTime() < until) {
      await pace.sleep(TIMES.look.ms, this.#stage.signal);
    }
  }

  /** @returns what came out of it, and was closed, or what comes out when it was watched */
  async #play(
    failure: Failure,
    plays: readonly Play[],
  ): Promise<{ judged: Judged | Promise<Judged> }> {
    const { onStart, target } = this.#options;
    const { name } = failure;
    const options = { ...this.#stage, failure, place: FAILURES.indexOf(failure) };
    this.#stage.signal.throwIfAborted();
    onStart?.(name);
    const began = monotonicTime();
    const judgedOf = (verdict: Verdict, run?: FailureRun): Judged => {
      return { verdict, run, duration: Math.round(monotonicTime() - began) };
    };
    try {
      if (name === CERTIFICATES) return { judged: judgedOf(await runCertificates(options)) };
      const run = await FailureRun.open(plays, options);
      const orClose = (error: unknown): never => {
        run.close().catch(() => {});
        throw error;
      };
      const played = await run.play().catch(orClose);
      const isSurvived = played.verdict === 'survived';
      if (isSurvived && name === 'success') this.#pass();
      const watch = async () => {
        const verdict = isSurvived ? await run.watch(played) : played;
        // Otherwise, it is closed when it was judged again.
        if (target.isShared && verdict.verdict === 'survived') return judgedOf(verdict, run);
        await run.close();
        return judgedOf(verdict);
      };
      const judged = watch().catch(orClose);
      return { judged: isSurvived ? judged : await judged };
    } catch (error) {
      if (name === 'success' || !(error instanceof NotStarted)) throw error;
      return { judged: judgedOf(notStarted(error)) };
    }
  }
}

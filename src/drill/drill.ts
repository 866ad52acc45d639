import { MomoMockError } from '../errors.ts';
import type { MomoMock } from '../library/momo-mock.ts';
import { drillOf } from '../library/open-server.ts';
import { advice } from '../mock/closest-name.ts';
import type { MomoDrill } from '../mock/operations/drill-file.ts';
import { Semaphore } from '../mock/webhooks/semaphore.ts';
import type { DrillTarget } from './application.ts';
import { FAILURES, type Failure, type Need } from './failures.ts';
import type { DrillResult } from './result.ts';
import { runCertificates, runFailure } from './run-failure.ts';
import { USUAL_LIMIT } from './stage.ts';
import { DrillStopped } from './stopped.ts';

export type { DrillResult } from './result.ts';
export { DrillStopped } from './stopped.ts';

export interface DrillOptions {
  /** A mock of `startMomoMock`, whose fixture tree has a `drill.js`. The caller closes it. */
  readonly mock: MomoMock;
  readonly target: DrillTarget;
  /** Whether the application takes webhooks: its `webhook` is set once it is open. */
  readonly webhookExists: boolean;
  /** Names of failures to run. `success` always runs first. @default all */
  readonly only?: readonly string[] | undefined;
  /**
   * The time for a failure, in ms. With less than the default, all times of the drill are shorter in
   * proportion, such as how long the provider is down. @default 20000
   */
  readonly limit?: number | undefined;
  /** How many failures run at once. @default 1 */
  readonly concurrency?: number | undefined;
  /** Called when a failure begins. */
  readonly onStart?: ((name: string) => void) | undefined;
  /** Called when a failure has ended. */
  readonly onResult?: ((result: DrillResult) => void) | undefined;
  /** Stops the drill: running failures are ended, and their applications closed. */
  readonly signal?: AbortSignal | undefined;
}

export interface DrillReport {
  readonly survived: number;
  readonly failed: number;
  readonly notApplicable: number;
  /** How many failures did not happen, which is not survived. */
  readonly errors: number;
  /** In the order of {@link FAILURES}. Only `success`, if that was not survived. */
  readonly failures: readonly DrillResult[];
}

/** The names of all failures, in the order in which they are shown. */
export const FAILURE_NAMES: readonly string[] = FAILURES.map(({ name }) => name);

/**
 * Runs an application through failures.
 *
 * @throws DrillStopped with a sentence
 * @throws MomoMockError `MOMO_MOCK_FIXTURE_INVALID` if the tree has no `drill.js`, or not a valid one
 */
export async function runDrill(options: DrillOptions): Promise<DrillReport> {
  const names = chosenNames(options.only);
  const session = await DrillSession.open(options);
  const results = new Map<string, DrillResult>();
  const run = async (name: string): Promise<DrillResult> => {
    const result = await session.run(name);
    results.set(name, result);
    options.onResult?.(result);
    return result;
  };
  try {
    const { verdict } = await run('success');
    if (verdict === 'survived') await Promise.all(session.inOrder(names).map(run));
  } finally {
    await session.close();
  }
  const failures = FAILURE_NAMES.flatMap((name) => results.get(name) ?? []);
  const count = (verdict: DrillResult['verdict']) =>
    failures.filter((result) => result.verdict === verdict).length;
  return {
    survived: count('survived'),
    failed: count('failed'),
    notApplicable: count('not-applicable'),
    errors: count('error'),
    failures,
  };
}

const CERTIFICATES = 'wrong-certificate';
/** The failures that take longest, the longest last. */
const LONG = ['status-broken', 'late-webhook', 'pending-for-ever', 'down'];

/** `only`, in the order of all failures. @throws DrillStopped for an unknown name */
export function chosenNames(only: readonly string[] = FAILURE_NAMES): readonly string[] {
  const unknown = only.find((name) => !FAILURE_NAMES.includes(name));
  if (unknown === undefined) return FAILURE_NAMES.filter((name) => only.includes(name));
  throw new DrillStopped(`Unknown failure "${unknown}". ${advice(unknown, FAILURE_NAMES)}`);
}

/** The failures of one application. Each runs once. */
export class DrillSession {
  readonly #options: DrillOptions;
  readonly #provider: MomoDrill;
  readonly #stop = new AbortController();
  readonly #running = new Map<string, Promise<DrillResult>>();
  readonly #concurrency: number;
  readonly #slots: Semaphore;
  #tellsFulfilled = false;

  static async open(options: DrillOptions): Promise<DrillSession> {
    const provider = await drillOf(options.mock);
    for (const field of ['cannot', 'advice'] as const) {
      const unknown = Object.keys(provider[field] ?? {}).find(
        (name) => !FAILURE_NAMES.includes(name),
      );
      if (unknown === undefined) continue;
      const text = `Failed to read drill.js: ${field} has the unknown failure "${unknown}". ${advice(unknown, FAILURE_NAMES)}`;
      throw new MomoMockError('MOMO_MOCK_FIXTURE_INVALID', text);
    }
    return new DrillSession(options, provider);
  }

  private constructor(options: DrillOptions, provider: MomoDrill) {
    this.#options = options;
    this.#provider = provider;
    const { signal, concurrency = 1 } = options;
    this.#concurrency = concurrency;
    this.#slots = new Semaphore(concurrency);
    const stop = () => this.#stop.abort(signal?.reason);
    if (signal?.aborted) stop();
    signal?.addEventListener('abort', stop, { once: true });
  }

  /** Failures other than `success`, in the order in which to run them. */
  inOrder(names: readonly string[]): string[] {
    const isAlone = this.#concurrency === 1;
    const place = (name: string): number => {
      if (name === CERTIFICATES) return 1;
      // Those that take longest come first, so that nothing waits for them in the end.
      return isAlone ? 0 : -1 - LONG.indexOf(name);
    };
    return names.filter((name) => name !== 'success').sort((a, b) => place(a) - place(b));
  }

  /**
   * Runs a failure, after `success` and when there is room. `wrong-certificate` waits for all others that
   * were begun.
   *
   * @throws DrillStopped also if `success` was not survived
   */
  run(name: string): Promise<DrillResult> {
    const others = [...this.#running.values()];
    const running = this.#running.get(name) ?? this.#runInTurn(name, others);
    this.#running.set(name, running);
    running.catch(() => {});
    return running;
  }

  async #runInTurn(name: string, others: readonly Promise<unknown>[]): Promise<DrillResult> {
    if (name !== 'success') {
      const { verdict, sentence } = await this.run('success');
      if (verdict !== 'survived')
        throw new DrillStopped(`Not run, because success was not survived: ${sentence}`);
    }
    if (name === CERTIFICATES) await Promise.allSettled(others);
    const { signal } = this.#stop;
    const result = await this.#slots
      .run(signal, () => this.#run(name))
      .catch((error) => {
        throw signal.aborted ? signal.reason : error;
      });
    if (result !== undefined) return result;
    throw signal.reason;
  }

  /** Ends what still runs. */
  async close(): Promise<void> {
    this.#stop.abort(new DrillStopped('The drill was stopped.'));
    await Promise.allSettled(this.#running.values());
  }

  async #run(name: string): Promise<DrillResult> {
    const failure = FAILURES.find((one) => one.name === name);
    if (failure === undefined) throw new DrillStopped(`Unknown failure ${JSON.stringify(name)}.`);
    const { mock, target, limit = USUAL_LIMIT, webhookExists, onStart } = this.#options;
    const { signal } = this.#stop;
    signal.throwIfAborted();
    const reason = this.#reasonAgainst(failure);
    if (reason !== undefined) {
      const nothing = { charges: [], outcome: null, duration: 0 };
      return { name, verdict: 'not-applicable', sentence: reason, ...nothing };
    }
    onStart?.(name);
    const run = name === CERTIFICATES ? runCertificates : runFailure;
    const options = { mock, provider: this.#provider, target, failure: name, limit };
    const turn = () =>
      run(failure, {
        ...options,
        hasWebhook: webhookExists,
        signal,
        onOutcome: ({ fulfilled }) => {
          this.#tellsFulfilled ||= fulfilled !== undefined;
        },
      });
    const result = await turn();
    // On a busy machine, an application may miss what was prepared for it.
    return result.verdict === 'error' ? await turn() : result;
  }

  /** Why a failure is not applicable. */
  #reasonAgainst({ name, needs = [], end = 'success' }: Failure): string | undefined {
    const { cannot, ends, webhooks, status, addPaidOrder, payLess, tokens } = this.#provider;
    if (cannot?.[name] !== undefined) return cannot[name];
    if (ends[end] === undefined) return `drill.js says no phone number for the end ${end}.`;
    const lacks: Readonly<Record<Need, string | false>> = {
      webhook:
        (webhooks === undefined && 'The provider sends no webhooks.') ||
        (!this.#options.webhookExists && 'The application takes no webhooks: webhook is not set.'),
      'pending-webhook':
        webhooks?.pending === undefined &&
        'The provider sends no webhook while a payment is pending.',
      'other-order': addPaidOrder === undefined && 'drill.js has no addPaidOrder.',
      'pay-less': payLess === undefined && 'A payer cannot pay less than the amount.',
      status: status.length === 0 && 'The provider cannot be asked for the state of a payment.',
      tokens: tokens === undefined && 'The provider has no tokens.',
      fulfilled:
        !this.#tellsFulfilled && 'The application does not tell how often it fulfilled the order.',
    };
    return needs.map((need) => lacks[need]).find((text) => text !== false);
  }
}

import { MomoMockError } from '../errors.ts';
import type { MomoMock } from '../library/momo-mock.ts';
import { OPTIONS } from '../library/option-table.ts';
import { startMomoMock } from '../library/start-momo-mock.ts';
import type { MomoStartOptions } from '../library/start-options.ts';
import { advice } from '../mock/closest-name.ts';
import { findProblem } from '../mock/json/check.ts';
import { AMOUNTS } from '../mock/ledger/drill-definition.ts';
import type { Application, DrillTarget, OpenApplication } from './application.ts';
import { chosenNames, DrillSession } from './drill.ts';
import type { DrillResult } from './result.ts';
import { LIMIT, PATIENCE, patienceFor, USUAL_LIMIT } from './times.ts';

/**
 * The application under test, and options of the drill. All other options are those of `startMomoMock`,
 * such as `preset`, `fixturesDir` and `redirect`.
 */
export interface MomoDrillOptions extends MomoStartOptions, Application {
  /** The names of failures to run. `success` always runs before them. @default all */
  readonly only?: readonly string[];
  /**
   * How long the drill waits for what it brings about itself, in ms, at least 1000. With less than the default,
   * its other waits are shorter in proportion, also the default of `patience`.
   *
   * @default 20000
   */
  readonly limit?: number;
  /**
   * How long the drill waits for your application, in ms, at least 1000: for a response to `pay`, for a request
   * that is still open, and for an order that has yet to become paid or failed. It counts from the last event,
   * such as a webhook.
   *
   * @default 60000
   */
  readonly patience?: number;
  /**
   * Amounts by currency, such as `{ XOF: [1000, 2500] }`, for a shop with a least price or one currency.
   *
   * @default those of the preset
   */
  readonly amounts?: Readonly<Record<string, readonly number[]>>;
  /**
   * How many failures run at once. Set it to 1 if orders influence each other, for example because
   * the application sends no requests for a while after several have failed.
   *
   * @default 8
   */
  readonly concurrency?: number;
}

/** A failure to run the application through. */
export interface MomoFailure {
  /** The name of the failure, such as `lost-response`. */
  readonly name: string;
  /**
   * Runs the failure. The first call starts all of them, and each call waits for its own.
   *
   * An application that survived so far is watched until the end of the drill, so its result comes then.
   *
   * @returns the result if the application survived it, or if it is not applicable
   * @throws Error with a sentence about the money, the evidence and advice if the application did not
   *   survive it, or if the failure could not be brought about
   */
  run(): Promise<DrillResult>;
}

/** The failures of a drill. */
export interface MomoFailures extends Iterable<MomoFailure> {
  /** Ends what still runs. Without it, everything ends by itself some time after the first `run`. */
  close(): Promise<void>;
}

const OWN = [
  ...['pay', 'outcome', 'reconcile', 'webhook'],
  ...['only', 'limit', 'patience', 'amounts', 'concurrency'],
];
/** An application that retries for ever should not fill the journal. */
const MOCK = { shutdownTimeout: 0, journalSize: 1_000_000, journalBytes: 268_435_456 };

/**
 * Runs an application through failures, one test for each: `for (const { name, run } of drills({ … }))
 * test(name, run)`. Each failure has an account of its own, and each account has one order.
 *
 * @throws MomoMockError `MOMO_MOCK_REQUEST_INVALID` if an option is not valid
 */
export function drills(options: MomoDrillOptions): MomoFailures {
  const { names, drill, start } = readOptions(options);
  let opened: Promise<{ mock: MomoMock; session: DrillSession }> | undefined;
  const open = async () => {
    const mock = await startMomoMock({ ...MOCK, ...start });
    try {
      const session = await DrillSession.open({ mock, ...drill }, names);
      const all = session.names.map((name) => session.result(name));
      void Promise.allSettled(all).then(() => mock.close());
      return { mock, session };
    } catch (error) {
      await mock.close();
      throw error;
    }
  };
  const failures = names.map((name): MomoFailure => {
    const run = async () => {
      opened ??= open();
      const result = await (await opened).session.result(name);
      if (result.verdict === 'survived' || result.verdict === 'not-applicable') return result;
      throw notSurvived(result);
    };
    return { name, run };
  });
  return {
    [Symbol.iterator]: () => failures[Symbol.iterator](),
    close: async () => {
      const { mock, session } = (await opened?.catch(() => undefined)) ?? {};
      await session?.close();
      await mock?.close();
    },
  };
}

function notSurvived({ sentence, advice }: DrillResult): Error {
  const error = new Error(advice === undefined ? sentence : `${sentence}\n${advice}`);
  error.name = 'DrillError';
  // The place in momo-mock says nothing about the application.
  error.stack = `${error.name}: ${error.message}`;
  return error;
}

function readOptions(given: MomoDrillOptions) {
  if (typeof given !== 'object' || given === null) throw invalid('the options: must be an object');
  const known = [...OWN, ...Object.keys(OPTIONS)];
  const unknown = Object.keys(given).find((name) => !known.includes(name));
  if (unknown !== undefined)
    throw invalid(`unknown option "${unknown}". ${advice(unknown, known)}`.replace(/\.$/, ''));
  const { pay, outcome, reconcile, webhook, only, amounts, ...rest } = given;
  const { limit = USUAL_LIMIT, patience = patienceFor(limit), concurrency = 8, ...start } = rest;
  for (const [name, value] of Object.entries({ pay, outcome, reconcile })) {
    const isLeftOut = name === 'reconcile' && value === undefined;
    if (!isLeftOut && typeof value !== 'function') throw invalid(`${name}: must be a function`);
  }
  if (webhook !== undefined && !/^https?:\/\/./.test(`${webhook}`))
    throw invalid('webhook: must be a URL such as http://127.0.0.1:3000/webhooks');
  const isList = only === undefined || (Array.isArray(only) && only.length > 0);
  if (!isList) throw invalid('only: must be a list of names of failures');
  checkWhole('limit', limit, LIMIT);
  checkWhole('patience', patience, PATIENCE);
  checkWhole('concurrency', concurrency, { minimum: 1, maximum: 100 });
  const wrong = amounts === undefined ? undefined : findProblem(AMOUNTS, amounts, () => false);
  if (wrong !== undefined) throw invalid(['amounts', wrong.problem].join(': '));
  const application: OpenApplication = {
    pay,
    outcome,
    ...(reconcile && { reconcile }),
    redirect:
      'Send requests to provider.url, or redirect the host of your client with the option redirect.',
    close: async () => {},
  };
  const target: DrillTarget = {
    isShared: true,
    maxWatched: Infinity,
    place: async () => ({ webhook, open: async () => application }),
  };
  try {
    const webhookExists = webhook !== undefined;
    const drill = { target, webhookExists, limit, patience, concurrency, amounts };
    return { names: chosenNames(only), drill, start: start as MomoStartOptions };
  } catch (error) {
    throw invalid(`only: ${(error as Error).message}`.replace(/[.]$/, ''));
  }
}

function checkWhole(name: string, value: number, { minimum, maximum }: typeof LIMIT): void {
  if (Number.isInteger(value) && value >= minimum && value <= maximum) return;
  throw invalid(`${name}: must be a whole number from ${minimum} to ${maximum}`);
}

function invalid(problem: string): MomoMockError {
  const text = `Failed to read the options of the drill: ${problem}`;
  const sentence = text.endsWith('?') ? text : `${text}.`;
  const error = new MomoMockError('MOMO_MOCK_REQUEST_INVALID', sentence);
  // So that a test runner shows the line of the call.
  Error.captureStackTrace(error, drills);
  return error;
}

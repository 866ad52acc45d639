import type { RequestEntry } from '../mock/journal/entry.ts';
import { monotonicTime } from '../timers.ts';
import { evidence, type Facts, seconds } from './facts.ts';
import type { Happened } from './failure.ts';
import { newest } from './journal-tail.ts';
import { wrongWith } from './judge.ts';
import { crashed, failed, inconclusive, type Verdict } from './run-failure.ts';
import { Stage, type StageOptions } from './stage.ts';
import { NotStarted } from './stopped.ts';

const MODES = ['expired', 'wrong-host', 'untrusted'] as const;
type Mode = (typeof MODES)[number];

const CERTIFICATES: Readonly<Record<Mode, string>> = {
  expired: 'is expired',
  'wrong-host': 'is for another host',
  untrusted: 'nobody has vouched for',
};
const GIVE_UP = 'A refused certificate does not get better: give up after a few attempts.';
const HIDDEN =
  'It does not start without the variables that make it trust the mock, and these may hide a check that is turned off.';

/**
 * Runs `wrong-certificate`, which needs the whole server: first with new connections, then after a payment that
 * was started rightly.
 *
 * @throws DrillStopped, or the reason of the signal
 */
export async function runCertificates(options: StageOptions): Promise<Verdict> {
  const { mock, flow } = options;
  const verdicts: Verdict[] = [];
  try {
    for (const mode of MODES) {
      const { stage, remark = '' } = await openFor(mode, options);
      const verdict = await closing(stage, () => refuseToPay(stage, mode));
      verdicts.push({ ...verdict, sentence: `${verdict.sentence} ${remark}`.trimEnd() });
      await mock.setTls('normal');
      if (verdict.verdict !== 'survived') return verdict;
    }
    if (flow.status.length === 0) return verdicts.at(-1) as Verdict;
    const stage = await Stage.open(options, {});
    return await closing(stage, async () => {
      for (const mode of MODES) {
        const verdict = await refuseToAsk(stage, mode);
        await mock.setTls('normal');
        verdicts.push(verdict);
        if (verdict.verdict !== 'survived') break;
      }
      return joined(verdicts);
    });
  } finally {
    await mock.setTls('normal');
  }
}

/**
 * A certificate that nobody vouches for is refused with and without variables that trust the mock. Some of
 * these variables turn a check on again that the application has turned off, so they are left out.
 */
async function openFor(mode: Mode, options: StageOptions) {
  if (mode !== 'untrusted') return { stage: await Stage.open(options, {}), remark: undefined };
  try {
    return { stage: await Stage.open(options, {}, false), remark: undefined };
  } catch (error) {
    if (!(error instanceof NotStarted)) throw error;
    return { stage: await Stage.open(options, {}), remark: HIDDEN };
  }
}

async function closing(stage: Stage, run: () => Promise<Verdict>): Promise<Verdict> {
  try {
    return await run();
  } finally {
    await stage.close();
  }
}

/** The application should not send its key to start a payment. */
async function refuseToPay(stage: Stage, mode: Mode): Promise<Verdict> {
  const { mock, pace } = stage.options;
  await stage.begin(stage.flow.ends.success);
  stage.judge = (facts) => wrongWith('untouched', facts);
  await mock.setTls(mode);
  const hasOthers = await asksForOthers(stage);
  const arrived = await since(stage);
  stage.pay();
  let refused = 0;
  let refusedAt = monotonicTime();
  let backAt: number | undefined;
  const facts = await stage.until(
    async ({ isBack }) => {
      const requests = await arrived();
      if (reachedIn(requests, mode).length > 0) return true;
      const count = handshakesIn(requests);
      // After that, it may be for another order.
      const counts = !hasOthers || backAt === undefined;
      if (counts && count !== refused) {
        refusedAt = monotonicTime();
        refused = count;
      }
      if (isBack) backAt ??= monotonicTime();
      if (backAt === undefined || refused === 0) return false;
      return monotonicTime() - refusedAt > pace.of('connect');
    },
    { reconciles: false },
  );
  const wrong = wrongAfterRefusal(await arrived(), mode, stage, facts);
  if (wrong !== undefined) return wrong;
  if (!facts.isBack) {
    const sentence = `The application hangs after a refused certificate: pay has not come back within ${seconds(facts.patience)}. Set a timeout, or set patience if this is right.`;
    return { ...failed({ kind: 'hangs', sentence, isFinal: true }, stage, facts), advice: GIVE_UP };
  }
  if (refused === 0) {
    const text = `the application did not connect while the certificate of the provider was ${mode}`;
    return inconclusive(text, stage, facts);
  }
  const sentence = 'No request reached the provider, and nothing is paid.';
  return { verdict: 'survived', sentence, facts };
}

/** The application should not send its key to ask, either, on a connection that has to be new. */
async function refuseToAsk(stage: Stage, mode: Mode): Promise<Verdict> {
  const { mock, pace } = stage.options;
  await stage.begin(stage.flow.ends.success);
  await stage.account.scriptWebhooks(Array(10).fill({ lose: true }));
  stage.judge = (facts) => wrongWith('pending', facts);
  stage.pay();
  const started = await stage.until(({ taken, isBack }) => taken.length > 0 && isBack);
  if (started.taken.length === 0) return inconclusive('no payment was taken', stage, started);
  await mock.setTls(mode);
  const arrived = await since(stage);
  await stage.until(
    async () => {
      const requests = await arrived();
      return reachedIn(requests, mode).length > 0 || handshakesIn(requests) > 0;
    },
    { most: pace.of('hold') },
  );
  // What the application makes of it shows a moment later.
  const facts = await stage.pass(2 * pace.of('save'));
  const requests = await arrived();
  const before = { circumstance: 'after a certificate that it refused' };
  const wrong = wrongAfterRefusal(requests, mode, stage, facts, before);
  if (wrong !== undefined) return wrong;
  const hasAsked = handshakesIn(requests) > 0;
  const sentence = hasAsked ? 'No question reached the provider.' : 'It never asked.';
  return { verdict: 'survived', sentence, facts };
}

/** Whether an application that has the orders of all failures asks for others, also without a new one. */
async function asksForOthers(stage: Stage): Promise<boolean> {
  const { target, learned, pace } = stage.options;
  if (!target.isShared || !learned.leavesPending) return false;
  const arrived = await since(stage);
  await stage.pass(pace.of('connect'), { asks: false, reconciles: false });
  return (await arrived()).length > 0;
}

/** Returns a function that returns what has come to the mock since then, for whichever account. */
async function since({ options: { mock } }: Stage): Promise<() => Promise<RequestEntry[]>> {
  const last = (await newest((options) => mock.requests(options))).at(-1)?.id ?? 0;
  return () => newest((options) => mock.requests({ ...options, since: last }));
}

function reachedIn(requests: readonly RequestEntry[], mode: Mode): RequestEntry[] {
  return requests.filter(({ tls, reason }) => tls === mode && reason !== 'tls-handshake');
}

function handshakesIn(requests: readonly RequestEntry[]): number {
  return requests.filter(({ reason }) => reason === 'tls-handshake').length;
}

/** What is wrong, if anything is. @param requests what has come since the certificate changed */
function wrongAfterRefusal(
  requests: readonly RequestEntry[],
  mode: Mode,
  stage: Stage,
  facts: Facts,
  before: Happened = {},
): Verdict | undefined {
  const reached = reachedIn(requests, mode);
  if (reached.length > 0) {
    const sentence = `The application sent its key to a server whose certificate ${CERTIFICATES[mode]}${evidence(reached)}.`;
    return failed({ kind: 'untrusted', sentence, isFinal: true }, stage, facts);
  }
  const { crash } = stage;
  if (crash !== undefined) return crashed(crash, stage, facts);
  const wrong = stage.decided ?? stage.judge(facts);
  return wrong && failed(wrong, stage, facts, before);
}

/** What is not survived, or all that was said, once. */
function joined(verdicts: readonly Verdict[]): Verdict {
  const last = verdicts.at(-1) as Verdict;
  if (last.verdict !== 'survived') return last;
  const sentences = new Set(verdicts.map(({ sentence }) => sentence));
  return { ...last, sentence: [...sentences].join(' ') };
}

import { describe, expect, it, vi } from 'vitest';
import type { DrillOrder, DrillOutcome } from '../support/momo-mock.ts';
import { openApplication } from './application.ts';
import { resultsOf } from './faults.ts';

// Drills wait in real time: seconds for each failure.
vi.setConfig({ testTimeout: 300_000, maxConcurrency: 6 });

const SHORT = { preset: 'chipdeals', limit: 6000, patience: 8000 } as const;
/** What a busy machine needs for a handshake, in ms. */
const TIMEOUT = { timeout: 5000 };
const PAID = 'survived: Charged once, and paid.';
const FAILED = 'survived: Not charged, and failed.';

type Outcome = DrillOutcome | string | undefined;

/**
 * What the drill says of an application that tells another outcome of its orders.
 *
 * @param tell gets what the application believes, and how many accounts were there before that of the order
 */
async function resultsWith(
  tell: (outcome: DrillOutcome | undefined, place: number, order: DrillOrder) => Outcome,
  only: readonly string[],
): Promise<Record<string, string>> {
  const application = await openApplication({}, TIMEOUT);
  const accounts = new Set<string>();
  const outcome = async (order: DrillOrder) => {
    accounts.add(order.provider.apiKey);
    const place = [...accounts].indexOf(order.provider.apiKey);
    return tell(await application.outcome(order), place, order) as DrillOutcome;
  };
  const options = { ...SHORT, only, concurrency: 1 };
  return await resultsOf({ ...application, outcome }, options);
}

describe.concurrent('an outcome of the application', () => {
  it('that is undefined in success stops the drill', async () => {
    const said = await resultsWith(() => undefined, ['success', 'declined']);
    const text =
      'Failed to read the outcome of an order: the application does not know it. Save the order before pay comes back.';
    expect(said).toEqual({ success: text, declined: text });
  });

  it('that is undefined once means nothing', async () => {
    const known = new Set<string>();
    const said = await resultsWith(
      (outcome, _place, { order }) => {
        const isKnown = known.has(order);
        known.add(order);
        return isKnown ? outcome : undefined;
      },
      ['success', 'declined', 'garbage'],
    );
    expect(said).toEqual({ success: PAID, declined: FAILED, garbage: PAID });
  });

  it('that is undefined, after another one, for a moment means nothing', async () => {
    let asked = 0;
    const said = await resultsWith(
      (outcome) => (++asked % 5 === 0 ? undefined : outcome),
      ['success', 'declined', 'garbage'],
    );
    expect(said).toEqual({ success: PAID, declined: FAILED, garbage: PAID });
  });

  it('that is undefined counts as failed where nothing was taken', async () => {
    const application = await openApplication({ savesAfterResponse: true }, TIMEOUT);
    const said = await resultsOf(application, { ...SHORT, limit: 10_000, only: ['unavailable'] });
    expect(said.unavailable).toBe(FAILED);
  });

  it('that throws late in the drill leaves what others show', async () => {
    const only = ['success', 'declined', 'no-funds', 'garbage', 'webhook-first'];
    const said = await resultsWith((outcome, place) => {
      // What is inconclusive is tried again, after the others.
      if (place === 3 || place === 5) throw new Error('the database is gone');
      return outcome;
    }, only);
    expect(said).toEqual({
      success: PAID,
      declined: FAILED,
      'no-funds': FAILED,
      garbage: expect.stringMatching(
        /^The failure did not happen: the outcome of an order can't be read: the database is gone\.\n/,
      ),
      'webhook-first': PAID,
    });
  });

  it('that is another word is inconclusive, also after a lost response', async () => {
    const said = await resultsWith(
      (outcome, place) => (place > 0 ? 'cancelled' : outcome),
      ['lost-response'],
    );
    expect(said['lost-response']).toMatch(
      /^The failure did not happen: the outcome of an order can't be read: it is not 'paid'/,
    );
  });
});

import { describe, expect, it, vi } from 'vitest';
import { drillWith, FAULTS, NOT_APPLICABLE, notSurvived, READ_AS_FAILED } from './faults.ts';

// A drill waits in real time: seconds for each failure, and many at once.
vi.setConfig({ testTimeout: 300_000, maxConcurrency: 12 });

/**
 * Shorter than usual, in ms, for applications that do not survive: all times are shorter in proportion. Patience
 * is what it takes to see that an application waits for ever. It is longer than the timeout of the application,
 * which a busy machine needs for the handshake.
 */
const SHORT = { limit: 8000, patience: 15_000 };
const TIMEOUT = { timeout: 5000 };

describe.concurrent('the drill of an application', () => {
  // A test of each night has the usual limit.
  it('without a fault says that it survives every failure', async () => {
    const said = await drillWith({}, { limit: 12_000, patience: 60_000 });
    expect(notSurvived(said)).toEqual({});
    const others = Object.keys(said).filter((name) => said[name] !== 'survived');
    expect(others).toEqual(NOT_APPLICABLE);
  });

  it('that fills the journal works, too', async () => {
    const only = ['success', 'declined'];
    const said = await drillWith({}, { ...SHORT, only, journalSize: 2 });
    expect(said).toEqual({ success: 'survived', declined: 'survived' });
  });

  it.each(FAULTS)('says what $fault leads to', async ({ fault, fails, times = {}, ...row }) => {
    const { patience = SHORT.patience } = row;
    const only = Object.keys(fails);
    const options = { ...SHORT, patience, only, times: { ...TIMEOUT, ...times } };
    const said = await drillWith({ [fault]: true }, options);
    const expected = Object.entries(fails).map(([name, text]) => [
      name,
      expect.stringMatching(text),
    ]);
    expect(said).toEqual(Object.fromEntries(expected));
  });

  it.each(READ_AS_FAILED)(
    'says that a question is no end of a payment: $broken',
    async ({ broken, after }) => {
      const said = await drillWith(
        { readsAsFailed: broken },
        { ...SHORT, only: ['status-broken'] },
      );
      expect(said['status-broken']).toMatch(after);
    },
  );

  it('says that HTML is not paid', async () => {
    const said = await drillWith({ readsAsPaid: 'html' }, { ...SHORT, only: ['status-broken'] });
    expect(said['status-broken']).toMatch(
      /^After questions that got HTML, the application says paid, but the payment is still pending/,
    );
  });

  // Whether calls meet between a check and an insert is luck, unless there are many.
  it.each([1, 2, 3])('finds a check before an insert every time: %i', async () => {
    const said = await drillWith({ insertsAfterCheck: true }, { ...SHORT, only: ['double-click'] });
    expect(said['double-click']).toMatch(/^The customer was charged/);
  });

  it('that is slow handles a webhook before the response, too', async () => {
    const traits = { forgetsEarlyWebhooks: true, handlesAfter: 700 };
    const said = await drillWith(traits, { ...SHORT, only: ['webhook-first'] });
    expect(said['webhook-first']).toMatch(
      /^After a webhook that came before the response, .* still says pending/,
    );
  });

  it('without webhooks finds two cron jobs that fulfill an order at once', async () => {
    const traits = { takesNoWebhooks: true, racesInCron: true };
    const said = await drillWith(traits, { ...SHORT, only: ['double-click'] });
    expect(said['double-click']).toMatch(/^After \w+ clicks, the order was fulfilled 2 times/);
  });
});

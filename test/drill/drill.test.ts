import { describe, expect, it, vi } from 'vitest';
import { drillWith, FAULTS, NOT_APPLICABLE, notSurvived } from './faults.ts';

// A drill waits in real time: seconds for each failure, and several at once.
vi.setConfig({ testTimeout: 180_000 });

/** Shorter than usual, in ms, for applications that do not survive: all times are shorter in proportion. */
const LIMIT = 8000;

it('an application without a fault survives every failure', async () => {
  const said = await drillWith({}, {});
  expect(notSurvived(said)).toEqual({});
  const others = Object.keys(said).filter((name) => said[name] !== 'survived');
  expect(others).toEqual(NOT_APPLICABLE);
});

it('an application that fills the journal is drilled, too', async () => {
  const said = await drillWith({}, { limit: LIMIT, only: ['success', 'declined'], journalSize: 2 });
  expect(said).toEqual({ success: 'survived', declined: 'survived' });
});

describe.concurrent('the drill of an application with a fault', () => {
  it.each(FAULTS)('says what $fault leads to', async ({ fault, fails, times = {} }) => {
    const said = await drillWith(
      { [fault]: true },
      { limit: LIMIT, only: Object.keys(fails), times },
    );
    expect(said).toEqual(
      Object.fromEntries(
        Object.entries(fails).map(([name, sentence]) => [name, expect.stringMatching(sentence)]),
      ),
    );
  });
});

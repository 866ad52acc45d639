import { describe, expect, it, vi } from 'vitest';
import {
  drillWith,
  FAULTS,
  HANGS_IN_REQUEST,
  notSurvived,
  READ_AS_FAILED,
} from '../drill/faults.ts';
import { failing } from './failing.ts';

// A whole drill takes a minute in real time, and longer if others run beside it.
vi.setConfig({ testTimeout: 900_000, maxConcurrency: 4 });

/** In ms. It limits handshakes, too, and much else runs. */
const timeout = 5000;
/** Longer than that, and shorter than usual, because many orders stay pending. */
const patience = 20_000;

const AFTER_QUESTION = /^After a question without a response, the application says failed/;
/** Others in which a fault shows. `npm test` has those that show it best. */
const ALSO: Readonly<Record<string, Readonly<Record<string, RegExp>>>> = {
  brokenQuestionMeansFailed: { timeout: AFTER_QUESTION },
  hasNoTimeout: { 'status-broken': HANGS_IN_REQUEST },
  hasNoTimeoutForQuestions: { 'status-broken': HANGS_IN_REQUEST },
};
/** It depends on how long a failure takes. */
const BY_TIME = ['givesUpEarly'];

describe.concurrent('the whole drill of an application', () => {
  it.each(FAULTS)(
    'with the fault $fault fails in the failures that it concerns, and in no other',
    async ({ fault, fails, times = {}, isEverywhere }) => {
      const said = await drillWith({ [fault]: true }, { times: { timeout, ...times }, patience });
      const isElsewhere = isEverywhere || BY_TIME.includes(fault);
      expect(notSurvived(said)).toEqual(failing({ ...ALSO[fault], ...fails }, isElsewhere));
    },
  );

  it.each(READ_AS_FAILED)(
    'that takes a question for failed, $broken, fails where questions break',
    async ({ broken, after }) => {
      const said = await drillWith({ readsAsFailed: broken }, { times: { timeout }, patience });
      const also = broken === 'timeout' && { timeout: AFTER_QUESTION };
      expect(notSurvived(said)).toEqual(failing({ ...also, 'status-broken': after }));
    },
  );
});

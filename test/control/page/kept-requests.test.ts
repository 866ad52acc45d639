import { describe, expect, it } from 'vitest';
import { KeptRequests } from '../../../src/control/page/kept-requests.ts';
import { entryOf, IN_FLIGHT } from './entry-of.ts';

const idsOf = ({ list }: KeptRequests) => list.map(({ id }) => id);
const entries = (...ids: number[]) => ids.map((id) => entryOf(id));

describe('the requests that are kept', () => {
  it('are in order of arrival, whatever the order of events', () => {
    const kept = new KeptRequests();
    kept.add(entries(3, 1));
    kept.add(entries(2));
    expect(idsOf(kept)).toEqual([1, 2, 3]);
    expect(kept.newest).toBe(3);
  });

  it('have the newest state, and never an older one', () => {
    const kept = new KeptRequests();
    kept.add([entryOf(1, IN_FLIGHT)]);
    kept.add([entryOf(1)]);
    expect(kept.find(1)?.status).toBe(200);
    // A list that was read before the request ended comes after its event.
    kept.add([entryOf(1, IN_FLIGHT)]);
    expect(kept.find(1)?.status).toBe(200);
  });

  it('tell what has begun and what has ended, each once', () => {
    const kept = new KeptRequests();
    const ids = ({ begun, ended }: ReturnType<typeof kept.add>) => [
      begun.map(({ id }) => id),
      ended.map(({ id }) => id),
    ];
    expect(ids(kept.add([entryOf(1, IN_FLIGHT), entryOf(2)]))).toEqual([[1, 2], [2]]);
    expect(ids(kept.add([entryOf(1), entryOf(2)]))).toEqual([[], [1]]);
  });

  it.each([
    ['aborted', { ...IN_FLIGHT, aborted: true }],
    ['broken before a status', { ...IN_FLIGHT, duration: 3 }],
    ['a connection without a request', { ...IN_FLIGHT, method: null }],
  ])('have ended when they are %s', (_what, given) => {
    expect(new KeptRequests().add([entryOf(1, given)]).ended).toHaveLength(1);
  });

  it('are the newest, and the others are forgotten', () => {
    const kept = new KeptRequests(3);
    kept.add(entries(1, 2, 3, 4));
    kept.add(entries(5));
    expect(idsOf(kept)).toEqual([3, 4, 5]);
    expect(kept.find(2)).toBeUndefined();
    // One that ends so late does not come back.
    expect(kept.add(entries(2))).toEqual({ begun: [], ended: [] });
    expect(idsOf(kept)).toEqual([3, 4, 5]);
  });

  it('are none after they were cleared', () => {
    const kept = new KeptRequests();
    kept.add(entries(1));
    kept.clear();
    expect([idsOf(kept), kept.newest, kept.cleared]).toEqual([[], 0, 1]);
  });
});

describe('the list of the server', () => {
  it('removes what is gone there, but not what came since it was asked for', () => {
    const kept = new KeptRequests();
    kept.add(entries(1, 2, 3, 4));
    kept.replace(entries(2, 3), 2, 3);
    expect(idsOf(kept)).toEqual([2, 3, 4]);
    expect(kept.cleared).toBe(1);
  });

  it('removes nothing that is only beyond its limit', () => {
    const kept = new KeptRequests();
    kept.add(entries(1, 2, 3));
    kept.replace(entries(2, 3), 3, 3);
    expect(idsOf(kept)).toEqual([1, 2, 3]);
    expect(kept.cleared).toBe(0);
  });

  it('adds what was missed', () => {
    const kept = new KeptRequests();
    kept.add(entries(1));
    expect(kept.replace(entries(1, 2), 2, 1).begun).toMatchObject([{ id: 2 }]);
    expect(idsOf(kept)).toEqual([1, 2]);
  });
});

/** No warm-up. */
export const NO_LOAD = { count: 0, seconds: 0 };

/**
 * How much is measured in a round. A load ends with its count or its time, whatever comes first, so
 * that a slow side is bounded.
 */
export const DEFAULT = {
  rounds: 7,
  starts: 5,
  keptAlive: { count: 20_000, seconds: 8, warmUp: { count: 8000, seconds: 3 } },
  rate: { rate: 200, seconds: 5 },
  connections: { count: 1500, seconds: 6, atOnce: 8, warmUp: { count: 300, seconds: 2 } },
  few: { count: 10_000, seconds: 60 },
  some: 200_000,
  many: { count: 1_000_000, seconds: 600 },
  manyRounds: 1,
  inProcess: 110,
  profiles: 5,
};

/** Just enough to see that the command works. */
export const QUICK = {
  rounds: 2,
  starts: 1,
  keptAlive: { count: 2000, seconds: 2, warmUp: { count: 500, seconds: 1 } },
  rate: { rate: 100, seconds: 1 },
  connections: { count: 100, seconds: 2, atOnce: 8, warmUp: { count: 20, seconds: 1 } },
  few: { count: 1000, seconds: 10 },
  some: 5000,
  many: { count: 5000, seconds: 20 },
  manyRounds: 1,
  inProcess: 110,
  profiles: 1,
};

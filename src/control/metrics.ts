import { Counter, collectDefaultMetrics, Gauge, Registry } from 'prom-client';
import type { Counted, Outcome } from '../mock/journal/tally.ts';
import type { Controlled } from './route.ts';

type Labels = Readonly<Record<string, string>>;
type Value = readonly [labels: Labels, value: number];

/** A metric: what it tells, its labels, and its values when somebody asks. */
interface Definition {
  readonly name: string;
  readonly help: string;
  readonly labels?: readonly string[];
  readonly type?: 'gauge';
  values(): readonly Value[] | number;
}

/** The metrics of the mocks for which somebody has asked. */
const registries = new WeakMap<Controlled, Registry>();

/**
 * The metrics of a mock server, in the text format of Prometheus. Each value is read when somebody
 * asks: until then, nothing costs anything. Nothing of a client is in a label.
 */
export function metricsOf(controlled: Controlled): Registry {
  const known = registries.get(controlled);
  if (known !== undefined) return known;
  const registry = new Registry();
  registries.set(controlled, registry);
  collectDefaultMetrics({ register: registry });
  for (const { name, help, labels = [], type, values } of definitions(controlled)) {
    const Kind = type === 'gauge' ? Gauge : Counter;
    new Kind({
      name: `momo_mock_${name}`,
      help,
      labelNames: [...labels],
      registers: [registry],
      collect() {
        const now = values();
        this.reset();
        for (const [of, value] of typeof now === 'number' ? [[{}, now] as const] : now) {
          this.inc(of, value);
        }
      },
    });
  }
  return registry;
}

function definitions(controlled: Controlled): readonly Definition[] {
  const { mock } = controlled;
  const { tally, journals, callbacks, store, scopes } = mock;
  /** How often something happened, and how long it took in all. */
  const both = (
    name: string,
    [help, helpOfTime]: readonly [string, string],
    labels: readonly string[],
    all: () => Iterable<readonly [labels: Labels, counted: Counted]>,
  ): Definition[] => {
    const values = (of: (counted: Counted) => number) => () =>
      Array.from(all(), ([its, counted]): Value => [its, of(counted)]);
    return [
      { name: `${name}_total`, help, labels, values: values(({ count }) => count) },
      {
        name: `${name}_seconds_total`,
        help: helpOfTime,
        labels,
        values: values(({ ms }) => ms / 1000),
      },
    ];
  };
  const named = (label: string, all: ReadonlyMap<string, Counted>) => () =>
    Array.from(all, ([name, counted]) => [{ [label]: name }, counted] as const);
  return [
    ...both(
      'requests',
      [
        'Requests to the service, and connections without a request, that have ended.',
        'The time from requests to the end of their responses.',
      ],
      ['operation', 'status', 'source', 'reason', 'fault'],
      () => Array.from(tally.outcomes, (outcome) => [labelsOf(outcome), outcome] as const),
    ),
    {
      name: 'connections',
      help: 'Open connections of the service.',
      type: 'gauge',
      values: () => controlled.counts().connections,
    },
    {
      name: 'journal_dropped_total',
      help: 'Entries that the journal dropped for newer ones.',
      labels: ['journal'],
      values: () => [
        [{ journal: 'requests' }, journals.requests.dropped],
        [{ journal: 'callbacks' }, journals.callbacks.dropped],
      ],
    },
    ...both(
      'callback_attempts',
      [
        'Attempts of callbacks, by their status or reason.',
        'Attempts of callbacks, by their status or reason: the time of all.',
      ],
      ['outcome'],
      named('outcome', tally.attempts),
    ),
    {
      name: 'callbacks_pending',
      help: 'Callbacks that are queued or in flight.',
      type: 'gauge',
      values: () => callbacks.pending,
    },
    {
      name: 'timers_pending',
      help: 'Timers of handlers that are set or running in this process.',
      type: 'gauge',
      values: () => scopes.of(undefined).clock.state.pending,
    },
    ...both(
      'store_calls',
      [
        'Calls of the store, those that failed as failed.',
        'Calls of the store, those that failed as failed: the time of all.',
      ],
      ['call'],
      named('call', store.calls),
    ),
    {
      name: 'uncaught_errors_total',
      help: 'Errors of handlers that nothing caught.',
      values: () => controlled.counts().uncaughtErrors,
    },
    {
      name: 'log_dropped_total',
      help: 'Lines of the log that were dropped.',
      values: () => controlled.counts().logDropped,
    },
  ];
}

/** The outcome of a request as labels; empty for what there is not. */
function labelsOf({ operation, status, source, reason, fault }: Outcome): Labels {
  const known = Object.entries({ operation, status, source, reason, fault });
  return Object.fromEntries(known.map(([name, value]) => [name, `${value ?? ''}`]));
}

import { Counter, collectDefaultMetrics, Gauge, Registry } from 'prom-client';
import type { Counted } from '../mock/journal/tally.ts';
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

function definitions({ mock, counts }: Controlled): readonly Definition[] {
  const { tally, journals, callbacks, store, scopes } = mock;
  const OUTCOME = ['operation', 'status', 'source', 'reason', 'fault'];
  const outcomes = (of: 'count' | 'ms') => () =>
    [...tally.outcomes].map(({ operation, status, source, reason, fault, ...counted }): Value => {
      const known = { operation, status, source, reason, fault };
      const labels = Object.entries(known).map(([name, value]) => [name, `${value ?? ''}`]);
      return [Object.fromEntries(labels), shown(counted, of)];
    });
  const named = (label: string, of: 'count' | 'ms', all: ReadonlyMap<string, Counted>) => () =>
    [...all].map(([name, counted]): Value => [{ [label]: name }, shown(counted, of)]);
  const both = (name: string, what: string, label: string, all: ReadonlyMap<string, Counted>) => {
    const labels = [label];
    return [
      { name: `${name}_total`, help: `${what}.`, labels, values: named(label, 'count', all) },
      {
        name: `${name}_seconds_total`,
        help: `${what}: the time of all.`,
        labels,
        values: named(label, 'ms', all),
      },
    ];
  };
  return [
    {
      name: 'requests_total',
      help: 'Requests to the service, and connections without a request, that have ended.',
      labels: OUTCOME,
      values: outcomes('count'),
    },
    {
      name: 'requests_seconds_total',
      help: 'The time from requests to the end of their responses.',
      labels: OUTCOME,
      values: outcomes('ms'),
    },
    {
      name: 'connections',
      help: 'Open connections of the service.',
      type: 'gauge',
      values: () => counts().connections,
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
      'Attempts of callbacks, by their status or reason',
      'outcome',
      tally.attempts,
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
    ...both('store_calls', 'Calls of the store, those that failed as failed', 'call', store.calls),
    {
      name: 'uncaught_errors_total',
      help: 'Errors of handlers that nothing caught.',
      values: () => counts().uncaughtErrors,
    },
    {
      name: 'log_dropped_total',
      help: 'Lines of the log that were dropped.',
      values: () => counts().logDropped,
    },
  ];
}

/** A count, or a time in seconds. */
function shown({ count, ms }: Counted, of: 'count' | 'ms'): number {
  return of === 'count' ? count : ms / 1000;
}

import type { Counter, Outcome } from '../mock/journal/counters.ts';
import { type Metric, processMetrics } from '../process-metrics.ts';
import type { Controlled } from './route.ts';

type Labels = Readonly<Record<string, string>>;

/** The version of the text format of Prometheus that {@link metricsOf} writes. */
export const METRICS_TYPE = 'text/plain; version=0.0.4; charset=utf-8';

/**
 * The metrics of a mock server and of its process, in the text format of Prometheus. Each value is
 * read when somebody asks: until then, nothing costs anything. Nothing of a client is in a label.
 */
export function metricsOf(controlled: Controlled): string {
  const own = mockMetrics(controlled).map((one) => ({ ...one, name: `momo_mock_${one.name}` }));
  return [...own, ...processMetrics()].map(textOf).join('');
}

function textOf({ name, help, type, values }: Metric): string {
  const all = typeof values === 'number' ? [[{}, values] as const] : [...values];
  const samples = all.map(([labels, value]) => `${name}${labelsText(labels)} ${value}`);
  const lines = [`# HELP ${name} ${help}`, `# TYPE ${name} ${type ?? 'counter'}`, ...samples];
  return `${lines.join('\n')}\n`;
}

function labelsText(labels: Labels): string {
  const pairs = Object.entries(labels).map(([name, value]) => `${name}="${escaped(value)}"`);
  return pairs.length === 0 ? '' : `{${pairs.join(',')}}`;
}

function escaped(value: string): string {
  return value.replaceAll('\\', '\\\\').replaceAll('"', '\\"').replaceAll('\n', '\\n');
}

function mockMetrics(controlled: Controlled): readonly Metric[] {
  const { mock } = controlled;
  const { counters, journals, callbacks, store, scopes } = mock;
  const { connections, uncaughtErrors } = controlled.counts();
  /** How often something happened, and how long it took in all. */
  const both = (
    name: string,
    [help, helpOfTime]: readonly [string, string],
    all: readonly (readonly [labels: Labels, counter: Counter])[],
  ): Metric[] => [
    { name: `${name}_total`, help, values: all.map(([its, { count }]) => [its, count]) },
    {
      name: `${name}_seconds_total`,
      help: helpOfTime,
      values: all.map(([its, { ms }]) => [its, ms / 1000]),
    },
  ];
  const named = (label: string, all: ReadonlyMap<string, Counter>) =>
    Array.from(all, ([name, counted]) => [{ [label]: name }, counted] as const);
  return [
    ...both(
      'requests',
      [
        'Requests to the service, and connections without a request, that have ended.',
        'The time from requests to the end of their responses.',
      ],
      Array.from(counters.outcomes, (outcome) => [labelsOf(outcome), outcome] as const),
    ),
    {
      name: 'connections',
      help: 'Open connections of the service.',
      type: 'gauge',
      values: connections,
    },
    {
      name: 'journal_dropped_total',
      help: 'Entries that the journal dropped for newer ones.',
      values: [
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
      named('outcome', counters.attempts),
    ),
    {
      name: 'callbacks_pending',
      help: 'Callbacks that are queued or in flight.',
      type: 'gauge',
      values: callbacks.pending,
    },
    {
      name: 'timers_pending',
      help: 'Timers of handlers that are set or running in this process.',
      type: 'gauge',
      values: scopes.service.clock.state.pending,
    },
    ...both(
      'store_calls',
      [
        'Calls of the store, those that failed as failed.',
        'Calls of the store, those that failed as failed: the time of all.',
      ],
      named('call', store.calls),
    ),
    {
      name: 'uncaught_errors_total',
      help: 'Errors of handlers that nothing caught.',
      values: uncaughtErrors,
    },
  ];
}

/** The outcome of a request as labels; empty for what there is not. */
function labelsOf({ operation, status, source, reason, fault }: Outcome): Labels {
  const known = Object.entries({ operation, status, source, reason, fault });
  return Object.fromEntries(known.map(([name, value]) => [name, `${value ?? ''}`]));
}

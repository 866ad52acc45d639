import type { Counter, Outcome } from '../mock/journal/counters.ts';
import { type Metric, processMetrics } from '../process-metrics.ts';
import type { Controlled } from './route.ts';

type Labels = Readonly<Record<string, string>>;

/** The version of the Prometheus text format. */
export const METRICS_TYPE = 'text/plain; version=0.0.4; charset=utf-8';

/**
 * The metrics of a mock server and its process. Values are read only on demand, so counting costs
 * almost nothing until then. Labels contain no client input.
 */
export function metricsOf(controlled: Controlled): string {
  const mock = mockMetrics(controlled).map((metric) => ({
    ...metric,
    name: `momo_mock_${metric.name}`,
  }));
  return [...mock, ...processMetrics()].map(textOf).join('');
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
  /** How often something happened, and its total time. */
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
        'Ended requests to the service, and connections without a request.',
        'Time from the start of each request to the end of its response.',
      ],
      Array.from(counters.outcomes, (outcome) => [labelsOf(outcome), outcome] as const),
    ),
    {
      name: 'connections',
      help: 'Open connections to the service.',
      type: 'gauge',
      values: connections,
    },
    {
      name: 'journal_dropped_total',
      help: 'Entries that the journal dropped to make room for newer ones.',
      values: [
        [{ journal: 'requests' }, journals.requests.dropped],
        [{ journal: 'callbacks' }, journals.callbacks.dropped],
      ],
    },
    ...both(
      'callback_attempts',
      [
        'Callback attempts, by status or reason.',
        'Time spent on callback attempts, by status or reason.',
      ],
      named('outcome', counters.attempts),
    ),
    {
      name: 'callbacks_pending',
      help: 'Queued and in-flight callbacks.',
      type: 'gauge',
      values: callbacks.pending,
    },
    {
      name: 'timers_pending',
      help: 'Handler timers that are set or running in this process.',
      type: 'gauge',
      values: scopes.service.clock.state.pending,
    },
    ...both(
      'store_calls',
      [
        'Store calls. Failed calls count as failed.',
        'Time spent on store calls. Failed calls count as failed.',
      ],
      named('call', store.calls),
    ),
    {
      name: 'uncaught_errors_total',
      help: 'Uncaught errors of handlers.',
      values: uncaughtErrors,
    },
  ];
}

/** Missing values become empty labels. */
function labelsOf({ operation, status, source, reason, fault }: Outcome): Labels {
  const known = Object.entries({ operation, status, source, reason, fault });
  return Object.fromEntries(known.map(([name, value]) => [name, `${value ?? ''}`]));
}

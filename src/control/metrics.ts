import type { Counter, Outcome } from '../mock/journal/counters.ts';
import { counter, gauge, type Labels, type Metric, processMetrics } from './process-metrics.ts';
import type { ControlledServer } from './route.ts';

/**
 * The metrics of a mock server and its process. Values are read only on demand, so counting costs
 * almost nothing until then. Labels contain no client input.
 */
export function metricsOf(server: ControlledServer): string {
  const { counters, journals, sender, all } = server.mock;
  const { connections, uncaughtErrors } = server.counts();
  const metrics = [
    ...countAndTime(
      'momo_mock_requests',
      'Ended requests to the service, and connections without a request.',
      'Time from the start of each request to the end of its response.',
      Array.from(counters.outcomes, (outcome) => [labelsOf(outcome), outcome]),
    ),
    gauge('momo_mock_connections', 'Open connections to the service.', connections),
    counter(
      'momo_mock_journal_dropped_total',
      'Entries that the journal dropped to make room for newer ones.',
      [
        [{ journal: 'requests' }, journals.requests.dropped.count()],
        [{ journal: 'webhooks' }, journals.webhooks.dropped.count()],
      ],
    ),
    ...countAndTime(
      'momo_mock_webhook_attempts',
      'Webhook attempts, by status or reason.',
      'Time spent on webhook attempts, by status or reason.',
      Array.from(counters.attempts, ([outcome, attempts]) => [{ outcome }, attempts]),
    ),
    gauge('momo_mock_webhooks_pending', 'Queued and in-flight webhooks.', sender.pending),
    gauge(
      'momo_mock_timers_pending',
      'Handler timers that are set or running.',
      all.clock.state.pending,
    ),
    counter('momo_mock_uncaught_errors_total', 'Uncaught errors of handlers.', uncaughtErrors),
    ...processMetrics(),
  ];
  return metrics.map(textOf).join('');
}

function textOf({ name, help, type, values }: Metric): string {
  const all = typeof values === 'number' ? [[{}, values] as const] : values;
  const samples = all.map(([labels, value]) => `${name}${labelsText(labels)} ${value}`);
  const lines = [`# HELP ${name} ${help}`, `# TYPE ${name} ${type}`, ...samples];
  return `${lines.join('\n')}\n`;
}

function labelsText(labels: Labels): string {
  const pairs = Object.entries(labels).map(([name, value]) => `${name}="${escaped(value)}"`);
  return pairs.length === 0 ? '' : `{${pairs.join(',')}}`;
}

function escaped(value: string): string {
  return value.replaceAll('\\', '\\\\').replaceAll('"', '\\"').replaceAll('\n', '\\n');
}

function countAndTime(
  name: string,
  help: string,
  helpOfTime: string,
  all: readonly (readonly [labels: Labels, counter: Counter])[],
): Metric[] {
  return [
    counter(
      `${name}_total`,
      help,
      all.map(([labels, { count }]) => [labels, count]),
    ),
    counter(
      `${name}_seconds_total`,
      helpOfTime,
      all.map(([labels, { ms }]) => [labels, ms / 1000]),
    ),
  ];
}

/** Missing values become empty labels. */
function labelsOf({ operation, status, source, reason, fault }: Outcome): Labels {
  const known = Object.entries({ operation, status, source, reason, fault });
  return Object.fromEntries(known.map(([name, value]) => [name, `${value ?? ''}`]));
}

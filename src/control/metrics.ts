import type { Counter, Outcome } from '../mock/journal/counters.ts';
import { eventLoopTimes, timeOfDay } from '../timers.ts';
import type { ControlledServer } from './route.ts';

type Labels = Readonly<Record<string, string>>;

/** One number, or one for each combination of labels. */
type Values = number | readonly (readonly [labels: Labels, value: number])[];

/** In the text format of Prometheus. Labels contain no client input, and nothing to escape. */
export function metricsOf(server: ControlledServer): string {
  const { counters, journals, sender, all } = server.mock;
  const { connections, uncaughtErrors } = server.counts();
  return [
    ...countAndTime(
      'momo_mock_requests',
      'Ended requests to the service, and connections without a request.',
      'Time from the start of each request to the end of its response.',
      Array.from(counters.outcomes.values(), (outcome) => [labelsOf(outcome), outcome]),
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
      Array.from(counters.attempts, ([outcome, attempts]) => [{ outcome: `${outcome}` }, attempts]),
    ),
    gauge('momo_mock_webhooks_pending', 'Queued and in-flight webhooks.', sender.pending),
    gauge(
      'momo_mock_timers_pending',
      'Handler timers that are set or running.',
      all.clock.state.pending,
    ),
    counter('momo_mock_uncaught_errors_total', 'Uncaught errors of handlers.', uncaughtErrors),
    ...processMetrics(),
  ].join('');
}

/** The metrics of this process, under the names that Prometheus clients use. */
function processMetrics(): string[] {
  const { rss, heapTotal, heapUsed, external } = process.memoryUsage();
  const { user, system } = process.cpuUsage();
  const { active, idle } = eventLoopTimes();
  const start = timeOfDay() / 1000 - process.uptime();
  return [
    counter('process_cpu_seconds_total', 'User and system CPU time.', (user + system) / 1e6),
    gauge('process_start_time_seconds', 'When the process started, in seconds since 1970.', start),
    gauge('process_resident_memory_bytes', 'Resident memory.', rss),
    gauge('nodejs_heap_size_total_bytes', 'Size of the heap.', heapTotal),
    gauge('nodejs_heap_size_used_bytes', 'Used part of the heap.', heapUsed),
    gauge('nodejs_external_memory_bytes', 'Memory outside the heap.', external),
    counter(
      'nodejs_eventloop_active_seconds_total',
      'Time the event loop spent running code.',
      active / 1000,
    ),
    counter(
      'nodejs_eventloop_idle_seconds_total',
      'Time the event loop spent waiting.',
      idle / 1000,
    ),
    gauge('nodejs_version_info', 'The Node version.', [[{ version: process.version }, 1]]),
  ];
}

const counter = (name: string, help: string, values: Values) =>
  metric('counter', name, help, values);
const gauge = (name: string, help: string, values: Values) => metric('gauge', name, help, values);

function metric(type: string, name: string, help: string, values: Values): string {
  const all = typeof values === 'number' ? [[{}, values] as const] : values;
  const samples = all.map(([labels, value]) => `${name}${labelsText(labels)} ${value}\n`);
  return `# HELP ${name} ${help}\n# TYPE ${name} ${type}\n${samples.join('')}`;
}

function labelsText(labels: Labels): string {
  const pairs = Object.entries(labels).map(([name, value]) => `${name}="${value}"`);
  return pairs.length === 0 ? '' : `{${pairs.join(',')}}`;
}

function countAndTime(
  name: string,
  help: string,
  helpOfTime: string,
  all: readonly (readonly [labels: Labels, counter: Counter])[],
): string[] {
  const counts = all.map(([labels, { count }]) => [labels, count] as const);
  const times = all.map(([labels, { ms }]) => [labels, ms / 1000] as const);
  return [
    counter(`${name}_total`, help, counts),
    counter(`${name}_seconds_total`, helpOfTime, times),
  ];
}

/** Missing values become empty labels. */
function labelsOf({ status, reason }: Outcome): Labels {
  return { status: `${status ?? ''}`, reason: reason ?? '' };
}

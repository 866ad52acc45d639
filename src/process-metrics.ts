import { eventLoopTimes, timeOfDay } from './timers.ts';

/** A metric with its current values: one number, or one for each combination of labels. */
export interface Metric {
  readonly name: string;
  readonly help: string;
  /** @default 'counter' */
  readonly type?: 'gauge';
  readonly values: number | Iterable<readonly [labels: Readonly<Record<string, string>>, number]>;
}

/** The current metrics of this process, under the names that Prometheus clients use. */
export function processMetrics(): readonly Metric[] {
  const { rss, heapTotal, heapUsed, external } = process.memoryUsage();
  const { user, system } = process.cpuUsage();
  const { active, idle } = eventLoopTimes();
  const gauge = (name: string, help: string, values: Metric['values']) =>
    ({ name, help, type: 'gauge', values }) as const;
  return [
    {
      name: 'process_cpu_seconds_total',
      help: 'User and system CPU time.',
      values: (user + system) / 1e6,
    },
    gauge(
      'process_start_time_seconds',
      'When the process started, in seconds since 1970.',
      timeOfDay() / 1000 - process.uptime(),
    ),
    gauge('process_resident_memory_bytes', 'Resident memory.', rss),
    gauge('nodejs_heap_size_total_bytes', 'Size of the heap.', heapTotal),
    gauge('nodejs_heap_size_used_bytes', 'Used part of the heap.', heapUsed),
    gauge('nodejs_external_memory_bytes', 'Memory outside the heap.', external),
    {
      name: 'nodejs_eventloop_active_seconds_total',
      help: 'Time the event loop spent running code.',
      values: active / 1000,
    },
    {
      name: 'nodejs_eventloop_idle_seconds_total',
      help: 'Time the event loop spent waiting.',
      values: idle / 1000,
    },
    gauge('nodejs_version_info', 'The Node version.', [[{ version: process.version }, 1]]),
  ];
}

import { eventLoopTimes, timeOfDay } from '../timers.ts';

export type Labels = Readonly<Record<string, string>>;

/** One number, or one for each combination of labels. */
type Values = number | readonly (readonly [labels: Labels, value: number])[];

/** A metric with its current values. */
export interface Metric {
  readonly name: string;
  readonly help: string;
  readonly type: 'counter' | 'gauge';
  readonly values: Values;
}

export function counter(name: string, help: string, values: Values): Metric {
  return { name, help, type: 'counter', values };
}

export function gauge(name: string, help: string, values: Values): Metric {
  return { name, help, type: 'gauge', values };
}

/** The current metrics of this process, under the names that Prometheus clients use. */
export function processMetrics(): readonly Metric[] {
  const { rss, heapTotal, heapUsed, external } = process.memoryUsage();
  const { user, system } = process.cpuUsage();
  const { active, idle } = eventLoopTimes();
  return [
    counter('process_cpu_seconds_total', 'User and system CPU time.', (user + system) / 1e6),
    gauge(
      'process_start_time_seconds',
      'When the process started, in seconds since 1970.',
      timeOfDay() / 1000 - process.uptime(),
    ),
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

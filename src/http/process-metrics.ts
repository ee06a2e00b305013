import { maxDescriptors, openDescriptors } from '../shared/descriptors.ts';

/** One figure about this process, by the name that Prometheus' own clients give it. */
export interface ProcessFigure {
  readonly name: string;
  readonly type: 'counter' | 'gauge';
  readonly help: string;
  readonly value: number;
}

/** What the system tells of this process: https://prometheus.io/docs/instrumenting/writing_clientlibs/#process-metrics */
export function processFigures(): readonly ProcessFigure[] {
  const { user, system } = process.cpuUsage();
  const gauge = (name: string, help: string, value: number) => ({ name, type: 'gauge', help, value }) as const;
  const open = openDescriptors();
  const max = maxDescriptors();
  return [
    {
      name: 'process_cpu_seconds_total',
      type: 'counter',
      help: 'Total user and system CPU time spent in seconds',
      value: (user + system) / 1e6,
    },
    gauge('process_resident_memory_bytes', 'Resident memory size in bytes', process.memoryUsage.rss()),
    gauge('process_start_time_seconds', 'Start time of the process since unix epoch in seconds', startedAt),
    ...(open === undefined ? [] : [gauge('process_open_fds', 'Number of open file descriptors', open)]),
    ...(Number.isFinite(max) ? [gauge('process_max_fds', 'Maximum number of open file descriptors', max)] : []),
  ];
}

/** Does not move when the clock is set. */
const startedAt = Date.now() / 1000 - process.uptime();

import { readdirSync, readFileSync } from 'node:fs';
import { buildInfo } from '../../core/build-info.ts';
import type { EngineStats } from '../../core/store.ts';

/** The upper bounds of the latency buckets, in seconds. */
const latencyBounds = [0.0005, 0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5];
const batchBounds = [1, 2, 4, 8, 16, 32, 64, 128, 256, 512];

/** Counts values by bucket, as a Prometheus histogram. */
class Histogram {
  readonly #bounds: readonly number[];
  readonly #counts: number[];
  #sum = 0;

  constructor(bounds: readonly number[]) {
    this.#bounds = bounds;
    this.#counts = new Array<number>(bounds.length + 1).fill(0);
  }

  observe(value: number): void {
    let bucket = 0;
    while (bucket < this.#bounds.length && value > (this.#bounds[bucket] ?? 0)) bucket++;
    this.#counts[bucket] = (this.#counts[bucket] ?? 0) + 1;
    this.#sum += value;
  }

  formatLines(name: string, labels = ''): string[] {
    let total = 0;
    const lines = this.#counts.map((count, bucket) => {
      total += count;
      const bound = `le="${this.#bounds[bucket] ?? '+Inf'}"`;
      return `${name}_bucket{${labels ? `${labels},` : ''}${bound}} ${total}`;
    });
    const braces = labels ? `{${labels}}` : '';
    return [...lines, `${name}_sum${braces} ${this.#sum}`, `${name}_count${braces} ${total}`];
  }
}

/** Counts the responses to one operation, and measures their latency. */
class OperationMetrics {
  readonly #labels: string;
  readonly #statuses = new Map<number, number>();
  readonly #latency = new Histogram(latencyBounds);

  constructor(method: string, route: string) {
    this.#labels = `method="${method}",route="${route}"`;
  }

  /** Counts a response; `seconds` is the time until its head. */
  observe(status: number, seconds: number): void {
    this.#statuses.set(status, (this.#statuses.get(status) ?? 0) + 1);
    this.#latency.observe(seconds);
  }

  formatCountLines(): string[] {
    return [...this.#statuses].map(
      ([status, count]) => `${requestsMetric}{${this.#labels},status="${status}"} ${count}`,
    );
  }

  formatLatencyLines(): string[] {
    return this.#statuses.size === 0 ? [] : this.#latency.formatLines(latencyMetric, this.#labels);
  }
}

const requestsMetric = 'notes_http_requests_total';
const latencyMetric = 'notes_http_request_duration_seconds';

/** These figures are measured when metrics are requested. */
interface ScrapeFigures {
  readonly isReady: boolean;
  /** Undefined while the store cannot be read. */
  readonly stats: EngineStats | undefined;
  /** The number of open event streams. */
  readonly listeners: number;
}

/** Collects the metrics of the service, and formats them in the Prometheus text format 0.0.4. */
export class Metrics {
  readonly #operations: OperationMetrics[] = [];
  readonly #batches = new Histogram(batchBounds);
  readonly #commits = new Histogram(latencyBounds);
  #loopLag = 0;
  #freeBytes: number | undefined;
  #backup: { readonly at: number; readonly isFailed: boolean } | undefined;

  /** Adds an operation, named by method and route, separated by a space. */
  addOperation(name: string): Pick<OperationMetrics, 'observe'> {
    const [method = '', route = ''] = name.split(' ', 2);
    const operation = new OperationMetrics(method, route);
    this.#operations.push(operation);
    return operation;
  }

  observeBatchSizeAndSeconds(writes: number, seconds: number): void {
    this.#batches.observe(writes);
    this.#commits.observe(seconds);
  }

  /** Records how much the disk of the database can still hold; undefined: unknown. */
  observeFreeBytes(bytes: number | undefined): void {
    this.#freeBytes = bytes;
  }

  /** `/metrics` reports the longest lag since the last scrape. */
  observeLoopLagSeconds(seconds: number): void {
    this.#loopLag = Math.max(this.#loopLag, seconds);
  }

  /** Records the time of the newest automatic backup, in ms since 1970; 0: none yet. */
  setNewestBackupTimeMs(at: number): void {
    this.#backup = { at, isFailed: this.#backup?.isFailed ?? false };
  }

  /** Records whether the last check for due backups, or the backup itself, failed. */
  setBackupCheckFailed(isFailed: boolean): void {
    this.#backup = { at: this.#backup?.at ?? 0, isFailed };
  }

  /** Formats all metrics, and begins to measure the longest lag of the event loop anew. */
  formatScrapeAndResetLag({ isReady, stats, listeners }: ScrapeFigures): string {
    const counts = this.#operations.flatMap((operation) => operation.formatCountLines());
    const latencies = this.#operations.flatMap((operation) => operation.formatLatencyLines());
    const lag = this.#loopLag;
    this.#loopLag = 0;
    return [
      ...formatFamilyLines(requestsMetric, 'counter', 'Requests answered, by method, route and status', counts),
      ...formatFamilyLines(latencyMetric, 'histogram', 'Time until the head of the answer', latencies),
      ...formatHistogramLines('notes_commit_writes', 'Writes in one batch; batches may share a commit', this.#batches),
      ...formatHistogramLines(
        'notes_commit_duration_seconds',
        'Time until a batch was committed, fsync included',
        this.#commits,
      ),
      ...formatGaugeLines('notes_ready', '1 when the store takes writes, as /readyz tells', isReady ? 1 : 0),
      ...formatStoreGaugeLines(stats),
      ...formatGaugeLines(
        'notes_database_free_bytes',
        'Free bytes on the disk of the database, each minute',
        this.#freeBytes,
      ),
      ...this.#formatBackupGaugeLines(),
      ...formatGaugeLines('notes_event_loop_lag_seconds', 'Longest delay of the event loop since the last scrape', lag),
      ...formatGaugeLines('notes_event_listeners', 'Streams of events that are open', listeners),
      ...buildGauge,
      ...formatProcessMetricLines(),
      '',
    ].join('\n');
  }

  /** Returns no lines before the first check, and if backups are disabled. */
  #formatBackupGaugeLines(): string[] {
    if (this.#backup === undefined) return [];
    const { at, isFailed } = this.#backup;
    const newest = 'Time of the newest automatic backup, in seconds since 1970; 0: none yet';
    return [
      ...formatGaugeLines('notes_backup_last_success_timestamp_seconds', newest, at / 1000),
      ...formatGaugeLines('notes_backup_last_failed', '1 when the last automatic backup failed', isFailed ? 1 : 0),
    ];
  }
}

/** Returns no lines while the store cannot be read. */
function formatStoreGaugeLines(stats: EngineStats | undefined): string[] {
  if (stats === undefined) return [];
  const { notes, databaseBytes, walBytes } = stats;
  return [
    ...formatGaugeLines('notes_stored', 'Notes stored, archived ones included', notes),
    ...formatGaugeLines('notes_database_bytes', 'Size of the database', databaseBytes),
    ...formatGaugeLines('notes_wal_bytes', 'Size of the write-ahead log', walBytes),
  ];
}

/** These metrics are described at https://prometheus.io/docs/instrumenting/writing_clientlibs/#process-metrics */
function formatProcessMetricLines(): string[] {
  const { user, system } = process.cpuUsage();
  const cpu = 'process_cpu_seconds_total';
  const max = readMaxDescriptorsOrInfinity();
  return [
    ...formatFamilyLines(cpu, 'counter', 'Total user and system CPU time spent in seconds', [
      `${cpu} ${(user + system) / 1e6}`,
    ]),
    ...formatGaugeLines('process_resident_memory_bytes', 'Resident memory size in bytes', process.memoryUsage.rss()),
    ...formatGaugeLines(
      'process_start_time_seconds',
      'Start time of the process since unix epoch in seconds',
      startedAt,
    ),
    ...formatGaugeLines('process_open_fds', 'Number of open file descriptors', tryCountOpenDescriptors()),
    ...formatGaugeLines(
      'process_max_fds',
      'Maximum number of open file descriptors',
      Number.isFinite(max) ? max : undefined,
    ),
  ];
}

/** Counts the open file descriptors; undefined where that is unknown, as only Linux has /proc. */
function tryCountOpenDescriptors(): number | undefined {
  try {
    return readdirSync('/proc/self/fd').length - 1; // without the one that reads the folder
  } catch {
    return undefined;
  }
}

/** Reads how many file descriptors may be open; Infinity where that is unknown, as only Linux has /proc. */
export function readMaxDescriptorsOrInfinity(): number {
  try {
    const limits = readFileSync('/proc/self/limits', 'utf8');
    return Number(/^Max open files\s+(\d+)/m.exec(limits)?.[1] ?? Number.POSITIVE_INFINITY);
  } catch {
    return Number.POSITIVE_INFINITY;
  }
}

/** Computed once, so that it stays the same when the clock is set. */
const startedAt = Date.now() / 1000 - process.uptime();

const formatFamilyLines = (name: string, type: string, help: string, lines: readonly string[]) => [
  `# HELP ${name} ${help}`,
  `# TYPE ${name} ${type}`,
  ...lines,
];

/** Returns no lines if the value is unknown. */
const formatGaugeLines = (name: string, help: string, value: number | undefined) =>
  value === undefined ? [] : formatFamilyLines(name, 'gauge', help, [`${name} ${value}`]);

const formatHistogramLines = (name: string, help: string, values: Histogram) =>
  formatFamilyLines(name, 'histogram', help, values.formatLines(name));

const { version, commit, date = '' } = buildInfo;
const buildGauge = formatFamilyLines('notes_build_info', 'gauge', 'The build of the program; always 1', [
  `notes_build_info{version="${version}",commit="${commit}",date="${date}"} 1`,
]);

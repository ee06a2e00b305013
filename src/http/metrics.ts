import type { EngineStats } from '../domain/store.ts';
import { buildInfo } from '../shared/build-info.ts';
import { processFigures } from './process-metrics.ts';

/** Upper bounds of the latency buckets, in seconds. */
const latencyBounds = [0.0005, 0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5];
const batchBounds = [1, 2, 4, 8, 16, 32, 64, 128, 256, 512];

/** Counts of values by upper bound, as Prometheus histograms have them. */
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

  lines(name: string, labels = ''): string[] {
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

/** The answers to one kind of request. */
class Operation {
  readonly #labels: string;
  readonly #statuses = new Map<number, number>();
  readonly #latency = new Histogram(latencyBounds);

  constructor(method: string, route: string) {
    this.#labels = `method="${method}",route="${route}"`;
  }

  /** One answer; `seconds` run until its head. */
  observe(status: number, seconds: number): void {
    this.#statuses.set(status, (this.#statuses.get(status) ?? 0) + 1);
    this.#latency.observe(seconds);
  }

  counts(): string[] {
    return [...this.#statuses].map(([status, count]) => `${requests}{${this.#labels},status="${status}"} ${count}`);
  }

  latencies(): string[] {
    return this.#statuses.size === 0 ? [] : this.#latency.lines(latency, this.#labels);
  }
}

const requests = 'notes_http_requests_total';
const latency = 'notes_http_request_duration_seconds';

/** What the service counts about itself, in the text format of Prometheus (version 0.0.4). */
export class Metrics {
  readonly #operations: Operation[] = [];
  readonly #batches = new Histogram(batchBounds);
  readonly #commits = new Histogram(latencyBounds);
  #loopLag = 0;
  #listeners = 0;
  #backup: { readonly at: number; readonly isFailed: boolean } | undefined;

  /** Counts the answers to an operation, named by its method and route with a space between. */
  operation(name: string): Pick<Operation, 'observe'> {
    const [method = '', route = ''] = name.split(' ', 2);
    const operation = new Operation(method, route);
    this.#operations.push(operation);
    return operation;
  }

  observeCommit(writes: number, seconds: number): void {
    this.#batches.observe(writes);
    this.#commits.observe(seconds);
  }

  /** The longest that the event loop was late since the last scrape is what `/metrics` shows. */
  observeLoopLag(seconds: number): void {
    this.#loopLag = Math.max(this.#loopLag, seconds);
  }

  setListeners(listeners: number): void {
    this.#listeners = listeners;
  }

  /** The newest automatic backup is of `at`, in ms since 1970; 0: none yet. */
  observeBackup(at: number): void {
    this.#backup = { at, isFailed: this.#backup?.isFailed ?? false };
  }

  /** Whether the last look at the automatic backups failed, or that which it had to do. */
  observeBackupLook(isFailed: boolean): void {
    this.#backup = { at: this.#backup?.at ?? 0, isFailed };
  }

  render(stats: EngineStats | undefined): string {
    const counts = this.#operations.flatMap((operation) => operation.counts());
    const latencies = this.#operations.flatMap((operation) => operation.latencies());
    const lag = this.#loopLag;
    this.#loopLag = 0;
    return [
      ...family(requests, 'counter', 'Requests answered, by method, route and status', counts),
      ...family(latency, 'histogram', 'Time until the head of the answer', latencies),
      ...family('notes_commit_writes', 'histogram', 'Writes in one commit', this.#batches.lines('notes_commit_writes')),
      ...family(
        'notes_commit_duration_seconds',
        'histogram',
        'Duration of one commit, fsync included',
        this.#commits.lines('notes_commit_duration_seconds'),
      ),
      ...storeGauges(stats),
      ...this.#backupGauges(),
      ...gauge('notes_event_loop_lag_seconds', 'Longest delay of the event loop since the last scrape', lag),
      ...gauge('notes_event_listeners', 'Streams of events that are open', this.#listeners),
      ...buildGauge,
      ...processFigures().flatMap(({ name, type, help, value }) => family(name, type, help, [`${name} ${value}`])),
      '',
    ].join('\n');
  }

  /** None before the first look, and where no backups are made. */
  #backupGauges(): string[] {
    if (this.#backup === undefined) return [];
    const { at, isFailed } = this.#backup;
    const newest = 'Time of the newest automatic backup, in seconds since 1970; 0: none yet';
    return [
      ...gauge('notes_backup_last_success_timestamp_seconds', newest, at / 1000),
      ...gauge('notes_backup_last_failed', '1 when the last automatic backup failed', isFailed ? 1 : 0),
    ];
  }
}

/** None while the store does not answer. */
function storeGauges(stats: EngineStats | undefined): string[] {
  if (stats === undefined) return [];
  const { notes, databaseBytes, walBytes } = stats;
  return [
    ...gauge('notes_stored', 'Notes stored, archived ones included', notes),
    ...gauge('notes_database_bytes', 'Size of the database', databaseBytes),
    ...(walBytes === undefined ? [] : gauge('notes_wal_bytes', 'Size of the write-ahead log', walBytes)),
  ];
}

const family = (name: string, type: string, help: string, lines: readonly string[]) => [
  `# HELP ${name} ${help}`,
  `# TYPE ${name} ${type}`,
  ...lines,
];

const gauge = (name: string, help: string, value: number) => family(name, 'gauge', help, [`${name} ${value}`]);

const { version, commit, date = '' } = buildInfo;
const buildGauge = family('notes_build_info', 'gauge', 'What the program was made of; always 1', [
  `notes_build_info{version="${version}",commit="${commit}",date="${date}"} 1`,
]);

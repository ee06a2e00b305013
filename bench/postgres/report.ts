/** Shows what was measured on PostgreSQL: aligned tables, which are Markdown as well. */

import type { LoadResult } from '../loads/load.ts';
import { decimal, type Figure, median, rate, show, verdict } from '../output/figure.ts';
import { type Row, table } from '../output/table.ts';
import { rateOf } from '../service/measure.ts';
import { sharesOf } from '../service/pressure.ts';
import { type Circumstances, circumstances } from '../service/report.ts';
import { failuresBeside, type ListUnderUpdates, pacedUpdates, type Singles } from './beside.ts';
import { failuresOf, type Measured, type Round } from './loads.ts';

export interface PostgresReport extends Circumstances {
  /** Those of the server, as a sentence shows them. */
  readonly settings: string;
  readonly measured: readonly Measured[];
  readonly singles: readonly Singles[];
  readonly listUnderUpdates: readonly ListUnderUpdates[];
  /** Of each instance after all, in MB. */
  readonly memory: readonly { readonly deployment: string; readonly instances: readonly Figure[] }[];
  /** The number of WAL syncs during the measurement. */
  readonly logSyncs: number;
}

/** Requests per second of PostgREST. No result of this run: the page says where they come from. */
const postgrest: Readonly<Record<string, number>> = { W1: 2_100, W2: 32, W3: 2_300, W4: 2_200 };

/** The minimum requests per second, and how they are said. */
const bars: Readonly<Record<string, { readonly min: number; readonly words: string }>> = {
  W1: { min: 3 * 2_100, words: '≥ 3 × PostgREST' },
  W2: { min: 35, words: '≥ 35/s' },
  W3: { min: 4 * 2_300, words: '≥ 4 × PostgREST' },
};

/** Everything that makes the run fail. A bar that is not met does not. */
export function failuresOnPostgres({ measured, singles, listUnderUpdates, logSyncs }: PostgresReport): string[] {
  const lost = logSyncs > 0 ? [] : ['Notes were written and PostgreSQL never synced its log'];
  return [...measured.flatMap(failuresOf), ...failuresBeside(singles, listUnderUpdates), ...lost];
}

/** What goes to the terminal. */
export const postgresTables = (report: PostgresReport): string =>
  [rateRows(report), timeRows(report), figureRows(report)].map((rows) => `${table(rows)}\n`).join('\n');

const explanation = `The loads of [RESULTS.md](RESULTS.md) on the same 10,000 notes. One instance of the service has a database for itself,
two instances share another; both are on one server, with service, server and generator on the same machine. They take
turns, three rounds each after a warm-up: rates, latencies and shares are the medians, *Rounds* has the lowest and the
highest. Two instances are loaded by two generators at once, each with half of the connections and every other call;
their rates are added, the latency is that of the slower one. During the warm-ups answers are read and checked, after
each load the writes are counted: by the service, and the created notes by PostgreSQL.

*PostgREST*: not measured by this run, but before on a machine like this one, with two processes of it. On another
machine the ratio says nothing.`;

/** What is kept. */
export function postgresMarkdown(report: PostgresReport): string {
  const [rates, times, figures] = [rateRows(report), timeRows(report), figureRows(report)].map(table);
  const failures = failuresOnPostgres(report).map((failure) => `- **Failed:** ${failure}\n`);
  return `# Results on PostgreSQL

${circumstances(report)}- Settings, all defaults: ${report.settings}
${failures.join('')}
${explanation}

${rates}

## Where the time goes

Processor time: shares of one core while the load ran, and what one request takes. *PostgreSQL* is all of its processes;
*Idle* is the unused share of all cores, including waits for the disk. The system and other programs used the rest.

${times}

## Other figures

One client waits for each answer before it asks again. wrk adds the requests that a pause held back to the latencies, as
if they had waited: the p99 of one client shows the pauses of the machine, which the raw server of
[README.md](README.md) shows too.

${figures}
`;
}

function rateRows({ measured }: PostgresReport): Row[] {
  const head = ['', 'Load', 'Connections', 'Deployment', 'Requests/s', 'Rounds', 'p50 ms', 'p99 ms'];
  return [[...head, 'PostgREST/s', 'Ratio', 'Bar', ''], ...measured.map(rateRow)];
}

function rateRow({ scenario: { name, title, connections }, deployment, rounds }: Measured): Row {
  const rates = rounds.map(rateOf);
  const [other, bar] = [postgrest[name], bars[name]];
  return [
    name,
    title,
    String(connections),
    deployment.name,
    rate(median(rates)),
    `${rate(Math.min(...rates))} … ${rate(Math.max(...rates))}`,
    decimal(median(rounds.map(({ p50 }) => p50)), 1),
    decimal(median(rounds.map(({ p99 }) => p99)), 1),
    other === undefined ? '' : decimal(other),
    other === undefined ? '' : `${decimal(median(rates) / other, 1)} ×`,
    bar?.words ?? '',
    bar === undefined ? '' : verdict(median(rates) >= bar.min),
  ];
}

function timeRows({ measured }: PostgresReport): Row[] {
  const users = ['Service', 'PostgreSQL', 'Generator'];
  return [['', 'Deployment', ...users, 'Idle', ...users.map((user) => `${user}, µs`)], ...measured.map(timeRow)];
}

const cpuUsers: readonly ((round: Round) => number)[] = [
  ({ cpu }) => cpu.service,
  ({ cpu }) => cpu.postgres,
  ({ effort, seconds }) => effort * seconds,
];

function timeRow({ scenario, deployment, rounds }: Measured): Row {
  const share = (part: (round: Round) => number) =>
    `${decimal(100 * median(rounds.map((round) => part(round) / round.seconds)))} %`;
  const perRequest = (part: (round: Round) => number) =>
    decimal(1e6 * median(rounds.map((round) => part(round) / round.requests)));
  const idle = share(({ cpu }) => cpu.idle);
  return [scenario.name, deployment.name, ...cpuUsers.map(share), idle, ...cpuUsers.map(perRequest)];
}

const figureRows = (report: PostgresReport): Row[] => [
  ['Figure', 'Deployment', 'Value'],
  ...report.singles.flatMap(singleRows),
  ['W1 by one client', 'raw server', latency(report.singles.flatMap(({ rounds }) => rounds.map(({ raw }) => raw)))],
  ...report.listUnderUpdates.flatMap(underUpdatesRows),
  ...report.measured.filter(({ counters }) => counters.commits > 0).flatMap(commitRows),
  ...report.memory.map(memoryRow),
  ['Syncs of the log of PostgreSQL', 'both', decimal(report.logSyncs)],
];

const singleRows = ({ deployment, rounds }: Singles): Row[] => [
  ['W1 by one client', deployment.name, latency(rounds.map(({ list }) => list))],
  ['W3 by one client', deployment.name, latency(rounds.map(({ create }) => create))],
];

function latency(results: readonly LoadResult[]): string {
  const [p50, p99] = [median(results.map(({ p50 }) => p50)), median(results.map(({ p99 }) => p99))];
  return `p50 ${decimal(p50, 2)} ms, p99 ${decimal(p99, 2)} ms`;
}

function underUpdatesRows({ deployment, rounds }: ListUnderUpdates): Row[] {
  const during = rounds.map((round) => rateOf(round.during));
  const arrived = median(rounds.map(({ writesPerSecond }) => writesPerSecond));
  const title = `W2 under ${decimal(pacedUpdates)} updates/s`;
  return [
    [title, deployment.name, `${rate(median(during))}/s (${decimal(median(sharesOf(rounds)), 2)} of W2 alone)`],
    [`${title}: arrived`, deployment.name, `${decimal(arrived)}/s`],
  ];
}

function commitRows({ scenario: { name }, deployment, counters }: Measured): Row[] {
  const { commits, writes, commitSeconds } = counters;
  const mean = `${decimal(writes / commits, 1)} writes, ${decimal((1000 * commitSeconds) / commits, 2)} ms`;
  return [[`Mean commit during ${name}`, deployment.name, mean]];
}

const memoryRow = ({ deployment, instances }: PostgresReport['memory'][number]): Row => {
  const figures = instances.map((figure) => show(figure, 'MB', 1));
  return ['Resident memory of an instance after all', deployment, figures.join(', ')];
};

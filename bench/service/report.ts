/** The results of a run as aligned tables, which are valid Markdown. */

import type { Scenario } from '../loads/scenarios.ts';
import { decimal, median, rate, show, verdict } from '../output/figure.ts';
import { type Row, table } from '../output/table.ts';
import { checkRows } from './checks.ts';
import { failuresOf, isMet, type Measured, rateOf, rateOfService, ratiosOf } from './measure.ts';
import { failuresUnderWrites } from './pressure.ts';
import { failuresAtScale, scaleFigures } from './scale.ts';
import type { Measurements } from './service.ts';

/** When, where and how something was measured. */
export interface Circumstances {
  readonly date: string;
  readonly machine: string;
  readonly fileSystem: string;
  readonly versions: string;
  readonly command: string;
}

export interface Report extends Circumstances, Measurements {}

/** The failures of a run. A missed bar is not one. */
export function failuresInRun({ measured, fsyncs, listUnderWrites, readsInRush, scale }: Report): string[] {
  const lost = fsyncs === 0 ? ['Notes were created without a single fsync'] : [];
  const pressed = failuresUnderWrites(listUnderWrites, readsInRush);
  return [...measured.flatMap(failuresOf), ...pressed, ...failuresAtScale(scale), ...lost];
}

/** The output for the terminal. */
export const tables = (report: Report): string =>
  [rateRows(report), checkRows(report), sizeRows(report)].map((rows) => `${table(rows)}\n`).join('\n');

/** The text of RESULTS.md. */
export function markdown(report: Report): string {
  const [rates, checks, sizes] = [rateRows(report), checkRows(report), sizeRows(report)].map(table);
  const failures = failuresInRun(report).map((failure) => `- **Failed:** ${failure}\n`);
  return `# Results

${circumstances(report)}${failures.join('')}
How to read them: [README.md](README.md).

${rates}

${checks}

## The list of W1 in stores of different sizes

![Requests per second, latency and memory against the number of notes](scale.svg)

${sizes}
`;
}

export const circumstances = ({ date, machine, fileSystem, versions, command }: Circumstances) => `- Date: ${date}
- Machine: ${machine}; notes on ${fileSystem}
- Versions: ${versions}
- Command: \`${command}\`
`;

function rateRows({ measured }: Report): Row[] {
  const byName = measured.toSorted((one, other) => one.scenario.name.localeCompare(other.scenario.name));
  const head = ['', 'Load', 'Connections', 'Service/s', 'Raw/s', 'Ratio', 'Rounds', 'p50 ms', 'p99 ms', 'Raw p99'];
  return [[...head, 'Generator', 'Errors', 'Bar', ''], ...byName.map(rateRow)];
}

function rateRow(measured: Measured): Row {
  const { scenario, rounds, counters } = measured;
  const service = rounds.map((round) => round.service);
  const raw = rounds.map((round) => round.raw);
  const ratios = ratiosOf(measured);
  const errors = [...service, ...raw].reduce((sum, { refused, socketErrors }) => sum + refused + socketErrors, 0);
  const met = isMet(measured);
  return [
    scenario.name,
    scenario.title,
    String(scenario.connections),
    rate(rateOfService(measured)),
    rate(median(raw.map(rateOf))),
    decimal(median(ratios), 2),
    `${decimal(Math.min(...ratios), 2)} … ${decimal(Math.max(...ratios), 2)}`,
    decimal(median(service.map(({ p50 }) => p50)), 1),
    decimal(median(service.map(({ p99 }) => p99)), 1),
    decimal(median(raw.map(({ p99 }) => p99)), 1),
    `${decimal(100 * median(raw.map(({ effort }) => effort)))} %`,
    String(Math.max(errors, counters.refused)),
    shownBar(scenario),
    met === undefined ? '' : verdict(met),
  ];
}

function shownBar({ bar, aim }: Scenario): string {
  if (bar === undefined) return 'see below';
  return `≥ ${decimal(bar, 2)} × raw${aim === undefined ? '' : `, aim ${decimal(aim, 2)}`}`;
}

const sizeRows = ({ scale }: Report): Row[] => [
  ['Notes', 'W1/s', 'p99 ms', 'with updates of its notes/s', 'p99 ms', 'Resident memory'],
  ...scale.map((point) => {
    const [reads, invalidated] = [scaleFigures(point, 'reads'), scaleFigures(point, 'invalidated')];
    const figures = [
      rate(reads.perSecond),
      decimal(reads.p99, 1),
      rate(invalidated.perSecond),
      decimal(invalidated.p99, 1),
    ];
    return [decimal(point.notes), ...figures, show(point.memory, 'MB', 1)];
  }),
];

/** The peers' section of the results. */

import { decimal, type Figure, rate } from '../output/figure.ts';
import { type Row, table } from '../output/table.ts';
import { type Circumstances, circumstances } from '../service/report.ts';
import type { Standing } from './contest.ts';

export interface Contest extends Circumstances {
  readonly standings: readonly Standing[];
  /** The peers that could not be started, and why. */
  readonly absent: readonly string[];
}

/** The first line of the section, the last one of the results. */
export const contestHeading = '\n## Beside other programs\n';

/** In the order of the table. W6 is next to the reads, because no peer caches lists. */
export const contestLoads = {
  W1: 'list of 20 by three filters',
  W2: 'whole list of 10,000',
  W6: '90 % W1, 5 % W3, 5 % W4',
  W3: 'create',
  W4: 'update of one title',
  W5: 'archive',
} as const;
export const loadNames = Object.keys(contestLoads);

/** The failures of a run: those of the service, not of peers. */
export const failuresInContest = ({ standings }: Contest): string[] =>
  standings.filter(({ isService }) => isService).flatMap((standing) => unmeasuredOf(standing));

/** The output for the terminal. */
export const contestTable = (contest: Contest): string => `${table(rows(contest.standings))}\n`;

/** The section of RESULTS.md. */
export function contestMarkdown(contest: Contest): string {
  const missing = [...contest.absent, ...contest.standings.flatMap(unmeasuredOf)];
  return `${contestHeading}
${circumstances(contest)}${missing.map((sentence) => `- Not measured: ${sentence}\n`).join('')}
Requests per second. *Durable*: a write is on disk before it is answered. Each peer is in [peers](peers).

![Requests per second of the service and its peers](peers.svg)

${contestTable(contest)}`;
}

function rows(standings: readonly Standing[]): Row[] {
  const rivals = standings.filter(({ isService }) => !isService);
  return [
    ['', 'Made of', 'Runtime', 'Durable', ...loadNames],
    ...standings.map(({ name, madeOf, runtime, durable, rates }) => {
      const figures = loadNames.map((load) => shown(rates[load]));
      return [name, madeOf, runtime, durable ? 'yes' : 'no', ...figures];
    }),
    ratioRow('Notes / best of the peers', standings, rivals),
    ratioRow(
      'Notes / best of the durable peers',
      standings,
      rivals.filter(({ durable }) => durable),
    ),
  ];
}

function ratioRow(name: string, standings: readonly Standing[], rivals: readonly Standing[]): Row {
  const service = standings.find(({ isService }) => isService);
  const ratios = loadNames.map((load) => {
    const [own, best] = [service?.rates[load], bestOf(rivals, load)];
    return typeof own === 'number' && best !== undefined ? `${decimal(own / best, 2)} ×` : '';
  });
  return [name, '', '', '', ...ratios];
}

function bestOf(standings: readonly Standing[], load: string): number | undefined {
  const rates = standings.map(({ rates }) => rates[load]).filter((figure) => typeof figure === 'number');
  return rates.length > 0 ? Math.max(...rates) : undefined;
}

const shown = (figure: Figure | undefined) => (typeof figure === 'number' ? rate(figure) : '–');

const unmeasuredOf = ({ name, rates }: Standing): string[] =>
  Object.entries(rates).flatMap(([load, figure]) =>
    typeof figure === 'number' ? [] : [`${name}, ${load}: ${figure.unmeasured}`],
  );

/** The figures beside the rates, each with its bar where it has one. */
import { below, decimal, type Figure, median, show, verdict } from '../output/figure.ts';
import type { Row } from '../output/table.ts';
import { type Measured, rateOfService } from './measure.ts';
import { pacedWrites, rushOf, sharesOf } from './pressure.ts';
import { sharesOfScale } from './scale.ts';
import type { Measurements } from './service.ts';

const max = { startMs: 400, idleMemory: 80, finalMemory: 200, rushP99: 10 };
const min = { mixed: 0.5, underWrites: 0.5, scale: 0.8 };

export const checkRows = (report: Measurements): Row[] => [
  ['Figure', 'Value', 'Bar', ''],
  ...mixedRows(report.measured),
  ...listRows(report),
  ...rushRows(report),
  ...scaleRows(report),
  ...startRows(report),
  ...commitRows(report.measured),
  ['fsync and fdatasync during 1 s of creates under strace', show(report.fsyncs, 'calls'), '> 0', above(report.fsyncs)],
];

function mixedRows(measured: readonly Measured[]): Row[] {
  const [alone, mixed] = ['W1', 'W6'].map((name) => measured.find(({ scenario }) => scenario.name === name));
  if (alone === undefined || mixed === undefined) return [];
  return [share('W6 as a share of W1', [rateOfService(mixed) / rateOfService(alone)], min.mixed)];
}

function listRows({ listUnderWrites }: Measurements): Row[] {
  const arrived = median(listUnderWrites.map(({ writesPerSecond }) => writesPerSecond));
  return [
    share('W2 under paced updates as a share of W2 alone', sharesOf(listUnderWrites), min.underWrites),
    note(`Updates that arrived meanwhile, of ${decimal(pacedWrites)}/s`, `${decimal(arrived)}/s`),
  ];
}

function rushRows({ readsInRush }: Measurements): Row[] {
  const { p99, p50, perSecond, createsPerSecond } = rushOf(readsInRush);
  return [
    ['W1 during W3 at full rate, p99', show(p99, 'ms', 1), `≤ ${max.rushP99} ms`, verdict(p99 <= max.rushP99)],
    note('W1 during W3 at full rate, p50', show(p50, 'ms', 1)),
    note('W1 during W3 at full rate', `${decimal(perSecond)}/s`),
    note('Creates meanwhile', `${decimal(createsPerSecond)}/s`),
  ];
}

const scaleRows = ({ scale }: Measurements): Row[] => [
  share('W1 with 1,000,000 notes as a share of 10,000', sharesOfScale(scale, 'reads', 1_000_000, 10_000), min.scale),
];

function startRows({ coldStart, finalMemory, finalNotes, finalStart }: Measurements): Row[] {
  const { ms, memory } = coldStart;
  return [
    ['Cold start, empty store', show(ms, 'ms'), `< ${max.startMs} ms`, below(ms, max.startMs)],
    note(`Start with ${decimal(finalNotes)} notes`, show(finalStart.ms, 'ms')),
    ['Resident memory, idle', show(memory, 'MB', 1), `< ${max.idleMemory} MB`, below(memory, max.idleMemory)],
    [
      `Resident memory after all, ${decimal(finalNotes)} notes`,
      show(finalMemory, 'MB', 1),
      `< ${max.finalMemory} MB`,
      below(finalMemory, max.finalMemory),
    ],
  ];
}

function commitRows(measured: readonly Measured[]): Row[] {
  const creates = measured.find(({ scenario }) => scenario.name === 'W3');
  if (creates === undefined) return [];
  const { commits, writes, commitSeconds } = creates.counters;
  return [
    note('Batches during W3, warm-up included', decimal(commits)),
    note('Notes created by them', decimal(writes)),
    note('Mean notes per batch', decimal(writes / commits, 1)),
    note('Mean time until a batch was committed', `${decimal((commitSeconds / commits) * 1000, 2)} ms`),
  ];
}

const note = (title: string, value: string): Row => [title, value, 'for information', ''];

/** The median of the rounds, which decides, with the lowest and the highest. */
function share(title: string, shares: readonly number[], bar: number): Row {
  const range = `${decimal(Math.min(...shares), 2)} … ${decimal(Math.max(...shares), 2)}`;
  const value = decimal(median(shares), 2) + (shares.length > 1 ? ` (${range})` : '');
  return [title, value, `≥ ${decimal(bar, 2)}`, verdict(median(shares) >= bar)];
}

const above = (figure: Figure) => (typeof figure === 'number' ? verdict(figure > 0) : '');

/** Draws what `scale.ts` measured: rate, latency and memory, one above the other, against the number of notes. */
import { decimal } from '../output/figure.ts';
import { type Colour, dot, line, logarithmic, type Point, svg, text } from '../output/svg.ts';
import { type ScalePoint, type ScaleRound, scaleFigures } from './scale.ts';

interface Series {
  readonly name: string;
  readonly colour: Colour;
  /** The number of notes, and the figure. */
  readonly values: readonly Point[];
}

interface Panel {
  readonly title: string;
  readonly series: readonly Series[];
}

const size = { width: 720, height: 640 };
const plot = { left: 80, right: 500, height: 130, gap: 70, top: 50 };

export function scaleChart(points: readonly ScalePoint[]): string {
  const panels: Panel[] = [
    { title: 'Requests per second', series: seriesOf(points, 'perSecond') },
    { title: 'p99 in ms', series: seriesOf(points, 'p99') },
    {
      title: 'Resident memory in MB',
      series: [{ name: 'after both loads', colour: 'first', values: memoryOf(points) }],
    },
  ];
  const counts = points.map(({ notes }) => notes);
  const x = logarithmic([Math.min(...counts), Math.max(...counts)], [plot.left, plot.right]);
  const parts = panels.flatMap((panel, n) => drawPanel(panel, plot.top + n * (plot.height + plot.gap), x));
  const bottom = plot.top + 3 * plot.height + 2 * plot.gap;
  const ticks = counts.map((notes) => text(x(notes), bottom + 20, decimal(notes), { anchor: 'middle', look: 'muted' }));
  const axis = text((plot.left + plot.right) / 2, bottom + 42, 'notes stored', { anchor: 'middle', look: 'muted' });
  return svg(size, 'The list of 20 notes in stores of 1,000 to 1,000,000 notes', [...parts, ...ticks, axis]);
}

function seriesOf(points: readonly ScalePoint[], figure: 'perSecond' | 'p99'): Series[] {
  const of = (which: keyof ScaleRound) =>
    points.map((point): Point => [point.notes, scaleFigures(point, which)[figure]]);
  return [
    { name: 'list of 20', colour: 'first', values: of('reads') },
    { name: 'with updates of its notes', colour: 'second', values: of('invalidated') },
  ];
}

/** Omits unmeasured points. */
const memoryOf = (points: readonly ScalePoint[]): Point[] =>
  points.flatMap(({ notes, memory }): Point[] => (typeof memory === 'number' ? [[notes, memory]] : []));

function drawPanel({ title, series }: Panel, top: number, x: (value: number) => number): string[] {
  const highest = roundUp(Math.max(1, ...series.flatMap(({ values }) => values.map(([, value]) => value))));
  const bottom = top + plot.height;
  const y = (value: number) => bottom - (value / highest) * plot.height;
  const grid = [0, highest / 2, highest].flatMap((value) => [
    line(
      [
        [plot.left, y(value)],
        [plot.right, y(value)],
      ],
      'grid',
    ),
    text(plot.left - 8, y(value) + 4, decimal(value, value % 1 === 0 ? 0 : 1), { anchor: 'end', look: 'muted' }),
  ]);
  const lines = series.flatMap(({ name, colour, values }, n) => {
    const places = values.map(([count, value]): Point => [x(count), y(value)]);
    const beside = top + 10 + n * 22;
    const legend = [dot([plot.right + 24, beside], colour), text(plot.right + 36, beside + 4, name)];
    return [line(places, colour, 2), ...places.map((place) => dot(place, colour)), ...legend];
  });
  return [text(plot.left, top - 14, title, { look: 'title' }), ...grid, ...lines];
}

/** The next of 1, 2, 5, 10, 20, 50 … */
function roundUp(value: number): number {
  const power = 10 ** Math.floor(Math.log10(value));
  return ([1, 2, 5].find((step) => step * power >= value) ?? 10) * power;
}

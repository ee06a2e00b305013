/** Draws the contest: for each load a dot for each program, on a logarithmic scale. */

import { rate } from '../output/figure.ts';
import { dot, line, logarithmic, svg, text } from '../output/svg.ts';
import type { Standing } from './contest.ts';
import { contestLoads, loadNames } from './report.ts';

const columns = 2;
const panel = { width: 470, names: 150, figures: 70, row: 22, head: 34, gap: 26 };
const margin = 20;
const scale = [1, 200_000] as const;
const decades = [1, 10, 100, 1_000, 10_000, 100_000];

export function peersChart(standings: readonly Standing[]): string {
  const height = panel.head + standings.length * panel.row + panel.gap;
  const parts = Object.entries(contestLoads).flatMap(([load, title], n) => {
    const left = margin + (n % columns) * (panel.width + margin);
    const top = margin + Math.floor(n / columns) * height;
    return drawPanel(`${load}: ${title}`, load, standings, { left, top });
  });
  const bottom = margin + Math.ceil(loadNames.length / columns) * height;
  const legend = text(
    margin,
    bottom,
    'Requests per second, logarithmic. Filled: a write is on disk before it is answered.',
    { look: 'muted' },
  );
  const size = { width: columns * (panel.width + margin) + margin, height: bottom + margin };
  return svg(size, 'Requests per second of the service and its peers', [...parts, legend]);
}

interface Place {
  readonly left: number;
  readonly top: number;
}

function drawPanel(title: string, load: string, standings: readonly Standing[], { left, top }: Place): string[] {
  const [from, to] = [left + panel.names, left + panel.width - panel.figures];
  const x = logarithmic(scale, [from, to]);
  const [first, last] = [top + panel.head, top + panel.head + standings.length * panel.row];
  const grid = decades.flatMap((value) => [
    line(
      [
        [x(value), first - 6],
        [x(value), last - 6],
      ],
      'grid',
    ),
    text(x(value), last + 8, value < 1000 ? String(value) : `${value / 1000}k`, { anchor: 'middle', look: 'muted' }),
  ]);
  const dots = standings.flatMap(({ name, durable, isService, rates }, n) => {
    const y = first + (n + 0.5) * panel.row - 6;
    const figure = rates[load];
    const label = text(from - 10, y + 4, name, { anchor: 'end', ...(isService && { look: 'title' }) });
    if (typeof figure !== 'number') return [label, text(from + 6, y + 4, 'not measured', { look: 'muted' })];
    const mark = dot([x(Math.max(scale[0], figure)), y], isService ? 'second' : 'first', !durable);
    return [label, mark, text(to + 8, y + 4, rate(figure), isService ? { look: 'title' } : {})];
  });
  return [text(left, top + 14, title, { look: 'title' }), ...grid, ...dots];
}

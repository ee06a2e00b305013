/** Small charts as SVG text, readable on light and on dark pages. */

/** Colours by name, light then dark; used in a chart as `var(--name)`. */
const palette = {
  page: ['#ffffff', '#0d1117'],
  text: ['#1f2328', '#e6edf3'],
  muted: ['#59636e', '#9198a1'],
  grid: ['#d1d9e0', '#30363d'],
  first: ['#0969da', '#4493f8'],
  second: ['#bc4c00', '#f0883e'],
} as const satisfies Record<string, readonly [light: string, dark: string]>;
export type Colour = keyof typeof palette;

export interface Size {
  readonly width: number;
  readonly height: number;
}

/** A whole file. `title` is what a screen reader says. */
export function svg({ width, height }: Size, title: string, parts: readonly string[]): string {
  const colours = (index: 0 | 1) =>
    Object.entries(palette)
      .map(([name, values]) => `--${name}:${values[index]}`)
      .join(';');
  return `<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 ${width} ${height}" width="${width}" height="${height}" role="img">
<title>${Bun.escapeHTML(title)}</title>
<style>
svg { ${colours(0)} }
@media (prefers-color-scheme: dark) { svg { ${colours(1)} } }
text { font: 12px system-ui, sans-serif; fill: var(--text) }
text.muted { fill: var(--muted) }
text.title { font-weight: 600 }
</style>
<rect width="${width}" height="${height}" fill="var(--page)"/>
${parts.join('\n')}
</svg>
`;
}

export interface TextStyle {
  readonly anchor?: 'start' | 'middle' | 'end';
  readonly look?: 'muted' | 'title';
}

export const text = (x: number, y: number, words: string, { anchor = 'start', look }: TextStyle = {}): string =>
  `<text x="${round(x)}" y="${round(y)}" text-anchor="${anchor}"${look ? ` class="${look}"` : ''}>${Bun.escapeHTML(words)}</text>`;

export type Point = readonly [x: number, y: number];

export const line = (points: readonly Point[], colour: Colour, width = 1): string =>
  `<polyline points="${points.map(([x, y]) => `${round(x)},${round(y)}`).join(' ')}" fill="none" stroke="var(--${colour})" stroke-width="${width}"/>`;

/** A hollow dot is one with a filling of the page's colour. */
export const dot = ([x, y]: Point, colour: Colour, hollow = false): string =>
  `<circle cx="${round(x)}" cy="${round(y)}" r="4.5" fill="var(--${hollow ? 'page' : colour})" stroke="var(--${colour})" stroke-width="2"/>`;

/** Maps a value to a position between two places, on a logarithmic scale. */
export const logarithmic =
  ([least, most]: readonly [number, number], [from, to]: readonly [number, number]) =>
  (value: number): number =>
    from + ((Math.log(value) - Math.log(least)) / (Math.log(most) - Math.log(least))) * (to - from);

const round = (value: number) => Math.round(value * 10) / 10;

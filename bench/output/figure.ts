/** Formats figures; unmeasured ones stay unmeasured. */

/** A value, or why there is none. */
export type Figure = number | { readonly unmeasured: string };

export const show = (figure: Figure, unit: string, digits = 0): string =>
  typeof figure === 'number' ? `${decimal(figure, digits)} ${unit}` : `not measured: ${figure.unmeasured}`;

export const decimal = (value: number, digits = 0): string =>
  value.toLocaleString('en', { minimumFractionDigits: digits, maximumFractionDigits: digits });

/** The middle one of an odd number of values. */
export function median(values: readonly number[]): number {
  const middle = values.toSorted((one, other) => one - other)[values.length >> 1];
  if (middle === undefined) throw new Error('There is no median of nothing');
  return middle;
}

/** The median, when every figure was measured. */
export function medianFigure(figures: readonly Figure[]): Figure {
  const missing = figures.find((figure) => typeof figure !== 'number');
  return missing ?? median(figures.filter((figure) => typeof figure === 'number'));
}

export const verdict = (met: boolean) => (met ? 'met' : 'NOT MET');

/** Empty if unmeasured. */
export const below = (figure: Figure, bar: number) => (typeof figure === 'number' ? verdict(figure < bar) : '');

/** A rate per second. */
export const rate = (value: number) => decimal(value, value < 1000 ? 1 : 0);

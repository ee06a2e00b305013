import { hangsAfterMs } from './eventually.ts';

/** `TEST_SCALE=all` runs rounds and random properties in full; by default, as much as fits into a minute. */
export const isThorough = process.env['TEST_SCALE'] === 'all';

export const pickByScale = (all: number, quick: number): number => (isThorough ? all : quick);

/** A test that has many rounds with `TEST_SCALE=all` hangs after this time, in ms. */
export const longRunMs = pickByScale(4, 1) * hangsAfterMs;

/** `TEST_SCALE=all` runs rounds and random properties in full; by default, as much as fits into a minute. */
export const isThorough = process.env['TEST_SCALE'] === 'all';

export const scaled = (all: number, quick: number): number => (isThorough ? all : quick);

/** How thorough rounds and random properties are: `TEST_SCALE=all` asks for all, otherwise for what fits into a minute. */
export const isThorough = process.env['TEST_SCALE'] === 'all';

/** A number of rounds, requests or seconds. */
export const scaled = (all: number, quick: number): number => (isThorough ? all : quick);

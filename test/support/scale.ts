/** How thorough the faults are: `npm run test:faults` asks for all, `npm test` for what fits into its minute. */
export const isThorough = process.env['FAULTS'] === 'all';

/** A number of rounds, requests or seconds. */
export const scaled = (all: number, quick: number): number => (isThorough ? all : quick);

/** What the random choices grow from; `FAULT_SEED` repeats those of an earlier run. */
export const seed = Number(process.env['FAULT_SEED'] ?? Date.now() % 2 ** 32);

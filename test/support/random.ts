/** The seed of all random choices of a run; `TEST_SEED` repeats those of an earlier run. */
export const seed = Number(process.env['TEST_SEED'] ?? Date.now() % 2 ** 31);

/** Seeded random numbers. */
export interface Random {
  /** An integer from 0 to `below` - 1. */
  below(below: number): number;
  pick<Value>(values: readonly [Value, ...Value[]]): Value;
}

/** Mulberry32. */
export function createSeededRandom(seed: number): Random {
  let state = seed >>> 0;
  const below = (below: number) => {
    state = (state + 0x6d2b79f5) >>> 0;
    let mixed = Math.imul(state ^ (state >>> 15), state | 1);
    mixed ^= mixed + Math.imul(mixed ^ (mixed >>> 7), mixed | 61);
    return Math.floor((((mixed ^ (mixed >>> 14)) >>> 0) / 2 ** 32) * below);
  };
  return { below, pick: (values) => values[below(values.length)] ?? values[0] };
}

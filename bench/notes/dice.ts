/** Random choices that are the same in every run. */

export interface Dice {
  /** An integer from `min` to `max`, both included. */
  between(min: number, max: number): number;
  pick<Item>(items: readonly Item[]): Item;
  shuffle<Item>(items: readonly Item[]): Item[];
}

/** The generator is mulberry32. */
export function createDice(seed: number): Dice {
  let state = seed;
  const next = () => {
    state = (state + 0x6d2b79f5) | 0;
    let mixed = Math.imul(state ^ (state >>> 15), 1 | state);
    mixed = (mixed + Math.imul(mixed ^ (mixed >>> 7), 61 | mixed)) ^ mixed;
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 2 ** 32;
  };
  const between = (min: number, max: number) => min + Math.floor(next() * (max - min + 1));
  return {
    between,
    pick(items) {
      const index = between(0, items.length - 1);
      for (const item of items.slice(index, index + 1)) return item;
      throw new Error('There is nothing to pick from');
    },
    shuffle(items) {
      const keyed = items.map((item) => ({ item, key: next() }));
      return keyed.sort((one, other) => one.key - other.key).map(({ item }) => item);
    },
  };
}

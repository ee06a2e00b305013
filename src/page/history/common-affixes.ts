/** The number of equal UTF-16 units at the start of two texts. */
export function countCommonPrefix(one: string, other: string): number {
  const max = Math.min(one.length, other.length);
  let count = 0;
  while (count < max && one.charCodeAt(count) === other.charCodeAt(count)) count++;
  return count;
}

/** The number of equal UTF-16 units at the end, not counting the first `taken` ones. */
export function countCommonSuffix(one: string, other: string, taken: number): number {
  const max = Math.min(one.length, other.length) - taken;
  let count = 0;
  while (count < max && one.charCodeAt(one.length - 1 - count) === other.charCodeAt(other.length - 1 - count)) count++;
  return count;
}

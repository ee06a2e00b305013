/**
 * Finds the name that begins with what was typed in a menu, else one that has it; returns its index, or -1.
 *
 * The name at `current` is kept while it fits; the same letter again goes to the next name.
 */
export function findTypedName(names: readonly string[], current: number, typed: string): number {
  const wanted = typed.toLowerCase();
  const [letter = ''] = wanted;
  const isRepeated = wanted === letter.repeat(wanted.length);
  const from = isRepeated ? current + 1 : Math.max(current, 0);
  const order = names.map((_, index) => (from + index) % names.length);
  const getName = (index: number) => names[index]?.trim().toLowerCase() ?? '';
  return (
    order.find((index) => getName(index).startsWith(isRepeated ? letter : wanted)) ??
    order.find((index) => getName(index).includes(wanted)) ??
    -1
  );
}

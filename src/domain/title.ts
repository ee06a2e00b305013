const mostInTitle = 200;

/** A title for a text that has none: its first line with something on it. */
export function titleOf(text: string): string {
  const line = text.split(/\r\n?|\n/).find((line) => line.trim() !== '') ?? '';
  return Array.from(line.trim().slice(0, 2 * mostInTitle))
    .slice(0, mostInTitle)
    .join('');
}

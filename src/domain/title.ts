const mostInTitle = 200;

/** A title for a text that has none: its first line with something on it. */
export function titleOf(text: string): string {
  const line = /\S[^\r\n]*/.exec(text)?.[0] ?? '';
  return Array.from(line.slice(0, 2 * mostInTitle))
    .slice(0, mostInTitle)
    .join('')
    .trimEnd();
}

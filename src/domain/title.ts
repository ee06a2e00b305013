const maxTitleLength = 200;

/** A title for a text that has none: its first line with something on it. */
export function titleOf(text: string): string {
  const line = /\S[^\r\n]*/.exec(text)?.[0] ?? '';
  return Array.from(line.slice(0, 2 * maxTitleLength))
    .slice(0, maxTitleLength)
    .join('')
    .trimEnd();
}

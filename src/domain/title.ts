const maxTitleLength = 200;

/** Derives a title from a text: its first non-blank line, shortened. */
export function titleOf(text: string): string {
  const line = /\S[^\r\n]*/.exec(text)?.[0] ?? '';
  return Array.from(line.slice(0, 2 * maxTitleLength))
    .slice(0, maxTitleLength)
    .join('')
    .trimEnd();
}

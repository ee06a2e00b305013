const maxTitleLength = 200;

/**
 * Derives a title from a text: its first non-blank line, shortened, without the marks of a heading. The line that names
 * the interpreter of a script says nothing about it.
 */
export function deriveTitle(text: string): string {
  const said = text.replace(/^#!.*(?=[\r\n]+\s*\S)/, '');
  const [, line = ''] = /(?:#{1,6}[ \t]+)?(\S[^\r\n]*)/.exec(said) ?? [];
  return Array.from(line.slice(0, 2 * maxTitleLength))
    .slice(0, maxTitleLength)
    .join('')
    .trimEnd();
}

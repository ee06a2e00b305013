/**
 * Makes elements of the indented lines of highlighted code. Where they are wrapped, each goes on at its indentation.
 *
 * Example: a long line `    return x` becomes `<span data-indent="4">    return x</span>`. In a string of several lines,
 * `<span class="hljs-string">` is closed before the element and opened again in it, and the same at its end.
 */
import { findLineIndent } from './line-indent.ts';

/** In characters. Shorter lines are not wrapped on any screen. */
const minWrappedLength = 30;

const tagPattern = /<[^>]*>/g;

/** `html`: text and spans. */
export function encloseIndentedLines(html: string): string {
  let openTags: readonly string[] = [];
  return html.replace(/[^\n]+\n?/g, (line) => {
    const before = openTags;
    openTags = listOpenTags(before, line);
    return encloseIfIndented(line, before, openTags);
  });
}

/** The tags of the elements that have begun and not ended after a line. */
function listOpenTags(before: readonly string[], line: string): readonly string[] {
  const open = [...before];
  for (const [tag] of line.matchAll(tagPattern)) {
    if (tag.startsWith('</')) open.pop();
    else open.push(tag);
  }
  return open;
}

function encloseIfIndented(line: string, openBefore: readonly string[], openAfter: readonly string[]): string {
  const text = line.replace(tagPattern, '');
  const indent = text.length < minWrappedLength ? undefined : findLineIndent(text.trimEnd());
  if (!indent) return line;
  const hasLongWord = indent.longWordEnd > indent.textStart;
  const inner = hasLongWord ? encloseFirstWord(line) : line;
  return [
    '</span>'.repeat(openBefore.length),
    `<span data-indent="${indent.width}">`,
    ...openBefore,
    inner,
    '</span>'.repeat(openAfter.length + 1),
    ...openAfter,
  ].join('');
}

/** Encloses the texts of the first word, which may have several tags within. */
function encloseFirstWord(line: string): string {
  let place: 'before' | 'within' | 'behind' = 'before';
  const enclose = (part: string) => {
    if (part === '' || part.startsWith('<') || place === 'behind') return part;
    const isBlank = part.trim() === '';
    if (place === 'within' && isBlank) place = 'behind';
    if (isBlank) return part;
    place = 'within';
    return `<span data-long="">${part}</span>`;
  };
  return line
    .split(/(<[^>]*>|\s+)/)
    .map(enclose)
    .join('');
}

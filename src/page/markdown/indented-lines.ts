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
  const inner = hasLongWord ? encloseFirstWord(line, indent.textStart) : line;
  return [
    '</span>'.repeat(openBefore.length),
    `<span data-indent="${indent.width}">`,
    ...openBefore,
    inner,
    '</span>'.repeat(openAfter.length + 1),
    ...openAfter,
  ].join('');
}

/** Encloses the texts of the first word, which begins `start` characters after the beginning of the line. */
function encloseFirstWord(line: string, start: number): string {
  let at = 0;
  let isEnded = false;
  return line.replace(/<[^>]*>|[^<]+/g, (part) => {
    if (isEnded || part.startsWith('<')) return part;
    const blanks = part.slice(0, Math.max(start - at, 0));
    at += part.length;
    const [word = ''] = /^\S+/.exec(part.slice(blanks.length)) ?? [];
    isEnded = blanks.length + word.length < part.length;
    return word === '' ? part : `${blanks}<span data-long="">${word}</span>${part.slice(blanks.length + word.length)}`;
  });
}

import type { NoteHead } from '../../../core/note.ts';
import { invisiblePattern } from '../../../core/text/invisible-patterns.ts';

/**
 * Formats notes as tab-separated lines: id, title, category, group, color, archived, updatedAt. Characters that would
 * break a line or control a terminal are escaped as `printf %b` reads them: \t, \n, \r, \\, \x1b, \u202e.
 */
export function formatNotesAsTsv(notes: readonly NoteHead[]): string {
  let lines = '';
  for (const { id, title, category, group, color, archived, updatedAt } of notes) {
    lines += `${id}\t${escapeForTsv(title)}\t${category}\t${group}\t${color}\t${archived}\t${updatedAt}\n`;
  }
  return lines;
}

/** Fast path: most titles need no escapes. */
const plainText = /^[ -[\]-~]*$/;

const specialCharacters = /[\\\p{Cc}\u2028\u2029]/gu;

const escapes: Readonly<Record<string, string>> = { '\t': '\\t', '\n': '\\n', '\r': '\\r', '\\': '\\\\' };

const escapeForTsv = (text: string) =>
  plainText.test(text)
    ? text
    : text.replace(specialCharacters, escapeCharacter).replace(invisiblePattern, escapeCharacter);

function escapeCharacter(character: string): string {
  const code = character.charCodeAt(0);
  const number = code < 0x80 ? `x${code.toString(16).padStart(2, '0')}` : `u${code.toString(16).padStart(4, '0')}`;
  return escapes[character] ?? `\\${number}`;
}

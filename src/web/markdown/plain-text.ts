import type { Note } from '../../domain/note.ts';

/** Whether a note is shown otherwise than it is written. */
export const isMarkdown = ({ category }: Pick<Note, 'category'>): boolean =>
  category !== 'css' && category !== 'bash-commands' && category !== 'host-town';

/** Lines that say nothing by themselves: rules, fences of code, the rule below the head of a table. */
const silentLine = /^[ \t>]*(?:([-*_])(?:[ \t]*\1){2,}|(?:```|~~~).*|(?=[ \t:|]*-[ \t:-]*\|)[ \t:|-]*)[ \t]*$/gm;

/** What a line begins with: quotes, then a heading, or an item of a list with its box. */
const lineStart = /^[ \t]*(?:>[ \t]?)*(?:#{1,6}[ \t]+|(?:[-*+]|\d{1,9}[.)])[ \t]+(?:\[[ xX]\][ \t]+)?)?/gm;

const inline = [
  [/!?\[([^[\]\n]*)\]\([^()\s]*(?:[ \t]+"[^"\n]*")?\)/g, '$1'],
  [/(`+)(?!`)([^`\n]+)\1(?!`)/g, '$2'],
  [/(\*\*|__|~~)(?=\S)([^\n]*?\S)\1/g, '$2'],
  [/(?<!\\)\*(?=[^\s*])([^*\n]*[^\s*])\*/g, '$1'],
  [/(?<![\p{L}\p{N}_])_(?=[^\s_])([^_\n]*[^\s_])_(?![\p{L}\p{N}_])/gu, '$1'],
  [/\\([!-/:-@[-`{-~])/g, '$1'],
] as const;

/** A row of a table. */
const tableRow = /^[ \t]*\|.*/gm;

/** A Markdown text without its marks, for an excerpt: some hundred characters at most, as it is called for each row. */
export const withoutMarks = (text: string): string =>
  inline.reduce<string>(
    (plain, [mark, kept]) => plain.replace(mark, kept),
    text
      .replace(silentLine, '')
      .replace(tableRow, (row) => row.replaceAll('|', ' '))
      .replace(lineStart, ''),
  );

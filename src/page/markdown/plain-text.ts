import type { Note } from '../../core/note.ts';

const plainCategories: ReadonlySet<Note['category']> = new Set(['css', 'bash-commands', 'host-town']);

/** Notes of these categories are code, which reads from left to right. */
const codeLanguages: Readonly<Partial<Record<Note['category'], 'css' | 'bash'>>> = {
  css: 'css',
  'bash-commands': 'bash',
};

export const findCategoryLanguage = (category: Note['category']) => codeLanguages[category];

export const isCodeCategory = (category: Note['category']): boolean => findCategoryLanguage(category) !== undefined;

export const isMarkdownCategory = (category: Note['category']): boolean => !plainCategories.has(category);

/**
 * Prompts are instructions in words, whatever they quote: they are wrapped as prose. Code in fences is code in them
 * too.
 */
export const isAlwaysProse = (category: Note['category']): boolean => category === 'prompts';

/** Lines without text: thematic breaks, lines below headings, code fences, delimiter rows of tables. */
const silentLinePattern =
  /^[ \t>]*(?:([-*_=])(?:[ \t]*\1){2,}|(?:```|~~~).*|(?=[ \t:|]*-[ \t:-]*\|)[ \t:|-]*)[ \t]*$/gm;

/** The marks at the start of a line: block quotes, then a heading or a list item with its task box. */
const lineStartPattern = /^[ \t]*(?:>[ \t]?)*(?:#{1,6}[ \t]+|(?:[-*+]|\d{1,9}[.)])[ \t]+(?:\[[ xX]\][ \t]+)?)?/gm;

const inlineReplacements = [
  [/!?\[([^[\]\n]*)\]\([^()\s]*(?:[ \t]+"[^"\n]*")?\)/g, '$1'],
  [/(`+)(?!`)([^`\n]+)\1(?!`)/g, '$2'],
  [/(\*\*|__|~~)(?=\S)([^\n]*?\S)\1/g, '$2'],
  [/(?<!\\)\*(?=[^\s*])([^*\n]*[^\s*])\*/g, '$1'],
  [/(?<![\p{L}\p{N}_])_(?=[^\s_])([^_\n]*[^\s_])_(?![\p{L}\p{N}_])/gu, '$1'],
  [/\\([!-/:-@[-`{-~])/g, '$1'],
] as const;

const tableRowPattern = /^[ \t]*\|.*/gm;

/** Strips Markdown syntax from an excerpt. Runs for every row of the list: pass a few hundred characters at most. */
export const removeMarkdownSyntax = (text: string): string =>
  inlineReplacements.reduce<string>(
    (plain, [mark, kept]) => plain.replace(mark, kept),
    text
      .replace(silentLinePattern, '')
      .replace(tableRowPattern, (row) => row.replaceAll('|', ' '))
      .replace(lineStartPattern, ''),
  );

/**
 * What stays of the line of a title when a word of it is cut, and at most three more letters; then lines without words.
 */
const scrapsPattern =
  /^[^\p{L}\p{N}]*$|^[\p{L}\p{N}]*[^\p{L}\p{N}\r\n]*(?:[\p{L}\p{N}]{1,3}[^\p{L}\p{N}\r\n]*)?[\r\n](?:[^\p{L}\p{N}\r\n]*[\r\n])*/u;

/** Removes scraps from the text behind a title. Example: of " {\n  color: red" the second line stays. */
export const removeScrapsBehindTitle = (text: string): string => text.replace(scrapsPattern, '');

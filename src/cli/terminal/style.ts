import type { Environment } from '../../config.ts';
import type { Note } from '../../core/note.ts';
import { invisible } from '../../core/tools/invisible-characters.ts';
import type { Output } from '../io.ts';

/** Highlights texts for one output, by escape sequences or not at all. */
export interface Style {
  readonly hasColor: boolean;
  bold(text: string): string;
  dim(text: string): string;
  underline(text: string): string;
  /** Uses the terminal colour nearest to the colour of a note. */
  color(name: Note['color'], text: string): string;
}

const ansiColors = {
  primary: 34,
  secondary: 35,
  accent: 36,
  neutral: 90,
  info: 94,
  success: 32,
  warning: 33,
  error: 31,
} as const satisfies Record<Note['color'], number>;

/** Returns the style for an output, by https://no-color.org and https://bixense.com/clicolors. */
export function createStyle(output: Output, env: Environment): Style {
  const hasColor = shouldUseColor(output, env);
  const sgr = (on: number, off: number) => (text: string) => (hasColor ? `\x1b[${on}m${text}\x1b[${off}m` : text);
  return {
    hasColor,
    bold: sgr(1, 22),
    dim: sgr(2, 22),
    underline: sgr(4, 24),
    color: (name, text) => sgr(ansiColors[name], 39)(text),
  };
}

function shouldUseColor(output: Output, env: Environment): boolean {
  if (env['NO_COLOR']) return false;
  const forced = env['CLICOLOR_FORCE'];
  if (forced && forced !== '0') return true;
  return output.isTTY === true && env['TERM'] !== 'dumb' && env['CLICOLOR'] !== '0';
}

/** Whether the terminal can only print lines. */
export const isDumbTerminal = (env: Environment): boolean => env['TERM'] === 'dumb';

const controls = /[\p{Cc}\u2028\u2029]/gu;
const controlsInLines = /(?![\t\n])[\p{Cc}\u2028\u2029]/gu;

const replacement = '\ufffd';

/** Returns the Unicode symbol for a control character, such as ␛ for ESC. */
function toControlPicture(control: string): string {
  const code = control.charCodeAt(0);
  if (code < 0x20) return String.fromCharCode(0x2400 + code);
  return code === 0x7f ? '\u2421' : replacement;
}

/**
 * Makes a text safe to print as one line: replaces control, bidirectional and invisible characters, since a note may
 * come from anywhere.
 */
export const toPrintableLine = (text: string): string =>
  singleWidthText.test(text) ? text : text.replace(controls, toControlPicture).replace(invisible, replacement);

export const quotePrintable = (text: string): string => toPrintableLine(JSON.stringify(text));

/** Like `printable`, but keeps line breaks and tabs. */
export const toPrintableText = (text: string): string =>
  text.replaceAll('\r\n', '\n').replace(controlsInLines, toControlPicture).replace(invisible, replacement);

/** JSON without terminal control characters: `JSON.stringify` escapes only those below U+0020. */
export const encodePrintableJson = (value: unknown): string =>
  JSON.stringify(value).replace(/[\x7f-\x9f]/g, (control) => `\\u00${control.charCodeAt(0).toString(16)}`);

/** Texts of characters that are one column wide each; most texts are. */
const singleWidthText = /^[ -~]*$/;

/** Width of a printable text on a terminal, in columns. */
export const measureWidth = (text: string): number =>
  singleWidthText.test(text) ? text.length : Bun.stringWidth(text);

/** Size of a terminal; a common one if it is unknown, which some consoles report as 0. */
export const getTerminalSize = ({ columns, rows }: Pick<Output, 'columns' | 'rows'>) => ({
  columns: columns || 80,
  rows: rows || 24,
});

/** Height of a printable text on a terminal with the given number of columns, in rows. */
export const countRows = (text: string, columns: number): number =>
  text.split('\n').reduce((sum, line) => sum + Math.max(1, Math.ceil(measureWidth(line) / columns)), 0);

/** Truncates a text to `columns` columns, with … at the end. */
export function truncateToWidth(text: string, columns: number): string {
  if (measureWidth(text) <= columns) return text;
  const room = columns - 1;
  const start = Bun.sliceAnsi(text, 0, room);
  const isOver = measureWidth(start) > room; // sliceAnsi includes a wide character of which only half fits
  return `${isOver ? Bun.sliceAnsi(text, 0, room - 1) : start}…`;
}

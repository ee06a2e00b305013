import type { Environment } from '../../config/settings-table.ts';
import type { Note } from '../../core/note.ts';
import type { Output } from '../io.ts';

/** Highlights texts for one output, by escape sequences or not at all. */
export interface Style {
  readonly hasColor: boolean;
  bold(text: string): string;
  dim(text: string): string;
  underline(text: string): string;
  /** Uses the terminal colour nearest to the colour of a note; none for a colour of a later version of the service. */
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
export function createStyleForOutput(output: Output, env: Environment): Style {
  const hasColor = shouldUseColor(output, env);
  const sgr = (on: number, off: number) => (text: string) => (hasColor ? `\x1b[${on}m${text}\x1b[${off}m` : text);
  return {
    hasColor,
    bold: sgr(1, 22),
    dim: sgr(2, 22),
    underline: sgr(4, 24),
    color: (name, text) => (Object.hasOwn(ansiColors, name) ? sgr(ansiColors[name], 39)(text) : text),
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

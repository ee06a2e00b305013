import type { Command } from 'commander';

type Row = readonly [text: string, meaning: string];

/** Prepends examples to the help of a command. */
export const withExamples = (command: Command, examples: readonly Row[]): Command =>
  command.addHelpText('before', twoColumns('Examples:', examples));

/** Formats rows of texts and their meanings below a heading. */
export function twoColumns(heading: string, rows: readonly Row[]): string {
  const width = Math.max(...rows.map(([text, meaning]) => (meaning === '' ? 0 : text.length)));
  const lines = rows.map(([text, meaning]) => `  ${text.padEnd(width)}  ${meaning}`.trimEnd());
  return `${[heading, ...lines].join('\n')}\n`;
}

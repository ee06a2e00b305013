import type { Command } from 'commander';

type Row = readonly [text: string, meaning: string];

/** Puts examples in front of a command's help. */
export const withExamples = (command: Command, examples: readonly Row[]): Command =>
  command.addHelpText('before', twoColumns('Examples:', examples));

/** Texts and what they mean, under a heading. */
export function twoColumns(heading: string, rows: readonly Row[]): string {
  const width = Math.max(...rows.map(([text, meaning]) => (meaning === '' ? 0 : text.length)));
  const lines = rows.map(([text, meaning]) => `  ${text.padEnd(width)}  ${meaning}`.trimEnd());
  return `${[heading, ...lines].join('\n')}\n`;
}

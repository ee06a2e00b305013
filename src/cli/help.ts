import type { Command } from 'commander';

type Example = readonly [command: string, meaning: string];

/** Puts examples in front of a command's help. */
export function withExamples(command: Command, examples: readonly Example[]): Command {
  const width = Math.max(...examples.map(([text, meaning]) => (meaning === '' ? 0 : text.length)));
  const lines = examples.map(([text, meaning]) => `  ${text.padEnd(width)}  ${meaning}`.trimEnd());
  return command.addHelpText('before', `Examples:\n${lines.join('\n')}\n`);
}

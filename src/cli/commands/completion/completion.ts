import type { Command } from 'commander';
import { bashCompletion } from './bash.ts';
import { fishCompletion } from './fish.ts';
import type { Shell } from './shells.ts';
import { type CommandWords, wordsOf } from './words.ts';
import { zshCompletion } from './zsh.ts';

const completions = {
  bash: bashCompletion,
  zsh: zshCompletion,
  fish: fishCompletion,
} as const satisfies Record<Shell, (commands: readonly CommandWords[]) => string>;

/** Returns shell code that completes arguments of `notes`. */
export const completionFor = (shell: Shell, program: Command): string => completions[shell](wordsOf(program));

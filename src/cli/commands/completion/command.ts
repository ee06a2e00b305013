import { Argument } from 'commander';
import { withExamples } from '../../help.ts';
import type { AddCommand } from '../../io.ts';
import { type Shell, shells, wordsOf } from './words.ts';

export const addCompletion: AddCommand = (program, io, run) => {
  const command = program
    .command('completion')
    .summary('print a completion script for a shell')
    .description('print a script that makes a shell complete commands, options and their values')
    .addArgument(new Argument('<shell>').choices(shells));
  withExamples(command, [
    ['eval "$(notes completion bash)"', 'in ~/.bashrc'],
    ['eval "$(notes completion zsh)"', 'in ~/.zshrc, after compinit'],
    ['notes completion fish | source', 'in ~/.config/fish/config.fish'],
  ]).action(
    run(async (shell: Shell) => {
      const complete = await completions[shell]();
      io.stdout.write(complete(wordsOf(program)));
    }),
  );
};

const completions = {
  bash: async () => (await import('./bash.ts')).bashCompletion,
  zsh: async () => (await import('./zsh.ts')).zshCompletion,
  fish: async () => (await import('./fish.ts')).fishCompletion,
} as const satisfies Record<Shell, unknown>;

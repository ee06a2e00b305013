import { Argument } from 'commander';
import { withExamples } from '../../help.ts';
import type { AddCommand } from '../../io.ts';
import { type Shell, shells } from './shells.ts';

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
      const { completionFor } = await import('./completion.ts');
      io.stdout.write(completionFor(shell, program));
      return 0;
    }),
  );
};

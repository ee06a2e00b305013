import { Argument } from 'commander';
import { withExamples } from '../../help.ts';
import type { AddCommand } from '../../io.ts';
import { type Shell, shells } from '../completion/words.ts';

export const addWidget: AddCommand = (program, io, run) => {
  const command = program
    .command('widget')
    .summary('print a script that puts notes on the prompt (Ctrl+G)')
    .description(
      'print a script for a shell: Ctrl+G puts a picked command on the prompt without running it, ' +
        'Alt+G any note. "notes last" needs it too',
    )
    .addArgument(new Argument('<shell>').choices(shells));
  withExamples(command, [
    ['eval "$(notes widget bash)"', 'in ~/.bashrc'],
    ['eval "$(notes widget zsh)"', 'in ~/.zshrc'],
    ['notes widget fish | source', 'in ~/.config/fish/config.fish'],
  ]).action(
    run(async (shell: Shell) => {
      const { widgets } = await import('./widgets.ts');
      io.stdout.write(widgets[shell]);
    }),
  );
};

import { Argument } from 'commander';
import { addExamples } from '../../flags.ts';
import type { DefineCommand } from '../../io.ts';
import { type Shell, scripts, shells } from './completion-scripts.ts';
export const defineCompletionCommand: DefineCommand = (program, io, run) => {
  const command = program
    .command('completion')
    .summary('print a completion script for a shell')
    .description('print a script that makes a shell complete commands, options and their values, ids and titles')
    .addArgument(new Argument('<shell>').choices(shells));
  addExamples(command, [
    ['eval "$(notes completion bash)"', 'in ~/.bashrc'],
    ['eval "$(notes completion zsh)"', 'in ~/.zshrc, after compinit'],
    ['notes completion fish | source', 'in ~/.config/fish/config.fish'],
  ]).action(run(async (shell: Shell) => void io.stdout.write(scripts[shell])));
};

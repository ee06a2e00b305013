import { Argument } from 'commander';
import { prependExamplesToHelp } from '../../flags.ts';
import type { RegisterCommand } from '../../io.ts';
import { type Shell, scripts, shells } from './completion-scripts.ts';
export const registerCompletionCommand: RegisterCommand = (program, io, run) => {
  const command = program
    .command('completion')
    .summary('print a completion script for a shell')
    .description('print a script that makes a shell complete commands, options and their values, ids and titles')
    .addArgument(new Argument('<shell>').choices(shells));
  prependExamplesToHelp(command, [
    ['eval "$(notes completion bash)"', 'in ~/.bashrc'],
    ['eval "$(notes completion zsh)"', 'in ~/.zshrc, after compinit'],
    ['notes completion fish | source', 'in ~/.config/fish/config.fish'],
  ]).action(run(async (shell: Shell) => void io.stdout.write(scripts[shell])));
};

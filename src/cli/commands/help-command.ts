import type { Command } from 'commander';
import type { RegisterCommand } from '../io.ts';

/** Replaces the help command of commander, which shows the whole help for unknown commands. */
export const registerHelpCommand: RegisterCommand = (program, _io, run) => {
  program
    .helpCommand(false)
    .command('help [command]')
    .summary('show what a command does')
    .description('show what a command does, as its --help')
    .action(
      run(async (name?: string) => {
        const isKnown = program.commands.some((one) => listNamesAndAliases(one).includes(name ?? ''));
        if (name === undefined) program.outputHelp();
        else await program.parseAsync(isKnown ? [name, '--help'] : [name], { from: 'user' });
        return 0;
      }),
    );
};

export const listNamesAndAliases = (command: Command): readonly string[] => [command.name(), ...command.aliases()];

import type { AddCommand } from '../io.ts';

/** Replaces the help command of commander, which shows the whole help for unknown commands. */
export const addHelp: AddCommand = (program, _io, run) => {
  program
    .helpCommand(false)
    .command('help [command]')
    .summary('show what a command does')
    .description('show what a command does, as its --help')
    .action(
      run(async (name?: string) => {
        const isKnown = program.commands.some((one) => [one.name(), ...one.aliases()].includes(name ?? ''));
        if (name === undefined) program.outputHelp();
        else await program.parseAsync(isKnown ? [name, '--help'] : [name], { from: 'user' });
        return 0;
      }),
    );
};

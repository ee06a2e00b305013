import { Command, Help } from 'commander';
import packageJson from '../../package.json' with { type: 'json' };
import { versionText } from '../core/build-info.ts';
import { commandTable, findCommandRegistration, isOverviewCommand } from './commands/command-table.ts';
import { listNamesAndAliases } from './commands/help-command.ts';
import { loadFormatsAndAddChoicesToImport } from './commands/import/import-command.ts';
import { type ExitCode, exitCodes } from './exit-code.ts';
import { formatTwoColumnSection, prependExamplesToHelp } from './flags.ts';
import { canPrompt, type Io, type WrapAction } from './io.ts';
import { rewordUsageErrorText } from './reword-usage-error.ts';
import { toPrintableText } from './terminal/printable-text.ts';

/** Runs the command named by the arguments of the process and returns its exit code. */
export async function runProgramOrThrow(io: Io): Promise<ExitCode> {
  let exitCode: ExitCode = 0;
  const typed = process.argv.slice(2);
  const isBare = typed.length === 0 && canPrompt(io) && io.stdout.isTTY === true;
  const words = isBare ? ['copy', '--pick'] : typed;
  const [name = ''] = words;
  const program = createProgramForCommand(name, io, (action) => async (...args) => {
    exitCode = (await action(...args)) ?? 0;
  });
  if (words.includes('import')) await loadFormatsAndAddChoicesToImport(program);
  const isUnknown =
    /^\w/.test(name) && program.commands.every((command) => !listNamesAndAliases(command).includes(name));
  await program.parseAsync(isUnknown ? [name] : words, { from: 'user' }); // its --help would be that of the program
  return exitCode;
}

/** Creates the program with the command of this name alone, which starts faster; with all commands if none has it. */
function createProgramForCommand(name: string, io: Io, run: WrapAction): Command {
  const program = prependExamplesToHelp(new Command('notes'), [
    ['notes serve', 'the service, with its page'],
    ['notes add -m "git reset --soft HEAD~1" Undo the last commit', ''],
    ['notes copy undo commit', 'into the clipboard'],
    ['notes', 'on a terminal, finds a note and copies it'],
  ])
    .description(packageJson.description)
    .version(versionText, '-V, --version', 'show the version, its commit and date')
    .enablePositionalOptions() // a command may have its own --version
    .helpOption('-h, --help', 'show this help')
    .addHelpText(
      'after',
      `\n${formatHelpSection('Exit codes:', exitCodes)}\n${formatHelpSection('Environment:', environmentVariables)}`,
    )
    .configureHelp({ subcommandTerm: (command) => new Help().subcommandTerm(command).replace(' [options]', '') })
    .configureOutput({
      writeOut: (text) => void io.stdout.write(text),
      writeErr: (text) => void io.stderr.write(text),
      outputError: (text, write) => write(toPrintableText(rewordUsageErrorText(text, io.env))),
    })
    .showHelpAfterError('Try "notes --help"')
    .exitOverride();
  registerCommandOrAll(program, name, io, run);
  for (const command of program.commands) command.showHelpAfterError(`Try "notes ${command.name()} --help"`);
  return program;
}

/**
 * Adds the command of this name to the program, as creating all of them takes longer than most commands run. Adds all
 * commands, below their headings, if there is no command of this name or if it needs the others.
 */
function registerCommandOrAll(program: Command, name: string, io: Io, run: WrapAction): void {
  const registerOnlyCommand = isOverviewCommand(name) ? undefined : findCommandRegistration(name);
  registerOnlyCommand?.(program, io, run);
  if (registerOnlyCommand !== undefined) return;
  for (const [heading, registrations] of Object.entries(commandTable)) {
    program.commandsGroup(heading);
    for (const registerCommand of new Set(Object.values(registrations))) registerCommand(program, io, run);
  }
}

/** Variables that the commands on notes read. docs/operations/settings.md lists those of the service. */
const environmentVariables = {
  NOTES_URL: 'the service to use, as --url',
  NOTES_TOKEN: 'its access token; NOTES_TOKEN_FILE names a file with it',
  DATABASE_URL: 'the database to work on, as --db',
  NOTES_EDITOR: 'the editor, else VISUAL, else EDITOR',
  PAGER: 'the pager for notes longer than the screen, else less',
} as const;

const formatHelpSection = (heading: string, texts: Readonly<Record<string, string>>) =>
  formatTwoColumnSection(heading, Object.entries(texts));

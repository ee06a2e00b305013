import { Command, Help } from 'commander';
import packageJson from '../../package.json' with { type: 'json' };
import type { Environment } from '../config.ts';
import { versionText } from '../core/tools/build-info.ts';
import { defineAddCommand } from './commands/add-command.ts';
import { defineArchiveCommand, defineUnarchiveCommand } from './commands/archive-command.ts';
import { defineBackupCommand } from './commands/backup-command.ts';
import { defineCompleteCommand, defineCompletionCommand } from './commands/completion/completion-command.ts';
import { defineWidgetCommand } from './commands/completion/widget-command.ts';
import { defineDoctorCommand } from './commands/doctor/doctor-command.ts';
import { defineEditCommand } from './commands/edit-command.ts';
import { defineExportCommand } from './commands/export/export-command.ts';
import { defineHistoryCommand } from './commands/history-command.ts';
import { defineImportCommand, defineSyncCommand } from './commands/import/import-command.ts';
import { defineLabelsCommand } from './commands/labels-command.ts';
import { defineLastCommand } from './commands/last-command.ts';
import { defineListCommand } from './commands/list/list-command.ts';
import { defineMcpCommand } from './commands/mcp/mcp-command.ts';
import { defineMigrateCommand } from './commands/migrate/migrate-command.ts';
import { defineRestoreCommand } from './commands/restore-command.ts';
import { defineRevertCommand } from './commands/revert-command.ts';
import { defineServeCommand } from './commands/serve-command.ts';
import { defineCopyCommand, defineShowCommand } from './commands/show/show-command.ts';
import { type ExitCode, exitCodes } from './exit-code.ts';
import { addExamples, formatTwoColumns } from './flags.ts';
import { type DefineCommand, type Io, isInteractive, type WrapAction } from './io.ts';
import { toPrintableText } from './terminal/style.ts';

/** Replaces the help command of commander, which shows the whole help for unknown commands. */
const defineHelpCommand: DefineCommand = (program, _io, run) => {
  program
    .helpCommand(false)
    .command('help [command]')
    .summary('show what a command does')
    .description('show what a command does, as its --help')
    .action(
      run(async (name?: string) => {
        const isKnown = program.commands.some((one) => listCommandNames(one).includes(name ?? ''));
        if (name === undefined) program.outputHelp();
        else await program.parseAsync(isKnown ? [name, '--help'] : [name], { from: 'user' });
        return 0;
      }),
    );
};

/** By heading and name, in the order of the help. */
const commands: Readonly<Record<string, Readonly<Record<string, DefineCommand>>>> = {
  'Notes:': {
    add: defineAddCommand,
    last: defineLastCommand,
    list: defineListCommand,
    ls: defineListCommand,
    show: defineShowCommand,
    copy: defineCopyCommand,
    edit: defineEditCommand,
    archive: defineArchiveCommand,
    unarchive: defineUnarchiveCommand,
    labels: defineLabelsCommand,
  },
  'History:': { history: defineHistoryCommand, revert: defineRevertCommand },
  'Import and export:': {
    export: defineExportCommand,
    import: defineImportCommand,
    sync: defineSyncCommand,
    backup: defineBackupCommand,
    restore: defineRestoreCommand,
    migrate: defineMigrateCommand,
  },
  'Service:': { serve: defineServeCommand, mcp: defineMcpCommand, doctor: defineDoctorCommand },
  'Shell:': {
    completion: defineCompletionCommand,
    complete: defineCompleteCommand,
    widget: defineWidgetCommand,
    help: defineHelpCommand,
  },
};

/** Commands that describe all others. */
const overviewCommands = ['complete', 'help'];

/** Runs the command named by the arguments of the process and returns its exit code. */
export async function runProgram(io: Io): Promise<ExitCode> {
  let exitCode: ExitCode = 0;
  const given = process.argv.slice(2);
  const isBare = given.length === 0 && isInteractive(io) && io.stdout.isTTY === true;
  const words = isBare ? ['copy', '--pick'] : given;
  const [name = ''] = words;
  const program = createProgram(name, io, (action) => async (...args) => {
    exitCode = (await action(...args)) ?? 0;
  });
  const isUnknown = /^\w/.test(name) && program.commands.every((command) => !listCommandNames(command).includes(name));
  await program.parseAsync(isUnknown ? [name] : words, { from: 'user' }); // its --help would be that of the program
  return exitCode;
}

const listCommandNames = (command: Command): readonly string[] => [command.name(), ...command.aliases()];

function createProgram(name: string, io: Io, run: WrapAction): Command {
  const program = addExamples(new Command('notes'), [
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
      outputError: (text, write) => write(toPrintableText(rewordUsageError(text, io.env))),
    })
    .showHelpAfterError('Try "notes --help"')
    .exitOverride();
  const named = findCommandDefinition(name);
  for (const [heading, additions] of named ? [] : Object.entries(commands)) {
    program.commandsGroup(heading);
    for (const add of new Set(Object.values(additions))) add(program, io, run);
  }
  named?.(program, io, run);
  for (const command of program.commands) command.showHelpAfterError(`Try "notes ${command.name()} --help"`);
  return program;
}

/** The command to create alone, as creating all of them takes longer than most commands run. */
function findCommandDefinition(name: string): DefineCommand | undefined {
  if (overviewCommands.includes(name)) return undefined;
  return Object.values(commands).find((additions) => Object.hasOwn(additions, name))?.[name];
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
  formatTwoColumns(heading, Object.entries(texts));

/** Command names that users of other programs may type, and their equivalents here. */
const equivalentCommands: Readonly<Record<string, string>> = {
  search: 'list',
  find: 'list',
  grep: 'list',
  rm: 'archive',
  remove: 'archive',
  del: 'archive',
  delete: 'archive',
  get: 'show',
  cat: 'show',
  view: 'show',
  cp: 'copy',
  clip: 'copy',
  yank: 'copy',
  undo: 'revert',
  new: 'add',
  create: 'add',
  update: 'edit',
  start: 'serve',
};

/** Rewords a usage error of commander in the style of other errors, with a suggestion. */
export function rewordUsageError(text: string, env: Environment): string {
  const [, name = ''] = /^error: unknown command '(.*)'/.exec(text) ?? [];
  const meant = Object.hasOwn(equivalentCommands, name) ? equivalentCommands[name] : undefined;
  if (meant !== undefined)
    return `notes: Unknown command '${name}'\n(Did you mean ${meant}?${formatCommandHint(meant)})\n`;
  const reworded = text.replace(/^error: ./, (start) => `notes: ${start.slice(-1).toUpperCase()}`);
  if (/arguments for 'serve'/.test(text) && env['npm_lifecycle_event'])
    return `${reworded}(With npm: npm start -- --port 4000)\n`;
  const [, flag = ''] = /option '(--db|--url)\b/.exec(text) ?? [];
  const example = flagExamples[flag];
  if (example !== undefined) return `${reworded}(Options follow the command: notes list ${example})\n`;
  const isText = /option '--(content|text|body)\b/.test(text);
  return isText ? `${reworded}(Give a text with -m, -f or on standard input)\n` : reworded;
}

/** How to give these flags, which many type before the command. */
const flagExamples: Readonly<Record<string, string>> = {
  '--db': '--db notes.db',
  '--url': '--url http://127.0.0.1:3000',
};

const formatCommandHint = (command: string) => (command === 'archive' ? ' Notes are archived, not deleted' : '');

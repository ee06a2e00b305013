import { Command, Help } from 'commander';
import packageJson from '../../package.json' with { type: 'json' };
import type { Environment } from '../config.ts';
import { versionText } from '../core/tools/build-info.ts';
import { addAdd } from './commands/add.ts';
import { addArchive, addUnarchive } from './commands/archive.ts';
import { addBackup } from './commands/backup.ts';
import { addComplete, addCompletion } from './commands/completion.ts';
import { addDoctor } from './commands/doctor/command.ts';
import { addEdit } from './commands/edit.ts';
import { addExport } from './commands/export/command.ts';
import { addHistory } from './commands/history.ts';
import { addImport, addSync } from './commands/import/command.ts';
import { addLabels } from './commands/labels.ts';
import { addLast } from './commands/last.ts';
import { addList } from './commands/list.ts';
import { addMcp } from './commands/mcp.ts';
import { addMigrate } from './commands/migrate/command.ts';
import { addRestore } from './commands/restore.ts';
import { addRevert } from './commands/revert.ts';
import { addServe } from './commands/serve.ts';
import { addCopy, addShow } from './commands/show.ts';
import { addWidget } from './commands/widget.ts';
import { type ExitCode, exitCodes } from './exit-code.ts';
import { twoColumns, withExamples } from './flags.ts';
import { type AddCommand, type Io, isInteractive, type Run } from './io.ts';
import { printableLines } from './terminal/style.ts';

/** Replaces the help command of commander, which shows the whole help for unknown commands. */
const addHelp: AddCommand = (program, _io, run) => {
  program
    .helpCommand(false)
    .command('help [command]')
    .summary('show what a command does')
    .description('show what a command does, as its --help')
    .action(
      run(async (name?: string) => {
        const isKnown = program.commands.some((one) => namesOf(one).includes(name ?? ''));
        if (name === undefined) program.outputHelp();
        else await program.parseAsync(isKnown ? [name, '--help'] : [name], { from: 'user' });
        return 0;
      }),
    );
};

/** By heading and name, in the order of the help. */
const commands: Readonly<Record<string, Readonly<Record<string, AddCommand>>>> = {
  'Notes:': {
    add: addAdd,
    last: addLast,
    list: addList,
    ls: addList,
    show: addShow,
    copy: addCopy,
    edit: addEdit,
    archive: addArchive,
    unarchive: addUnarchive,
    labels: addLabels,
  },
  'History:': { history: addHistory, revert: addRevert },
  'Import and export:': {
    export: addExport,
    import: addImport,
    sync: addSync,
    backup: addBackup,
    restore: addRestore,
    migrate: addMigrate,
  },
  'Service:': { serve: addServe, mcp: addMcp, doctor: addDoctor },
  'Shell:': { completion: addCompletion, complete: addComplete, widget: addWidget, help: addHelp },
};

/** Commands that describe all others. */
const overviews = ['complete', 'help'];

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
  const isUnknown = /^\w/.test(name) && program.commands.every((command) => !namesOf(command).includes(name));
  await program.parseAsync(isUnknown ? [name] : words, { from: 'user' }); // its --help would be that of the program
  return exitCode;
}

const namesOf = (command: Command): readonly string[] => [command.name(), ...command.aliases()];

function createProgram(name: string, io: Io, run: Run): Command {
  const program = withExamples(new Command('notes'), [
    ['notes serve', 'the service, with its page'],
    ['notes add -m "git reset --soft HEAD~1" Undo the last commit', ''],
    ['notes copy undo commit', 'into the clipboard'],
    ['notes', 'on a terminal, finds a note and copies it'],
  ])
    .description(packageJson.description)
    .version(versionText, '-V, --version', 'show the version, its commit and date')
    .enablePositionalOptions() // a command may have its own --version
    .helpOption('-h, --help', 'show this help')
    .addHelpText('after', `\n${helpOn('Exit codes:', exitCodes)}\n${helpOn('Environment:', variables)}`)
    .configureHelp({ subcommandTerm: (command) => new Help().subcommandTerm(command).replace(' [options]', '') })
    .configureOutput({
      writeOut: (text) => void io.stdout.write(text),
      writeErr: (text) => void io.stderr.write(text),
      outputError: (text, write) => write(printableLines(usageErrorOf(text, io.env))),
    })
    .showHelpAfterError('Try "notes --help"')
    .exitOverride();
  const named = commandNamed(name);
  for (const [heading, additions] of named ? [] : Object.entries(commands)) {
    program.commandsGroup(heading);
    for (const add of new Set(Object.values(additions))) add(program, io, run);
  }
  named?.(program, io, run);
  for (const command of program.commands) command.showHelpAfterError(`Try "notes ${command.name()} --help"`);
  return program;
}

/** The command to create alone, as creating all of them takes longer than most commands run. */
function commandNamed(name: string): AddCommand | undefined {
  if (overviews.includes(name)) return undefined;
  return Object.values(commands).find((additions) => Object.hasOwn(additions, name))?.[name];
}

/** Variables that the commands on notes read. docs/operations/settings.md lists those of the service. */
const variables = {
  NOTES_URL: 'the service to use, as --url',
  NOTES_TOKEN: 'its access token; NOTES_TOKEN_FILE names a file with it',
  DATABASE_URL: 'the database to work on, as --db',
  NOTES_EDITOR: 'the editor, else VISUAL, else EDITOR',
  PAGER: 'the pager for notes longer than the screen, else less',
} as const;

const helpOn = (heading: string, texts: Readonly<Record<string, string>>) => twoColumns(heading, Object.entries(texts));

/** Command names that users of other programs may type, and their equivalents here. */
const commandFor: Readonly<Record<string, string>> = {
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
export function usageErrorOf(text: string, env: Environment): string {
  const [, name = ''] = /^error: unknown command '(.*)'/.exec(text) ?? [];
  const meant = Object.hasOwn(commandFor, name) ? commandFor[name] : undefined;
  if (meant !== undefined) return `notes: Unknown command '${name}'\n(Did you mean ${meant}?${noteOn(meant)})\n`;
  const reworded = text.replace(/^error: ./, (start) => `notes: ${start.slice(-1).toUpperCase()}`);
  if (/arguments for 'serve'/.test(text) && env['npm_lifecycle_event'])
    return `${reworded}(With npm: npm start -- --port 4000)\n`;
  const [, flag = ''] = /option '(--db|--url)\b/.exec(text) ?? [];
  const example = exampleFor[flag];
  if (example !== undefined) return `${reworded}(Options follow the command: notes list ${example})\n`;
  const isText = /option '--(content|text|body)\b/.test(text);
  return isText ? `${reworded}(Give a text with -m, -f or on standard input)\n` : reworded;
}

/** How to give these flags, which many type before the command. */
const exampleFor: Readonly<Record<string, string>> = {
  '--db': '--db notes.db',
  '--url': '--url http://127.0.0.1:3000',
};

const noteOn = (command: string) => (command === 'archive' ? ' Notes are archived, not deleted' : '');

import { Command, Help } from 'commander';
import packageJson from '../../package.json' with { type: 'json' };
import { versionText } from '../core/tools/build-info.ts';
import { addAdd } from './commands/add.ts';
import { addArchive, addUnarchive } from './commands/archive.ts';
import { addBackup } from './commands/backup/command.ts';
import { addRestore } from './commands/backup/restore.ts';
import { addCompletion } from './commands/completion/command.ts';
import { addDoctor } from './commands/doctor/command.ts';
import { addEdit } from './commands/edit/command.ts';
import { addExport } from './commands/export/command.ts';
import { addHelp } from './commands/help.ts';
import { addHistory } from './commands/history.ts';
import { addImport } from './commands/import/command.ts';
import { addLabels } from './commands/labels/command.ts';
import { addLast } from './commands/last.ts';
import { addList } from './commands/list/command.ts';
import { addMcp } from './commands/mcp/command.ts';
import { addMigrate } from './commands/migrate/command.ts';
import { addRevert } from './commands/revert.ts';
import { addServe } from './commands/serve.ts';
import { addShow } from './commands/show/command.ts';
import { addSync } from './commands/sync/command.ts';
import { addWidget } from './commands/widget/command.ts';
import { type ExitCode, exitCodes } from './exit-code.ts';
import { twoColumns, withExamples } from './help.ts';
import type { AddCommand, Io, Run } from './io.ts';
import { printableLines } from './terminal/style.ts';
import { usageErrorOf } from './usage-error.ts';

/** By heading and name, in the order of the help. */
const commands: Readonly<Record<string, Readonly<Record<string, AddCommand>>>> = {
  'Notes:': {
    add: addAdd,
    last: addLast,
    list: addList,
    ls: addList,
    show: addShow,
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
  'Shell:': { completion: addCompletion, widget: addWidget, help: addHelp },
};

/** Commands that describe all others. */
const overviews = ['completion', 'help'];

/** Runs the command named by the arguments of the process and returns its exit code. */
export async function runProgram(io: Io): Promise<ExitCode> {
  let exitCode: ExitCode = 0;
  const program = createProgram(io, (action) => async (...args) => {
    exitCode = (await action(...args)) ?? 0;
  });
  await program.parseAsync();
  return exitCode;
}

function createProgram(io: Io, run: Run): Command {
  const program = withExamples(new Command('notes'), [
    ['notes serve', 'the service, with its page'],
    ['notes add -m "git reset --soft HEAD~1" Undo the last commit', ''],
    ['notes show undo commit --copy', 'into the clipboard'],
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
      outputError: (text, write) => write(printableLines(usageErrorOf(text))),
    })
    .showHelpAfterError('Try "notes --help"')
    .exitOverride();
  const named = commandNamed(process.argv[2] ?? '');
  for (const [heading, additions] of named ? [] : Object.entries(commands)) {
    program.commandsGroup(heading);
    for (const add of new Set(Object.values(additions))) add(program, io, run);
  }
  named?.(program, io, run);
  program.hook('preAction', async (_, command) => {
    const { resolveGroups } = await import('./notes/find.ts');
    await resolveGroups(command, io);
  });
  for (const command of program.commands) command.showHelpAfterError(`Try "notes ${command.name()} --help"`);
  return program;
}

/** The command to create alone, as creating all of them takes longer than most commands run. */
function commandNamed(name: string): AddCommand | undefined {
  if (overviews.includes(name)) return undefined;
  return Object.values(commands).find((additions) => Object.hasOwn(additions, name))?.[name];
}

/** Variables that the commands on notes read. README.md lists those of the service. */
const variables = {
  NOTES_URL: 'the service to use, as --url',
  NOTES_TOKEN: 'its access token; NOTES_TOKEN_FILE names a file with it',
  DATABASE_URL: 'the store to work on, as --db',
  NOTES_EDITOR: 'the editor, else VISUAL, else EDITOR',
  PAGER: 'the pager for notes longer than the screen, else less',
} as const;

const helpOn = (heading: string, texts: Readonly<Record<string, string>>) => twoColumns(heading, Object.entries(texts));

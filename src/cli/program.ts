import { Command } from 'commander';
import packageJson from '../../package.json' with { type: 'json' };
import { addAdd } from './commands/add.ts';
import { addArchive, addUnarchive } from './commands/archive.ts';
import { addBackup } from './commands/backup.ts';
import { addCompletion } from './commands/completion.ts';
import { addDoctor } from './commands/doctor.ts';
import { addEdit } from './commands/edit.ts';
import { addExport } from './commands/export.ts';
import { addImport } from './commands/import.ts';
import { addList } from './commands/list.ts';
import { addMcp } from './commands/mcp.ts';
import { addMigrate } from './commands/migrate.ts';
import { addRestore } from './commands/restore.ts';
import { addServe } from './commands/serve.ts';
import { addShow } from './commands/show.ts';
import { addWidget } from './commands/widget.ts';
import { exitCodes } from './exit-code.ts';
import { withExamples } from './help.ts';
import type { AddCommand, Io } from './io.ts';

/** In the order in which the help lists them. */
const commands: readonly AddCommand[] = [
  addServe,
  addAdd,
  addList,
  addShow,
  addEdit,
  addArchive,
  addUnarchive,
  addMcp,
  addExport,
  addImport,
  addBackup,
  addRestore,
  addMigrate,
  addDoctor,
  addCompletion,
  addWidget,
];

/** The commands. Parsing runs one of them. */
export function createProgram(io: Io): Command {
  const program = withExamples(new Command('notes'), [
    ['notes serve', 'the service, with its page'],
    ['notes add -m "git reset --soft HEAD~1" Undo the last commit', ''],
    ['notes show undo commit --copy', 'into the clipboard'],
  ])
    .description(packageJson.description)
    .version(packageJson.version)
    .addHelpText('after', `\nExit codes: ${exitCodeLine}`)
    .configureOutput({
      writeOut: (text) => void io.stdout.write(text),
      writeErr: (text) => void io.stderr.write(text),
    })
    .showHelpAfterError('Run it with --help to see how it is used')
    .exitOverride();
  for (const add of commands) add(program, io);
  return program;
}

const exitCodeLine = Object.entries(exitCodes)
  .map(([code, meaning]) => `${code} ${meaning}`)
  .join(', ');

import type { Command } from 'commander';
import { parseId } from '../../core/parse.ts';
import type { NoteStore } from '../../core/store.ts';
import { counted } from '../../core/tools/text.ts';
import { type NoteFlags, withExamples, withStoreFlags } from '../flags.ts';
import type { AddCommand, Io, Run } from '../io.ts';
import { mayChange } from '../notes/confirm.ts';
import { findNote } from '../notes/find.ts';
import { givenIds, isList, isOneId, notesWith } from '../notes/ids.ts';
import { Failures, writeEach } from '../notes/write-each.ts';

export const addArchive: AddCommand = (program, io, run) => {
  const command = program
    .command('archive <words...>')
    .summary('archive notes, instead of deleting them')
    .description(
      'archive a note, given by its id or by words in it, instead of deleting it; ' +
        'or several ids, a range such as 5-9, or - for ids on standard input: of the last two, it shows the notes first',
    );
  withExamples(command, [
    ['notes archive undo commit', 'the note with these words'],
    ['notes archive 12 20-31', ''],
    ['notes list -c css draft | notes archive -', 'all listed notes, also with --json'],
  ]);
  addAction(command, true, { io, run });
};

export const addUnarchive: AddCommand = (program, io, run) => {
  const command = program
    .command('unarchive <words...>')
    .summary('bring archived notes back')
    .description('bring archived notes back, given as to "notes archive"');
  withExamples(command, [['notes unarchive 12', '']]);
  addAction(command, false, { io, run });
};

function addAction(command: Command, archived: boolean, { io, run }: { io: Io; run: Run }): void {
  const [what, done] = archived ? ['Archive', 'Archived'] : ['Unarchive', 'Unarchived'];
  withStoreFlags(command)
    .option('--yes', 'do not ask before changing a list')
    .option('--json', 'print the note as JSON, many as an array')
    .action(
      run(async (words: string[], flags: NoteFlags) => {
        const failures = new Failures(io);
        const isMany = isList(words) && !isOneId(words);
        let ids = isList(words) ? await givenIds(words, io) : [await idOf(words, archived, { flags, io })];
        if (words.some((word) => word.includes('-')) && isMany && !flags.yes) {
          const found = notesWith(ids, flags, failures, io);
          const notes = await Array.fromAsync(found, ({ id, title }) => ({ id, title })); // texts may be long
          if (!(await mayChange(notes, `${what} ${counted(notes.length)}`, io))) return 1;
          ids = notes.map(({ id }) => `${id}`);
        }
        const write = async (id: string, store: NoteStore) => store.setArchived(parseId(id), archived);
        await writeEach(ids, write, { done, isMany, flags, failures, io });
        return failures.exitCode;
      }),
    );
}

/** The id of the note with these words, among those whose state would change. */
async function idOf(words: readonly string[], archived: boolean, where: { flags: NoteFlags; io: Io }): Promise<string> {
  const { id } = await findNote(words, { archived: !archived, hasAll: false }, where);
  return String(id);
}

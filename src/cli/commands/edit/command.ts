import { type Command, Option } from 'commander';
import { ConfigError } from '../../../config.ts';
import { categories, groups } from '../../../core/enums.ts';
import { withExamples } from '../../help.ts';
import type { AddCommand } from '../../io.ts';
import { withText } from '../../notes/content.ts';
import { withDraftFlags } from '../../notes/draft-settings.ts';
import { identity } from '../../notes/filter.ts';
import { withStoreOptions } from '../../notes/store-options.ts';
import { type EditFlags, editOne } from './one.ts';

export const addEdit: AddCommand = (program, io, run) => {
  const command = program
    .command('edit [words...]')
    .summary('change a note, or many')
    .description(
      'change a note, given by its id or by words in it; without flags, open its text in an editor. ' +
        'To change category, group or color of many notes, give their ids, - for ids on standard input, ' +
        'or --where-…; the notes are shown first',
    )
    .option('-t, --title <title>', 'its title');
  withExamples(withStoreOptions(withWhere(withDraftFlags(withText(command), false))), [
    ['notes edit undo commit', 'opens $NOTES_EDITOR, $VISUAL or $EDITOR'],
    ['notes edit 12 --title "Undo" --color warning', ''],
    ['pbpaste | notes edit 12 -f -', ''],
    ['notes edit --where-category css --color info', 'all active notes of a category'],
    ['notes list draft | notes edit - -g second --yes', 'the listed notes'],
  ])
    .option('--yes', 'change many without asking')
    .option('--json', 'print the note as JSON; many notes as one line each')
    .action(
      run(async (words: string[], flags: EditFlags) => {
        const isListed = words.includes('-') || (words.length > 1 && words.every((word) => /^\d+$/.test(word)));
        const isWhere = Object.keys(flags).some((name) => name.startsWith('where'));
        if (!isListed && !isWhere) return await editOne(words, flags, io);
        if (isWhere && words.length > 0) throw new ConfigError('Give the notes by --where or by ids, not both');
        const { editMany } = await import('./many.ts');
        return await editMany(isWhere ? undefined : words, flags, io);
      }),
    );
};

/** Adds the flags that select the notes to change. */
const withWhere = (command: Command): Command =>
  command
    .addOption(
      new Option('--where-category <category>', 'change all active notes of this category').choices(categories),
    )
    .addOption(
      new Option('--where-group <group>', 'change all active notes of this group').choices(groups).argParser(identity),
    )
    .addOption(new Option('--where-active', 'change all active notes').conflicts('whereArchived'))
    .addOption(new Option('--where-archived', 'change archived notes instead of active ones'));

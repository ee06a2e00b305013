import { ConfigError } from '../../config/config.ts';
import { draftDefaults } from '../../core/enums.ts';
import { NoteError } from '../../core/error.ts';
import type { DraftFlags, NoteFlags } from '../flag-types.ts';
import { addCategoryGroupAndColorFlags, addStoreFlags, prependExamplesToHelp } from '../flags.ts';
import { canPrompt, type Io, type RegisterCommand } from '../io.ts';
import { openOrCreateNoteStore } from '../notes/open-note-store.ts';
import { printWrittenNote } from '../notes/print-written-note.ts';

interface LastFlags extends NoteFlags, DraftFlags {
  readonly allowSecrets?: boolean;
}

/** Set by `notes widget` to the last command of the shell, which only the shell knows. */
const variable = 'NOTES_LAST_COMMAND';

/** Defines `notes last`, which saves the last command of the shell as a note. */
export const registerLastCommand: RegisterCommand = (program, io, run) => {
  const command = program
    .command('last [title...]')
    .summary('save the last shell command')
    .description('save the last shell command as a note in bash-commands; needs "notes widget" in the shell')
    .option('--allow-secrets', 'save it even if it seems to hold a key or a password')
    .option('--json', 'print the note as JSON');
  prependExamplesToHelp(addStoreFlags(addCategoryGroupAndColorFlags(command, io, false)), [
    ['notes last', 'the command is the title, shortened if long'],
    ['notes last Largest files', ''],
  ]).action(
    run(async (words: string[], flags: LastFlags) => {
      const content = io.env[variable] ?? '';
      if (content.trim() === '') throw new ConfigError(io.env[variable] === undefined ? noWidgetText : noCommandText);
      if (!flags.allowSecrets) await confirmIfSecretOrThrow(content, io);
      const { parseDraft } = await import('../../core/note.ts');
      const { suggestTitle } = await import('../../core/text/suggest-title.ts');
      const { category = 'bash-commands', group, color } = { ...draftDefaults, category: undefined, ...flags };
      const draft = parseDraft({
        category,
        group,
        color,
        title: words.join(' ').trim() || suggestTitle(content),
        content,
      });
      await using store = await openOrCreateNoteStore(io, flags);
      printWrittenNote(await store.create(draft), 'Added', { json: flags.json, io });
    }),
  );
};

const noWidgetText =
  'The last command is not known. Put eval "$(notes widget bash)" into ~/.bashrc; ' +
  'zsh and fish: see "notes widget --help"';
const noCommandText = 'The history of this shell holds no command yet';

/** Asks the user to confirm a text that seems to hold secrets. Throws `unavailable` unless the user agrees. */
async function confirmIfSecretOrThrow(text: string, io: Io): Promise<void> {
  const { findSecretKinds } = await import('../../core/secrets.ts');
  const found = findSecretKinds(text).join(' and ');
  if (found === '') return;
  const { confirmQuestion } = await import('../terminal/prompt.ts');
  if (canPrompt(io) && (await confirmQuestion(`The command seems to hold ${found}. Store it?`, io))) return;
  throw new NoteError('unavailable', `The command seems to hold ${found}, so it was not stored. See --allow-secrets`);
}

import { ConfigError } from '../../config.ts';
import { draftDefaults } from '../../core/enums.ts';
import { NoteError } from '../../core/error.ts';
import { deriveTitle } from '../../core/text/derive-title.ts';
import type { DraftFlags, NoteFlags } from '../flag-types.ts';
import { addDraftFlags, addExamples, addStoreFlags } from '../flags.ts';
import { type DefineCommand, type Io, isInteractive } from '../io.ts';
import { openOrCreateNotes } from '../notes/open-notes.ts';
import { printWrittenNote } from '../notes/print-written-note.ts';

interface LastFlags extends NoteFlags, DraftFlags {
  readonly allowSecrets?: boolean;
}

/** Set by `notes widget` to the last command of the shell, which only the shell knows. */
const variable = 'NOTES_LAST_COMMAND';

/** Defines `notes last`, which saves the last command of the shell as a note. */
export const defineLastCommand: DefineCommand = (program, io, run) => {
  const command = program
    .command('last [title...]')
    .summary('save the last shell command')
    .description('save the last shell command as a note in bash-commands; needs "notes widget" in the shell')
    .option('--allow-secrets', 'save it even if it seems to hold a key or a password')
    .option('--json', 'print the note as JSON');
  addExamples(addStoreFlags(addDraftFlags(command, io, false)), [
    ['notes last', 'the command itself is the title'],
    ['notes last Largest files', ''],
  ]).action(
    run(async (words: string[], flags: LastFlags) => {
      const content = io.env[variable] ?? '';
      if (content.trim() === '') throw new ConfigError(io.env[variable] === undefined ? noWidgetText : noCommandText);
      if (!flags.allowSecrets) await confirmSecretsOrReject(content, io);
      const { parseDraft } = await import('../../core/note.ts');
      const { category = 'bash-commands', group, color } = { ...draftDefaults, category: undefined, ...flags };
      const draft = parseDraft({
        category,
        group,
        color,
        title: words.join(' ').trim() || deriveTitle(content),
        content,
      });
      await using store = await openOrCreateNotes(io, flags);
      printWrittenNote(await store.create(draft), 'Added', { json: flags.json, io });
    }),
  );
};

const noWidgetText =
  'The last command is not known. Put eval "$(notes widget bash)" into ~/.bashrc; ' +
  'zsh and fish: see "notes widget --help"';
const noCommandText = 'The history of this shell holds no command yet';

/** Asks the user to confirm a text that seems to hold secrets. Throws `unavailable` unless the user agrees. */
async function confirmSecretsOrReject(text: string, io: Io): Promise<void> {
  const { findSecretKinds } = await import('../../core/secrets.ts');
  const found = findSecretKinds(text).join(' and ');
  if (found === '') return;
  const { confirmQuestion } = await import('../terminal/prompt.ts');
  if (isInteractive(io) && (await confirmQuestion(`The command seems to hold ${found}. Store it?`, io))) return;
  throw new NoteError('unavailable', `The command seems to hold ${found}, so it was not stored. See --allow-secrets`);
}

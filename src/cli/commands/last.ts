import { ConfigError } from '../../config.ts';
import { draftDefaults } from '../../core/enums.ts';
import { NoteError } from '../../core/error.ts';
import { titleOf } from '../../core/tools/text.ts';
import { type DraftFlags, type NoteFlags, withDraftFlags, withExamples, withStoreFlags } from '../flags.ts';
import { type AddCommand, type Io, isInteractive } from '../io.ts';
import { openOrCreateNotes } from '../notes/open.ts';
import { printResult } from '../notes/write-each.ts';

interface LastFlags extends NoteFlags, DraftFlags {
  readonly allowSecrets?: boolean;
}

/** Set by `notes widget` to the last command of the shell, which only the shell knows. */
const variable = 'NOTES_LAST_COMMAND';

export const addLast: AddCommand = (program, io, run) => {
  const command = program
    .command('last [title...]')
    .summary('save the last shell command')
    .description('save the last shell command as a note in bash-commands; needs "notes widget" in the shell')
    .option('--allow-secrets', 'save it even if it seems to hold a key or a password')
    .option('--json', 'print the note as JSON');
  withExamples(withStoreFlags(withDraftFlags(command, io, false)), [
    ['notes last', 'the command itself is the title'],
    ['notes last Largest files', ''],
  ]).action(
    run(async (words: string[], flags: LastFlags) => {
      const content = io.env[variable] ?? '';
      if (content.trim() === '') throw new ConfigError(io.env[variable] === undefined ? noWidget : noCommand);
      if (!flags.allowSecrets) await checkSecrets(content, io);
      const { parseDraft } = await import('../../core/note.ts');
      const { category = 'bash-commands', group, color } = { ...draftDefaults, category: undefined, ...flags };
      const draft = parseDraft({ category, group, color, title: words.join(' ').trim() || titleOf(content), content });
      await using store = await openOrCreateNotes(io, flags);
      printResult(await store.create(draft), 'Added', { json: flags.json, io });
    }),
  );
};

const noWidget =
  'The last command is not known. Put eval "$(notes widget bash)" into ~/.bashrc; ' +
  'zsh and fish: see "notes widget --help"';
const noCommand = 'The history of this shell holds no command yet';

/** Asks for confirmation if possible. Throws `unavailable` if the text must not be stored. */
async function checkSecrets(text: string, io: Io): Promise<void> {
  const { secretsIn } = await import('../../core/tools/secrets.ts');
  const found = secretsIn(text).join(' and ');
  if (found === '') return;
  const { confirm } = await import('../terminal/ask.ts');
  if (isInteractive(io) && (await confirm(`The command seems to hold ${found}. Store it?`, io))) return;
  throw new NoteError('unavailable', `The command seems to hold ${found}, so it was not stored. See --allow-secrets`);
}

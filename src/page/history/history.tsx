import { useSignal } from '@preact/signals';
import { isConflict } from '../../core/error.ts';
import * as message from '../../core/message.ts';
import type { Note } from '../../core/note.ts';
import { hasSameFields } from '../../core/versions.ts';
import { notifyChanged } from '../changes/take-back.ts';
import { closeDialog } from '../state/dialog.ts';
import { patchOf } from '../state/note-fields.ts';
import { failureText, fetchNote, noteById, update, writeFailureText } from '../state/notes.ts';
import { characterKeys } from '../state/settings.ts';
import { displayTitle, formatDateTime } from '../ui/format.ts';
import { Modal } from '../ui/modal.tsx';
import { Differences, DifferencesWait } from './differences.tsx';
import { useVersions, VersionList } from './version-list.tsx';

/** The versions of a note, the differences to the chosen one, and a button to revert to it. */
export function History({ id }: { id: number }) {
  const note = noteById(id);
  return (
    <Modal title={note ? `History of “${displayTitle(note)}”` : 'History'} closesOnBackdrop isLarge>
      {note ? <Versions note={note} /> : <p class="p-5">{message.noSuchNote(id)}</p>}
    </Modal>
  );
}

function Versions({ note }: { note: Note }) {
  const { versions, loadMore, retry } = useVersions(note);
  const { value: loaded } = versions;
  if (!loaded) return <DifferencesWait>Loading …</DifferencesWait>;
  if (loaded.kind === 'failed') {
    return (
      <p class="notice" role="alert">
        <span class="flex-1">{loaded.text}</span>
        <button type="button" class="btn btn-sm touch" onClick={retry}>
          Retry
        </button>
      </p>
    );
  }
  if (loaded.versions.length === 0) {
    return (
      <p class="p-5" role="status">
        There are no earlier versions of this note.
      </p>
    );
  }
  const all = [note, ...loaded.versions];
  return <Comparing note={note} versions={all} hasMore={loaded.hasMore} loadMore={loadMore} />;
}

interface ComparingProps {
  readonly note: Note;
  /** Newest first, the present one included. */
  readonly versions: readonly Note[];
  readonly hasMore: boolean;
  readonly loadMore: () => void;
}

function Comparing({ note, versions, hasMore, loadMore }: ComparingProps) {
  const chosenAt = useSignal(versions[1]?.updatedAt);
  const said = useSignal('');
  const isReverting = useSignal(false);
  const found = versions.findIndex(({ updatedAt }) => updatedAt === chosenAt.value);
  const index = found < 0 ? 1 : found;
  const chosen = versions[index];
  if (!chosen) return null;

  function choose({ updatedAt }: Note): void {
    chosenAt.value = updatedAt;
    said.value = '';
  }

  async function revertTo(version: Note): Promise<void> {
    if (isReverting.value) return;
    isReverting.value = true;
    said.value = 'Reverting …';
    said.value = (await revert(note, version)) ?? '';
    isReverting.value = false;
  }

  const onKeyDown = (event: KeyboardEvent) => {
    const isInList = event.target instanceof Element && event.target.matches('[role=listbox]');
    const next = versions[index + moveOf(event, isInList)];
    if (event.key === 'Enter' && isInList && isDifferent && !event.repeat) void revertTo(chosen);
    else if (next && next !== chosen) choose(next);
    else return;
    event.preventDefault();
  };

  const isDifferent = !hasSameFields(chosen, note);
  return (
    // biome-ignore lint/a11y/noStaticElementInteractions: the keys of the list work in the whole dialog
    <div class="history" onKeyDown={onKeyDown}>
      <VersionList versions={versions} chosen={chosen} hasMore={hasMore} choose={choose} loadMore={loadMore} />
      <Differences version={chosen} note={note} />
      <div class="flex flex-wrap items-center gap-x-4 gap-y-2 border-t border-base-300 px-5 py-3">
        {isDifferent && (
          <button
            type="button"
            class="btn btn-primary btn-sm touch"
            title="Revert (Enter)"
            aria-disabled={isReverting.value}
            onClick={() => void revertTo(chosen)}
          >
            Revert to this version
          </button>
        )}
        <p class="flex-[1_1_12rem] text-sm" role="status">
          {said.value ||
            (isDifferent ? '' : chosen === note ? 'The note as it is now.' : 'Unchanged since this version.')}
        </p>
      </div>
    </div>
  );
}

/** The rows that a key moves by: arrows within the list, letters in the whole dialog. */
function moveOf({ key, ctrlKey, metaKey, altKey }: KeyboardEvent, isInList: boolean): number {
  if (ctrlKey || metaKey || altKey) return 0;
  if ((isInList && key === 'ArrowDown') || (characterKeys.value && key === 'j')) return 1;
  if ((isInList && key === 'ArrowUp') || (characterKeys.value && key === 'k')) return -1;
  return 0;
}

/** Reverts a note to a version and closes the dialog. Resolves to an error message on failure. */
async function revert(note: Note, version: Note): Promise<string | undefined> {
  try {
    const reverted = await update(note.id, patchOf(version, note), note.updatedAt);
    closeDialog();
    const text = `Reverted “${displayTitle(reverted)}” to ${formatDateTime(version.updatedAt)}`;
    notifyChanged(`${text}. The previous text is in its history`, [{ before: note, after: reverted }]);
    return undefined;
  } catch (error) {
    if (!isConflict(error)) return writeFailureText('Not reverted', error);
    const newer = await fetchNote(note.id).catch(failureText);
    return typeof newer === 'string'
      ? `Not reverted: ${newer}`
      : 'Not reverted: the note was changed elsewhere. This is the difference from the current note';
  }
}

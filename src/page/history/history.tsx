import { useSignal } from '@preact/signals';
import { useLayoutEffect, useRef } from 'preact/hooks';
import { isConflict } from '../../core/error.ts';
import * as message from '../../core/error-messages.ts';
import type { Note } from '../../core/note.ts';
import { findChangedFields, hasSameFields } from '../../core/versions.ts';
import { notifyChanged } from '../changes.ts';
import { closeDialog } from '../state/dialog.ts';
import { setTo, useLoaded } from '../state/effects.ts';
import { client, failureText, fetchNote, noteById, update, writeFailureText } from '../state/notes.ts';
import { characterKeys } from '../state/settings.ts';
import { Button } from '../ui/buttons.tsx';
import { displayTitle, formatDateTime } from '../ui/format.ts';
import { Modal } from '../ui/modal.tsx';
import { Differences, DifferencesWait } from './differences.tsx';

export function History({ id }: { id: number }) {
  const note = noteById(id);
  return (
    <Modal title={note ? `History of “${displayTitle(note)}”` : 'History'} closesOnBackdrop isLarge>
      {note ? <Versions note={note} /> : <p class="p-5">{message.noSuchNote(id)}</p>}
    </Modal>
  );
}

function Versions({ note }: { note: Note }) {
  const { id, updatedAt, content } = note;
  const limit = useSignal(Math.max(2, Math.min(firstLimit, Math.floor(firstCharacters / (content.length + 1)))));
  const attempt = useSignal(0);
  const versions = useLoaded(() => load(id, limit.value), [id, updatedAt, limit.value, attempt.value]);
  const { value: loaded } = versions;
  if (!loaded) return <DifferencesWait>Loading …</DifferencesWait>;
  if ('failure' in loaded) {
    const retry = () => {
      versions.value = undefined;
      attempt.value++;
    };
    return (
      <p class="notice" role="alert">
        <span class="flex-1">{loaded.failure}</span>
        <Button onClick={retry}>Retry</Button>
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
  const more = { hasMore: loaded.hasMore, loadMore: setTo(limit, limit.value * 5) };
  return <Comparing note={note} versions={[note, ...loaded.versions]} {...more} />;
}

const firstLimit = 20;
/** The approximate size of the first page in characters, estimated from the length of the current note. */
const firstCharacters = 16_000_000;

async function load(id: number, limit: number) {
  try {
    const versions = (await Array.fromAsync(client.history(id, limit))).flat();
    return { versions, hasMore: versions.length === limit };
  } catch (error) {
    return { failure: failureText(error) };
  }
}

interface LoadedVersions {
  /** Newest first, the present one included. */
  readonly versions: readonly Note[];
  readonly hasMore: boolean;
  readonly loadMore: () => void;
}

function Comparing({ note, ...loaded }: LoadedVersions & { readonly note: Note }) {
  const { versions } = loaded;
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
      <VersionList {...loaded} chosen={chosen} choose={choose} />
      <Differences version={chosen} note={note} />
      <div class="flex flex-wrap items-center gap-x-4 gap-y-2 border-t border-base-300 px-5 py-3">
        {isDifferent && (
          <Button
            class="btn-primary"
            title="Revert (Enter)"
            aria-disabled={isReverting.value}
            onClick={() => void revertTo(chosen)}
          >
            Revert to this version
          </Button>
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

async function revert(note: Note, version: Note): Promise<string | undefined> {
  try {
    const reverted = await update(note, version);
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

interface VersionListProps extends LoadedVersions {
  readonly chosen: Note;
  readonly choose: (version: Note) => void;
}

const optionId = ({ updatedAt }: Note) => `version-${updatedAt}`;

/** Each version with its time and what the save changed; the first is the present one. */
function VersionList({ versions, chosen, hasMore, choose, loadMore }: VersionListProps) {
  const box = useRef<HTMLDivElement>(null);
  useLayoutEffect(() => box.current?.focus(), []);
  useLayoutEffect(() => {
    box.current?.querySelector('[aria-selected=true]')?.scrollIntoView({ block: 'nearest' });
  }, [chosen]);
  return (
    <div class="versions">
      <div ref={box} role="listbox" tabIndex={0} aria-label="Versions" aria-activedescendant={optionId(chosen)}>
        {versions.map((version, index) => (
          // biome-ignore lint/a11y/useKeyWithClickEvents: the dialog handles the keys
          // biome-ignore lint/a11y/useFocusableInteractive: the list has the focus and refers to the option by aria-activedescendant
          <div
            key={version.updatedAt}
            id={optionId(version)}
            role="option"
            class="version"
            aria-selected={version === chosen}
            onClick={() => choose(version)}
          >
            <time dateTime={version.updatedAt} title={formatDateTime(version.updatedAt)}>
              {index === 0 ? 'Current' : formatDateTime(version.updatedAt)}
            </time>
            <span class="block text-sm muted">{factsOf(version, versions[index + 1])}</span>
          </div>
        ))}
      </div>
      {hasMore && (
        <Button class="btn-ghost mx-3 my-2" onClick={loadMore}>
          Older versions
        </Button>
      )}
    </div>
  );
}

function factsOf(version: Note, before: Note | undefined): string {
  if (before) return findChangedFields(version, before).join(', ');
  return version.createdAt === version.updatedAt ? 'created' : '';
}

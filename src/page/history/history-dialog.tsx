import { useSignal } from '@preact/signals';
import { useLayoutEffect, useRef } from 'preact/hooks';
import { isConflictError } from '../../core/error.ts';
import * as message from '../../core/error-messages.ts';
import type { Note } from '../../core/note.ts';
import { hasSameDraftFields, listChangedDraftFields } from '../../core/versions.ts';
import { closeDialog } from '../state/dialog.ts';
import {
  client,
  fetchAndUpsertNote,
  handleFailureAndFormat,
  handleWriteFailureAndFormat,
  updateAndShowNote,
} from '../state/note-requests.ts';
import { findNoteById } from '../state/notes.ts';
import { hasCharacterKeys } from '../state/settings.ts';
import { createSetter, useLoaded } from '../state/signal-helpers.ts';
import { Button } from '../ui/buttons.tsx';
import { formatDateTime, formatNoteTitle } from '../ui/format-for-page.ts';
import { Modal } from '../ui/modal.tsx';
import { notifyChangesWithUndo } from '../write-notes.ts';
import { DelayedStatus, Differences } from './differences.tsx';

export function HistoryDialog({ id }: { id: number }) {
  const note = findNoteById(id);
  return (
    <Modal title={note ? `History of “${formatNoteTitle(note)}”` : 'History'} closesOnBackdrop isLarge>
      {note ? <VersionHistoryLoader note={note} /> : <p class="p-5">{message.noSuchNote(id)}</p>}
    </Modal>
  );
}

function VersionHistoryLoader({ note }: { note: Note }) {
  const { id, updatedAt, content } = note;
  const limit = useSignal(
    Math.max(2, Math.min(firstVersionLimit, Math.floor(firstPageCharacters / (content.length + 1)))),
  );
  const attempt = useSignal(0);
  const versions = useLoaded(() => loadVersionsOrFailure(id, limit.value), [id, updatedAt, limit.value, attempt.value]);
  const { value: loaded } = versions;
  if (!loaded) return <DelayedStatus>Loading …</DelayedStatus>;
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
  const more = { hasMore: loaded.hasMore, loadMore: createSetter(limit, limit.value * 5) };
  return <VersionHistory note={note} versions={[note, ...loaded.versions]} {...more} />;
}

const firstVersionLimit = 20;
/** The approximate size of the first page in characters, estimated from the length of the current note. */
const firstPageCharacters = 16_000_000;

async function loadVersionsOrFailure(id: number, limit: number) {
  try {
    const versions = (await Array.fromAsync(client.history(id, limit))).flat();
    return { versions, hasMore: versions.length === limit };
  } catch (error) {
    return { failure: handleFailureAndFormat(error) };
  }
}

interface LoadedVersions {
  /** Newest first, the present one included. */
  readonly versions: readonly Note[];
  readonly hasMore: boolean;
  readonly loadMore: () => void;
}

function VersionHistory({ note, ...loaded }: LoadedVersions & { readonly note: Note }) {
  const { versions } = loaded;
  const chosenAt = useSignal(versions[1]?.updatedAt);
  const heldAt = useSignal<string | undefined>(undefined);
  const said = useSignal('');
  const isReverting = useSignal(false);
  const found = versions.findIndex(({ updatedAt }) => updatedAt === chosenAt.value);
  const index = found < 0 ? 1 : found;
  const chosen = versions[index];
  if (!chosen) return null;
  const held = versions.find(({ updatedAt }) => updatedAt === heldAt.value);
  const other = held ?? note;
  const isOtherOlder = versions.indexOf(other) > index;

  /**
   * Chooses a version. If `isSecond`, it is compared with the one that was chosen before, which is held from now on.
   */
  function chooseVersion({ updatedAt }: Note, isSecond: boolean): void {
    if (isSecond) heldAt.value ??= chosen?.updatedAt;
    chosenAt.value = updatedAt;
    said.value = '';
  }

  const toggleHeld = () => {
    heldAt.value = held ? undefined : chosen.updatedAt;
  };

  async function revertTo(version: Note): Promise<void> {
    if (isReverting.value) return;
    isReverting.value = true;
    said.value = 'Reverting …';
    said.value = (await revertAndNotifyOrFormatFailure(note, version)) ?? '';
    isReverting.value = false;
  }

  const onKeyDown = (event: KeyboardEvent) => {
    const isInList = event.target instanceof Element && event.target.matches('[role=listbox]');
    const next = versions[index + getRowStep(event, isInList)];
    if (event.key === 'Enter' && isInList && canRevert && !event.repeat) void revertTo(chosen);
    else if (next && next !== chosen) chooseVersion(next, event.shiftKey);
    else return;
    event.preventDefault();
  };

  const isDifferent = !hasSameDraftFields(chosen, other);
  const canRevert = isDifferent && !held;
  return (
    // biome-ignore lint/a11y/noStaticElementInteractions: the keys of the list work in the whole dialog
    <div class="history" onKeyDown={onKeyDown}>
      <VersionList {...loaded} chosen={chosen} held={held} onChoose={chooseVersion} />
      {isOtherOlder ? (
        <Differences version={other} note={chosen} labels={held && [formatVersion(other), formatVersion(chosen)]} />
      ) : (
        <Differences version={chosen} note={other} labels={held && [formatVersion(chosen), formatVersion(other)]} />
      )}
      <div class="flex flex-wrap items-center gap-x-4 gap-y-2 border-t border-base-300 px-5 py-3">
        {canRevert && (
          <Button
            class="btn-primary"
            title="Revert (Enter)"
            aria-disabled={isReverting.value}
            onClick={() => void revertTo(chosen)}
          >
            Revert to this version
          </Button>
        )}
        <Button
          title="Compares with another version than the current note (Shift or Ctrl with a click, Shift with an arrow)"
          onClick={toggleHeld}
        >
          {held ? 'Compare with the current note' : 'Compare with …'}
        </Button>
        <p class="flex-[1_1_12rem] text-sm" role="status">
          {said.value}
          {said.value === '' && !isDifferent && formatSameVersions(chosen, held, note)}
        </p>
      </div>
    </div>
  );
}

function formatSameVersions(chosen: Note, held: Note | undefined, note: Note): string {
  if (chosen === held) return 'Choose the version to compare this one with.';
  if (held) return 'Both versions say the same.';
  return chosen === note ? 'The note as it is now.' : 'Unchanged since this version.';
}

/** The rows that a key moves by: arrows within the list, letters in the whole dialog. */
function getRowStep({ key, ctrlKey, metaKey, altKey }: KeyboardEvent, isInList: boolean): number {
  if (ctrlKey || metaKey || altKey) return 0;
  if ((isInList && key === 'ArrowDown') || (hasCharacterKeys.value && /^j$/i.test(key))) return 1;
  if ((isInList && key === 'ArrowUp') || (hasCharacterKeys.value && /^k$/i.test(key))) return -1;
  return 0;
}

async function revertAndNotifyOrFormatFailure(note: Note, version: Note): Promise<string | undefined> {
  try {
    const reverted = await updateAndShowNote(note, version);
    closeDialog();
    const text = `Reverted “${formatNoteTitle(reverted)}” to ${formatDateTime(version.updatedAt)}`;
    notifyChangesWithUndo(`${text}. The previous text is in its history`, [{ before: note, after: reverted }]);
    return undefined;
  } catch (error) {
    if (!isConflictError(error)) return handleWriteFailureAndFormat('Not reverted', error);
    const newer = await fetchAndUpsertNote(note.id).catch(handleFailureAndFormat);
    return typeof newer === 'string'
      ? `Not reverted: ${newer}`
      : 'Not reverted: the note was changed elsewhere. This is the difference from the current note';
  }
}

interface VersionListProps extends LoadedVersions {
  readonly chosen: Note;
  /** The version that the chosen one is compared with, if it is not the current note. */
  readonly held: Note | undefined;
  readonly onChoose: (version: Note, isSecond: boolean) => void;
}

const getOptionId = ({ updatedAt }: Note) => `version-${updatedAt}`;

/** Each version with its time and what the save changed; the first is the present one. */
function VersionList({ versions, chosen, held, hasMore, onChoose: choose, loadMore }: VersionListProps) {
  const box = useRef<HTMLDivElement>(null);
  useLayoutEffect(() => box.current?.focus(), []);
  useLayoutEffect(() => {
    box.current?.querySelector('.is-chosen')?.scrollIntoView({ block: 'nearest' });
  }, [chosen]);
  return (
    <div class="versions">
      <div
        ref={box}
        role="listbox"
        tabIndex={0}
        aria-label="Versions"
        aria-multiselectable="true"
        aria-activedescendant={getOptionId(chosen)}
      >
        {versions.map((version, index) => (
          // biome-ignore lint/a11y/useKeyWithClickEvents: the dialog handles the keys
          // biome-ignore lint/a11y/useFocusableInteractive: the list has the focus and refers to the option by aria-activedescendant
          <div
            key={version.updatedAt}
            id={getOptionId(version)}
            role="option"
            class={`version ${version === chosen ? 'is-chosen' : ''}`}
            aria-selected={version === chosen || version === held}
            onMouseDown={(event) => event.shiftKey && event.preventDefault()} // selects no text
            onClick={({ shiftKey, ctrlKey, metaKey }) => choose(version, shiftKey || ctrlKey || metaKey)}
          >
            <time dateTime={version.updatedAt} title={formatDateTime(version.updatedAt)}>
              {index === 0 ? 'Current' : formatTimeAmong(version, versions)}
            </time>
            <span class="block text-sm muted">{formatVersionChanges(version, versions[index + 1])}</span>
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

const secondsFormat = new Intl.DateTimeFormat(undefined, { dateStyle: 'medium', timeStyle: 'medium' });

const formatVersion = ({ updatedAt }: Note) => secondsFormat.format(new Date(updatedAt));

/** The time of a version, with seconds if another version is of the same minute. */
function formatTimeAmong(version: Note, versions: readonly Note[]): string {
  const time = formatDateTime(version.updatedAt);
  const isSameMinute = (other: Note) =>
    other.updatedAt.slice(0, minuteLength) === version.updatedAt.slice(0, minuteLength);
  return versions.some((other) => other !== version && isSameMinute(other)) ? formatVersion(version) : time;
}

/** The length of the date, hour and minute in a time such as "2026-01-05T09:30:12.345Z". */
const minuteLength = 16;

function formatVersionChanges(version: Note, before: Note | undefined): string {
  if (before) return listChangedDraftFields(version, before).join(', ');
  return version.createdAt === version.updatedAt ? 'created' : '';
}

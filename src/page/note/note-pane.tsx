import type { ComponentChildren, TargetedKeyboardEvent } from 'preact';
import { useLayoutEffect, useRef } from 'preact/hooks';
import { fieldValues, type ValueField, valueFields } from '../../core/enums.ts';
import type { Note } from '../../core/note.ts';
import {
  copiedNoteId,
  copyNoteOrPromptForValues,
  copyOrPromptForValues,
  toCopyTexts,
} from '../copy/copy-to-clipboard.ts';
import { findEditorKey, NoteEditor } from '../editor/note-editor.tsx';
import { copyWithWaitingFields, UnsavedDraftNotice } from '../editor/unsaved-drafts.tsx';
import { formatPressedKey, formatTooltip, keymap } from '../keyboard/keymap.ts';
import { createNoteActionItems, getArchiveIconAndLabel, getPinLabel } from '../keyboard/note-action-items.ts';
import { type CopyPart, NoteContent, type Rendering, useRendering } from '../markdown/rendered-content.tsx';
import { setFieldAndNotify, togglePinnedAndNotify } from '../selection/selection-actions.ts';
import { isListCovered, isNoteOrNewFormOpen, isPaneBesideList } from '../state/layout.ts';
import { editedNoteId, saveScrollOffsets } from '../state/navigation.ts';
import { findNoteById, listLoadState } from '../state/notes.ts';
import { makeUndoWaitFor } from '../state/notifications.ts';
import { pinnedIdSet } from '../state/pinned-ids.ts';
import { createSetter } from '../state/signal-helpers.ts';
import { Button, IconButton, IconTextButton } from '../ui/buttons.tsx';
import {
  capitalizeFirstLetter,
  formatDateTime,
  formatNoteTitle,
  formatTimeAgo,
  formatValueLabel,
} from '../ui/format-for-page.ts';
import { markHitsWithoutHighlights } from '../ui/hits.tsx';
import { Icon, Swatch } from '../ui/icons.tsx';
import { type MenuItem, openMenu } from '../ui/menu.tsx';
import { retryAwaitedFocus } from '../ui/move-focus.ts';
import { closeNoteOrPreview, openNoteFormAndFocus, shownNoteId } from '../ui/open-note.ts';
import { activateTasksAndLinks } from './activate-tasks-and-links.ts';
import { useHasMenuPlaces } from './headings.ts';
import { MissingNote } from './missing-note.tsx';
import { useNoteMatches } from './note-matches.ts';
import { NotePlaces } from './note-places.tsx';
import { createReadingItems, rawNoteId } from './reading-items.ts';
import { toggleNoteArchivedAndNotify } from './toggle-note-archived.ts';
import { useNoteScrollRestoration } from './use-note-scroll.ts';
import { usePositionHandover, useReadLineThroughRendering } from './use-reading-position.ts';

const copyPartOrPromptForValues: CopyPart = ({ kind, text, isShell }, isExact) =>
  void copyOrPromptForValues({ ...toCopyTexts(text, isShell), name: `the ${kind}` }, isExact ? 'raw' : 'usual');

export function NotePane() {
  const { value: id } = shownNoteId;
  const isNew = editedNoteId.value === 'new';
  if (id === undefined && !isNew) return <div id="detail" class="nothing-open" />;
  const note = id === undefined ? undefined : findNoteById(id);
  const isPreview = !isNoteOrNewFormOpen.value;
  const shownNoteLabel = isPreview ? 'Selected note' : 'Open note';
  return (
    <section
      id="detail"
      class={`detail-pane ${isPreview ? 'is-preview' : ''}`}
      tabIndex={-1}
      aria-label={isNew ? 'New note' : shownNoteLabel}
      onKeyDown={selectNoteTextByKey}
      onScroll={saveScrollOffsets} // it scrolls in low windows, and else its text
    >
      {isListCovered.value && <h1 class="sr-only">Notes</h1>}
      {isNew && <NoteEditor note={undefined} key={findEditorKey(undefined)} />}
      {!isNew && note && editedNoteId.value === id && <NoteEditor note={note} key={findEditorKey(id)} />}
      {!isNew && note && editedNoteId.value !== id && <NoteView note={copyWithWaitingFields(note)} />}
      {!isNew && !note && id !== undefined && listLoadState.value.kind !== 'failed' && (
        <MissingNote key={id} id={id}>
          <CloseButton />
        </MissingNote>
      )}
    </section>
  );
}

/** Ctrl+A in a note selects its text, and not the list and the bars around it. */
function selectNoteTextByKey(event: TargetedKeyboardEvent<HTMLElement>): void {
  const text = event.currentTarget.querySelector('.detail-body');
  if (text === null || editedNoteId.value !== undefined || formatPressedKey(event) !== 'Ctrl+A') return;
  event.preventDefault();
  getSelection()?.selectAllChildren(text);
}

const CloseButton = () => (
  <IconButton
    name={isPaneBesideList.value ? 'close' : 'back'}
    label="Back to the list"
    title={formatTooltip('back')}
    class="note-close no-print"
    onClick={closeNoteOrPreview}
  />
);

function NoteView({ note: wanted }: { note: Note }) {
  useLayoutEffect(() => createSetter(rawNoteId, undefined), []);
  const { note, rendering } = useRendering(wanted, rawNoteId.value === wanted.id);
  const body = useRef<HTMLElement>(null);
  const isRendered = rendering.kind === 'html' || rendering.kind === 'plain';
  useNoteScrollRestoration(body, note.id, isRendered && note.id === wanted.id);
  useReadLineThroughRendering(note, rendering, body);
  const editAtPointer = usePositionHandover(note, rendering, body);
  const shown = isRendered && note.id === wanted.id ? getDrawnText(note, rendering) : undefined;
  useNoteMatches(body, note.id, shown);
  const hasMenu = useHasMenuPlaces(body, shown);
  useLayoutEffect(retryAwaitedFocus, []); // that of a link
  return (
    <>
      <div class="note-head">
        <h2
          id="note-title"
          class="note-title"
          dir="auto"
          title={formatNoteTitle(note)}
          onDblClick={() => openNoteFormAndFocus(note, 'title')}
        >
          <span data-hits>{markHitsWithoutHighlights(formatNoteTitle(note))}</span>
        </h2>
        <CopyButton note={note} />
        <NoteActions note={note} />
        <CloseButton />
      </div>
      <NoteFacts note={note}>
        <NotePlaces body={body} hasMenu={hasMenu} />
      </NoteFacts>
      <UnsavedDraftNotice note={note} />
      <section
        ref={body}
        class="detail-body"
        aria-labelledby="note-title"
        tabIndex={-1}
        onScroll={saveScrollOffsets}
        onDblClick={(event) => {
          if (event.target instanceof Element && !event.target.closest('a, button, input')) editAtPointer(event);
        }}
      >
        <div data-hits key={note.id}>
          <NoteContent
            note={note}
            rendering={rendering}
            copy={copyPartOrPromptForValues}
            activate={(rendered, text) => activateTasksAndLinks(rendered, note.id, text)}
          />
        </div>
      </section>
    </>
  );
}

/** What is drawn of a note: another value once another text, or the same one in another form, is drawn. */
const getDrawnText = (note: Note, rendering: Rendering): unknown =>
  rendering.kind === 'html' ? rendering.rendered : note.content;

function CopyButton({ note }: { note: Note }) {
  const isDone = copiedNoteId.value === note.id;
  return (
    <Button
      class="btn-primary note-copy no-print"
      aria-label={isDone ? 'Copied' : 'Copy'}
      title={formatTooltip('copy', 'Copy')}
      onClick={() => void copyNoteOrPromptForValues(note)}
    >
      <Icon name={isDone ? 'check' : 'copy'} />
      <span>{isDone ? 'Copied' : 'Copy'}</span>
    </Button>
  );
}

function NoteActions({ note }: { note: Note }) {
  const isPinned = pinnedIdSet.value.has(note.id);
  const pinText = getPinLabel(note);
  return (
    <div class="note-actions no-print">
      <IconTextButton
        name="edit"
        text="Edit"
        title={formatTooltip('edit', 'Edit')}
        onClick={() => openNoteFormAndFocus(note)}
      />
      <IconTextButton
        name="pin"
        text={pinText}
        title={formatTooltip('pin', pinText)}
        aria-pressed={isPinned}
        onClick={() => togglePinnedAndNotify([note])}
      />
      {!isPaneBesideList.value && (
        <IconTextButton
          {...getArchiveIconAndLabel(note.archived)}
          title={formatTooltip('archive')}
          onClick={() => void toggleNoteArchivedAndNotify(note)}
        />
      )}
      <IconTextButton
        name="more"
        text="More"
        title="More actions"
        aria-haspopup="menu"
        onClick={({ currentTarget }) =>
          openMenu({
            label: `Actions of ${formatNoteTitle(note)}`,
            items: createMoreActionItems(note),
            at: currentTarget,
          })
        }
      />
    </div>
  );
}

/** The commands act on the open note, which gets the focus back from the menu. */
function createMoreActionItems(note: Note): readonly MenuItem[] {
  const items = createNoteActionItems(
    note,
    isPaneBesideList.value ? commandsBesideMenu : [...commandsBesideMenu, 'archive'],
  );
  return [...items, ...createReadingItems(note)];
}

const commandsBesideMenu = ['copy', 'edit', 'pin'] as const;

const NoteFacts = ({ note, children }: { note: Note; children: ComponentChildren }) => (
  <div class="note-facts">
    {valueFields.map((field) => (
      <button
        key={field}
        type="button"
        class="chip-field touch"
        aria-haspopup="menu"
        aria-label={formatFieldAndValue(note, field)}
        title={formatFieldAndValue(note, field)}
        onClick={({ currentTarget }) =>
          openMenu({ label: `Change the ${field}`, items: createFieldItems(note, field), at: currentTarget })
        }
      >
        {field === 'color' ? <Swatch color={note.color} /> : formatValueLabel(note[field])}
      </button>
    ))}
    {note.archived && <span>Archived</span>}
    <time
      dateTime={note.updatedAt}
      title={`Changed ${formatDateTime(note.updatedAt)}, created ${formatDateTime(note.createdAt)}`}
    >
      {formatTimeAgo(note.updatedAt)}
    </time>
    {children}
  </div>
);

const formatFieldAndValue = (note: Note, field: ValueField): string =>
  `${capitalizeFirstLetter(field)}: ${formatValueLabel(note[field])}`;

const createFieldItems = (note: Note, field: ValueField): readonly MenuItem[] =>
  fieldValues[field].map(
    (value, index): MenuItem => ({
      name: formatValueLabel(value),
      icon: field === 'group' ? undefined : value,
      hint: keymap[field].keys[index],
      isChosen: note[field] === value,
      run: () => makeUndoWaitFor(setFieldAndNotify([findNoteById(note.id) ?? note], field, value)),
    }),
  );

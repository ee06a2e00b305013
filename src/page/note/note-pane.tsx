import { useSignal } from '@preact/signals';
import { useLayoutEffect, useRef } from 'preact/hooks';
import { fieldValues, type ValueField, valueFields } from '../../core/enums.ts';
import * as message from '../../core/error-messages.ts';
import type { Note } from '../../core/note.ts';
import { copiedNote, copy, copyNote, sourceOf } from '../copy/copy.ts';
import { Editor, NewEditor } from '../editor/editor.tsx';
import { UnsavedDraft } from '../editor/recover-drafts.tsx';
import { keymap, tooltip } from '../keyboard/keymap.ts';
import { archiving, noteActions, pinning } from '../keyboard/note-actions.ts';
import { Content, type Copy, useRendering } from '../markdown/content.tsx';
import { hasMarkdown } from '../markdown/plain-text.ts';
import { changeTo, pin } from '../selection/verbs.ts';
import { newFormKey } from '../state/drafts.ts';
import { setTo } from '../state/effects.ts';
import { pinned } from '../state/favourites.ts';
import { isBesideList, isCovered, isPaneOpen } from '../state/layout.ts';
import { editing } from '../state/navigation.ts';
import { loading, noteById } from '../state/notes.ts';
import { undoLater } from '../state/notifications.ts';
import { Action, Button, IconButton } from '../ui/buttons.tsx';
import { focusAwaited } from '../ui/focus.ts';
import { capitalized, displayTitle, formatDateTime, timeAgo, valueName } from '../ui/format.ts';
import { Hits } from '../ui/hits.tsx';
import { Icon, Swatch } from '../ui/icons.tsx';
import { type MenuItem, openMenu } from '../ui/menu.tsx';
import { closePane, editNote, shownNote } from '../ui/open-note.ts';
import { archive } from './archive.ts';
import { activate } from './rendered.ts';

const copyBlock: Copy = (text, { isShell, isExact }) =>
  void copy({ ...sourceOf(text, isShell), name: 'the block' }, isExact ? 'raw' : 'usual');

export function NotePane() {
  const { value: id } = shownNote;
  const isNew = editing.value === 'new';
  if (id === undefined && !isNew) return <div id="detail" class="nothing-open" />;
  const note = id === undefined ? undefined : noteById(id);
  const isPreview = !isPaneOpen.value;
  return (
    <section
      id="detail"
      class={`detail-pane ${isPreview ? 'is-preview' : ''}`}
      tabIndex={-1}
      aria-label={isNew ? 'New note' : isPreview ? 'Selected note' : 'Open note'}
    >
      {isCovered.value && <h1 class="sr-only">Notes</h1>}
      {isNew && <NewEditor key={newFormKey.value} draftKey={newFormKey.value} />}
      {!isNew && note && editing.value === id && <Editor note={note} key={id} />}
      {!isNew && note && editing.value !== id && <NoteView note={note} />}
      {!isNew && !note && loading.value.kind === 'ready' && <NotFound id={id} />}
    </section>
  );
}

const NotFound = ({ id = 0 }: { id: Note['id'] | undefined }) => (
  <>
    <div class="note-head">
      <h2 class="note-title" id="note-title">
        Not found
      </h2>
      <Close />
    </div>
    <p class="px-(--gutter)">{message.noSuchNote(id)}</p>
  </>
);

const Close = () => (
  <IconButton
    name={isBesideList.value ? 'close' : 'back'}
    label="Back to the list"
    title={tooltip('back')}
    class="note-close no-print"
    onClick={closePane}
  />
);

function NoteView({ note: wanted }: { note: Note }) {
  const rawId = useSignal<Note['id'] | undefined>(undefined);
  const { note, rendering } = useRendering(wanted, rawId.value === wanted.id);
  const body = useRef<HTMLElement>(null);
  useLayoutEffect(() => body.current?.scrollTo(0, 0), [note.id]);
  useLayoutEffect(focusAwaited, []); // that of a link
  const isRaw = rawId.value === note.id;
  return (
    <>
      <div class="note-head">
        <h2
          id="note-title"
          class="note-title"
          dir="auto"
          title={displayTitle(note)}
          onDblClick={() => editNote(note, 'title')}
        >
          <Hits text={displayTitle(note)} />
        </h2>
        <CopyButton note={note} />
        <Actions
          note={note}
          raw={hasMarkdown(note.category) ? { isRaw, toggle: setTo(rawId, isRaw ? undefined : note.id) } : undefined}
        />
        <Close />
      </div>
      <Facts note={note} />
      <UnsavedDraft note={note} />
      <section
        ref={body}
        class="detail-body"
        aria-labelledby="note-title"
        tabIndex={-1}
        onDblClick={({ target }) => {
          if (target instanceof Element && !target.closest('a, button, input')) editAtSelection(note, body.current);
        }}
      >
        <div data-hits key={note.id}>
          <Content
            note={note}
            rendering={rendering}
            copy={copyBlock}
            activate={(rendered, text) => activate(rendered, note.id, text)}
          />
        </div>
      </section>
    </>
  );
}

/** Opens the form with the caret at the word that a double click has selected, as far as the source has it too. */
function editAtSelection(note: Note, body: HTMLElement | null): void {
  const chosen = getSelection();
  const word = chosen?.toString().trim() ?? '';
  const before = new Range();
  if (body && chosen?.anchorNode) {
    before.setStart(body, 0);
    before.setEnd(chosen.anchorNode, chosen.anchorOffset);
  }
  const source = note.content.replace(/\r\n?/g, '\n'); // as the form holds it
  let at = -1;
  for (let left = before.toString().split(word).length; left > 0 && word !== ''; left--) {
    const next = source.indexOf(word, at + 1);
    if (next < 0) break;
    at = next;
  }
  editNote(note);
  const area = document.querySelector<HTMLTextAreaElement>('#detail textarea[name=content]');
  area?.blur(); // the next focus scrolls to the caret
  area?.setSelectionRange(Math.max(at, 0), Math.max(at, 0));
  area?.focus();
}

function CopyButton({ note }: { note: Note }) {
  const isDone = copiedNote.value === note.id;
  return (
    <Button
      class="btn-primary note-copy no-print"
      aria-label={isDone ? 'Copied' : 'Copy'}
      title={tooltip('copy', 'Copy')}
      onClick={() => void copyNote(note)}
    >
      <Icon name={isDone ? 'check' : 'copy'} />
      <span>{isDone ? 'Copied' : 'Copy'}</span>
    </Button>
  );
}

/** Of a note that is rendered. */
type Raw = Readonly<{ isRaw: boolean; toggle: () => void }> | undefined;

function Actions({ note, raw }: { note: Note; raw: Raw }) {
  const isPinned = pinned.value.has(note.id);
  const pinText = pinning(note);
  return (
    <div class="note-actions no-print">
      <Action name="edit" text="Edit" title={tooltip('edit', 'Edit')} onClick={() => editNote(note)} />
      <Action
        name="pin"
        text={pinText}
        title={tooltip('pin', pinText)}
        aria-pressed={isPinned}
        onClick={() => pin([note])}
      />
      {!isBesideList.value && (
        <Action {...archiving(note.archived)} title={tooltip('archive')} onClick={() => void archive(note)} />
      )}
      <Action
        name="more"
        text="More"
        title="More actions"
        aria-haspopup="menu"
        onClick={({ currentTarget }) =>
          openMenu({ label: `Actions of ${displayTitle(note)}`, items: moreActions(note, raw), at: currentTarget })
        }
      />
    </div>
  );
}

/** The commands act on the open note, which gets the focus back from the menu. */
function moreActions(note: Note, raw: Raw): readonly MenuItem[] {
  const items = noteActions(note, isBesideList.value ? beside : [...beside, 'archive']);
  return raw
    ? [...items, { name: raw.isRaw ? 'Show it rendered' : 'Show it raw', mark: 'css', run: raw.toggle }]
    : items;
}

const beside = ['copy', 'edit', 'pin'] as const;

const Facts = ({ note }: { note: Note }) => (
  <div class="note-facts">
    {valueFields.map((field) => (
      <button
        key={field}
        type="button"
        class="chip-field touch"
        aria-haspopup="menu"
        aria-label={`${capitalized(field)}: ${valueName(note[field])}`}
        onClick={({ currentTarget }) =>
          openMenu({ label: `Change the ${field}`, items: valuesFor(note, field), at: currentTarget })
        }
      >
        {field === 'color' ? <Swatch color={note.color} /> : valueName(note[field])}
      </button>
    ))}
    {note.archived && <span>Archived</span>}
    <time
      dateTime={note.updatedAt}
      title={`Changed ${formatDateTime(note.updatedAt)}, created ${formatDateTime(note.createdAt)}`}
    >
      {timeAgo(note.updatedAt)}
    </time>
  </div>
);

const valuesFor = (note: Note, field: ValueField): readonly MenuItem[] =>
  fieldValues[field].map((value, index) => ({
    name: valueName(value),
    mark: field === 'group' ? undefined : value,
    hint: keymap[field].keys[index],
    isChosen: note[field] === value,
    run: () => undoLater(changeTo([note], field, value)),
  }));

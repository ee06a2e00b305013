import { useSignal } from '@preact/signals';
import { Fragment } from 'preact';
import { useMemo } from 'preact/hooks';
import * as message from '../../core/message.ts';
import type { Note } from '../../core/note.ts';
import { placeholdersIn } from '../../core/placeholders.ts';
import { copiedNote, copy, copyLink, copyNote, sourceOf, sourceOfNote } from '../copy/copy.ts';
import { duplicate } from '../editor/commands.ts';
import { UnsavedDraft } from '../editor/draft-notice.tsx';
import { Editor } from '../editor/editor.tsx';
import { keymap, tooltip } from '../keyboard/keymap.ts';
import { Content, type Copy } from '../markdown/content.tsx';
import { isMarkdown } from '../markdown/plain-text.ts';
import { groupName } from '../state/labels/labels.ts';
import { isBesideList, isCovered } from '../state/layout.ts';
import { editing } from '../state/navigation.ts';
import { loading, noteById } from '../state/notes.ts';
import { noteAtCursor } from '../state/results.ts';
import { displayTitle, formatDateTime } from '../ui/format.ts';
import { Hits } from '../ui/hits.tsx';
import { IconButton } from '../ui/icon-button.tsx';
import { Icon, type IconProps } from '../ui/icons.tsx';
import { closeNote, editNote, showHistory } from '../ui/open-note.ts';
import { isOpen, shownNote } from '../ui/shown-note.ts';
import { Swatch } from '../ui/swatch.tsx';
import { Toggle } from '../ui/toggle.tsx';
import { archive } from './archive.ts';
import { activate } from './rendered.ts';

const copyBlock: Copy = (text, { isShell, isExact }) =>
  void copy({ ...sourceOf(text, isShell), name: 'the block' }, isExact ? 'raw' : 'usual');

/** The open note, its form, or a preview of the note under the cursor. */
export function NotePane() {
  const id = shownNote.value;
  if (id === undefined) return <NothingShown />;
  const note = noteById(id);
  return (
    <section
      id="detail"
      class={`detail-pane ${isOpen.value ? '' : 'is-preview'}`}
      tabIndex={-1}
      aria-label={isOpen.value ? 'Open note' : 'Selected note'}
    >
      {note && editing.value === id && <Editing note={note} key={id} />}
      {note && editing.value !== id && <NoteView note={note} key={id} />}
      {!note && loading.value.kind === 'ready' && <NotFound id={id} />}
    </section>
  );
}

const hints = ['search', 'copy', 'open', 'create', 'help'] as const;

/** Without a note, shows the most important keys; blank while one is loading. */
const NothingShown = () => (
  <div id="detail" class="nothing-open muted">
    {loading.value.kind === 'ready' &&
      noteAtCursor.value === undefined &&
      hints.map((command) => (
        <Fragment key={command}>
          <kbd class="kbd kbd-sm">{keymap[command].keys[0]}</kbd>
          {keymap[command].label}
        </Fragment>
      ))}
  </div>
);

const NotFound = ({ id }: { id: number }) => (
  <>
    <PaneHeader title="Not found" />
    <p class="px-(--gutter)">{message.noSuchNote(id)}</p>
  </>
);

const Editing = ({ note }: { note: Note }) => (
  <>
    <PaneHeader title={`Edit “${displayTitle(note)}”`} isSmall />
    <Editor note={note} />
  </>
);

function NoteView({ note }: { note: Note }) {
  const isRaw = useSignal(false);
  return (
    <>
      <PaneHeader title={displayTitle(note)} />
      <div class="no-print note-actions">
        <Buttons note={note} />
      </div>
      <UnsavedDraft note={note} />
      <section class="detail-body" aria-labelledby="note-title" tabIndex={-1}>
        <div class="mb-4 flex items-start justify-between gap-4">
          <Metadata note={note} />
          {isMarkdown(note.category) && (
            <Toggle on={isRaw} class="no-print -my-0.5 shrink-0 max-sm:-my-3">
              Raw
            </Toggle>
          )}
        </div>
        <div data-hits>
          <Content
            note={note}
            raw={isRaw.value}
            copy={copyBlock}
            activate={(rendered, text) => activate(rendered, note.id, text)}
          />
        </div>
      </section>
    </>
  );
}

const PaneHeader = ({ title, isSmall = false }: { title: string; isSmall?: boolean }) => (
  <div class={`flex gap-3 px-(--gutter) max-sm:gap-0 ${isSmall ? 'items-center pt-2' : 'items-start py-3'}`}>
    {isCovered.value && <h1 class="sr-only">Notes</h1>}
    <h2
      id="note-title"
      class={`min-w-0 flex-1 ${isSmall ? 'truncate text-sm muted' : 'max-h-39 overflow-y-auto text-xl font-semibold break-words'}`}
      dir="auto"
    >
      {isSmall ? title : <Hits text={title} />}
    </h2>
    {isOpen.value && (
      <IconButton
        name={isBesideList.value ? 'close' : 'back'}
        label="Back to the list"
        title={tooltip('back')}
        class="no-print -my-0.5 max-sm:order-first max-sm:-ms-3 max-sm:-my-2"
        onClick={closeNote}
      />
    )}
  </div>
);

function Buttons({ note }: { note: Note }) {
  const isDone = copiedNote.value === note.id;
  const hasNames = useMemo(() => placeholdersIn(note.content).length > 0, [note.content]);
  const isAltered = useMemo(() => hasNames || sourceOfNote(note).exact !== undefined, [note]);
  return (
    <>
      <button
        type="button"
        class="btn btn-primary btn-sm touch"
        title={tooltip('copy', 'Copy')}
        onClick={() => void copyNote(note)}
      >
        <Icon name={isDone ? 'check' : 'copy'} />
        {isDone ? 'Copied' : 'Copy'}
      </button>
      {isAltered && (
        <button
          type="button"
          class="btn btn-sm touch"
          title={tooltip('copyRaw')}
          onClick={() => void copyNote(note, 'raw')}
        >
          Copy raw
        </button>
      )}
      {action('edit', 'Edit', () => editNote(note))}
      {action('duplicate', 'Duplicate', () => duplicate(note))}
      {action('archive', note.archived ? 'Unarchive' : 'Archive', () => void archive(note), note.archived && 'restore')}
      {action('history', 'History', () => showHistory(note))}
      {action('link', 'Link', () => void copyLink(note))}
    </>
  );
}

type Action = 'edit' | 'duplicate' | 'archive' | 'history' | 'link';

const action = (command: Action, label: string, run: () => void, icon: IconProps['name'] | false = false) => (
  <button type="button" class="btn btn-ghost btn-sm touch" title={tooltip(command)} onClick={run}>
    <Icon name={icon || command} />
    <span>{label}</span>
  </button>
);

const Metadata = ({ note }: { note: Note }) => (
  <p class="flex flex-wrap gap-x-3 text-sm muted tabular-nums">
    <span>{note.category}</span>
    <span>group {groupName(note.group)}</span>
    <span class="whitespace-nowrap">
      <Swatch color={note.color} /> {note.color}
    </span>
    {note.archived && <span>archived</span>}
    <time dateTime={note.updatedAt} title={`Created ${formatDateTime(note.createdAt)}`}>
      changed {formatDateTime(note.updatedAt)}
    </time>
  </p>
);

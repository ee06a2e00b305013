import { useSignal } from '@preact/signals';
import { Fragment } from 'preact';
import { useMemo } from 'preact/hooks';
import * as message from '../../domain/message.ts';
import type { Note } from '../../domain/note.ts';
import { placeholdersIn } from '../../domain/placeholders.ts';
import { copy, copyNote, justCopied } from '../copy/copy.ts';
import { Editor, waitingDraft } from '../editor/editor.tsx';
import { discardDraft } from '../editor/recover-drafts.ts';
import { keymap, tip } from '../keyboard/keymap.ts';
import { editing } from '../state/layout.ts';
import { place } from '../state/navigation.ts';
import { loading, noteById } from '../state/notes.ts';
import { moment, shownTitle } from '../ui/format.ts';
import { Hits } from '../ui/hits.tsx';
import { Icon } from '../ui/icons.tsx';
import { closeNote, edit } from '../ui/open-note.ts';
import { Swatch } from '../ui/swatch.tsx';
import { archive } from './archive.ts';
import { Content, hasForm } from './content.tsx';

/** The open note, or its form. */
export function Detail() {
  const { note: id } = place.value;
  if (id === undefined) return <NothingOpen />;
  const note = noteById(id);
  return (
    <section id="detail" class="detail-pane" tabIndex={-1} aria-label="Open note">
      {note && editing.value === id && <Editing note={note} key={id} />}
      {note && editing.value !== id && <Shown note={note} key={id} />}
      {!note && loading.value.kind === 'ready' && <Unknown id={id} />}
    </section>
  );
}

const hints = ['search', 'copy', 'open', 'create', 'help'] as const;

/** What to press first. */
const NothingOpen = () => (
  <div id="detail" class="nothing-open muted">
    {hints.map((command) => (
      <Fragment key={command}>
        <kbd class="kbd kbd-sm">{keymap[command].keys[0]}</kbd>
        {keymap[command].label}
      </Fragment>
    ))}
  </div>
);

const Unknown = ({ id }: { id: number }) => (
  <>
    <Head title="Not found" />
    <p class="px-(--gutter)">{message.noSuchNote(id)}</p>
  </>
);

const Editing = ({ note }: { note: Note }) => (
  <>
    <Head title={`Edit “${shownTitle(note)}”`} />
    <Editor note={note} />
  </>
);

function Shown({ note }: { note: Note }) {
  const isRaw = useSignal(false);
  return (
    <>
      <Head title={shownTitle(note)} />
      <div class="no-print flex flex-wrap items-center gap-2 border-b border-base-300 px-(--gutter) pb-3">
        <Buttons note={note} />
        {hasForm(note.category) && (
          <label class="ms-auto flex items-center gap-2 text-sm touch">
            <input
              type="checkbox"
              class="toggle toggle-sm"
              checked={isRaw.value}
              onChange={({ currentTarget }) => {
                isRaw.value = currentTarget.checked;
              }}
            />
            Raw
          </label>
        )}
      </div>
      <KeptDraft note={note} />
      <section class="detail-body" aria-labelledby="note-title" tabIndex={-1}>
        <Facts note={note} />
        <div data-hits>
          <Content note={note} raw={isRaw.value} copy={(text) => void copy({ text, name: 'the block' })} />
        </div>
      </section>
    </>
  );
}

const Head = ({ title }: { title: string }) => (
  <div class="flex items-start gap-3 px-(--gutter) py-3">
    <h2 id="note-title" class="max-h-35 min-w-0 flex-1 overflow-y-auto text-xl font-semibold break-words" dir="auto">
      <Hits text={title} />
    </h2>
    <button
      type="button"
      class="no-print btn btn-ghost btn-sm btn-square touch"
      aria-label="Back to the list"
      title={tip('back')}
      onClick={closeNote}
    >
      <Icon name="close" />
    </button>
  </div>
);

function Buttons({ note }: { note: Note }) {
  const isDone = justCopied.value === note.id;
  const hasNames = useMemo(() => placeholdersIn(note.content).length > 0, [note.content]);
  return (
    <>
      <button
        type="button"
        class="btn btn-primary btn-sm touch"
        title={tip('copy', 'Copy')}
        onClick={() => void copyNote(note)}
      >
        <Icon name={isDone ? 'check' : 'copy'} />
        {isDone ? 'Copied' : 'Copy'}
      </button>
      {hasNames && (
        <button
          type="button"
          class="btn btn-sm touch"
          title={tip('copyRaw')}
          onClick={() => void copyNote(note, 'raw')}
        >
          Copy raw
        </button>
      )}
      <button type="button" class="btn btn-ghost btn-sm touch" title={tip('edit')} onClick={() => edit(note)}>
        <Icon name="edit" />
        <span class="max-sm:sr-only">Edit</span>
      </button>
      <button
        type="button"
        class="btn btn-ghost btn-sm touch"
        title={tip('archive')}
        onClick={() => void archive(note)}
      >
        <Icon name={note.archived ? 'restore' : 'archive'} />
        <span class="max-sm:sr-only">{note.archived ? 'Unarchive' : 'Archive'}</span>
      </button>
    </>
  );
}

const Facts = ({ note }: { note: Note }) => (
  <p class="mb-4 text-xs leading-5 muted tabular-nums">
    <Swatch color={note.color} />{' '}
    {[note.color, note.category, `group ${note.group}`, note.archived && 'archived'].filter(Boolean).join(' · ')}
    {' · '}
    <time dateTime={note.updatedAt} title={`Created ${moment(note.createdAt)}`}>
      changed {moment(note.updatedAt)}
    </time>
  </p>
);

/** What was typed and not saved is one step away. */
function KeptDraft({ note }: { note: Note }) {
  const draft = waitingDraft(note);
  if (!draft) return null;
  return (
    <p class="notice" role="status">
      <span class="flex-1">Changes that were not saved are kept in this browser.</span>
      <button type="button" class="btn btn-sm touch" onClick={() => edit(note)}>
        Continue
      </button>
      <button type="button" class="btn btn-ghost btn-sm touch" onClick={() => discardDraft(draft)}>
        Discard
      </button>
    </p>
  );
}

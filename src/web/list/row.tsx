import type { Note } from '../../domain/note.ts';
import { copyNote, justCopied } from '../copy/copy.ts';
import { tip } from '../keyboard/keymap.ts';
import { cursor, place } from '../state/navigation.ts';
import { writePlace } from '../state/url-state.ts';
import { ago, excerpt, moment, shownTitle } from '../ui/format.ts';
import { Hits, hitsIn } from '../ui/hits.tsx';
import { Icon } from '../ui/icons.tsx';
import { openNote } from '../ui/open-note.ts';
import { Swatch } from '../ui/swatch.tsx';

const isCode = (note: Note) => note.category === 'css' || note.category === 'bash-commands';

/** Clicks that open a tab or a window are the browser's. */
const isPlain = ({ button, ctrlKey, metaKey, shiftKey }: MouseEvent) =>
  button === 0 && !ctrlKey && !metaKey && !shiftKey;

/** A note in a list. Only the row under the cursor is a stop of the Tab key. */
export function Row({ note, isAtCursor }: { note: Note; isAtCursor: boolean }) {
  const isOpen = place.value.note === note.id;
  const tabIndex = isAtCursor ? 0 : -1;
  return (
    <>
      <a
        href={`?${writePlace({ ...place.value, note: note.id })}`}
        class={`row-link ${isAtCursor ? 'at-cursor' : ''} ${isOpen ? 'is-open' : ''}`}
        data-row={note.id}
        tabIndex={tabIndex}
        aria-current={isOpen ? 'true' : undefined}
        onFocus={() => {
          cursor.value = note.id;
        }}
        onClick={(event) => {
          if (!isPlain(event)) return;
          event.preventDefault();
          openNote(note);
        }}
      >
        <span class="flex items-baseline gap-3">
          <span class="row-title min-w-0 flex-1 truncate" dir="auto" title={tip('open', shownTitle(note))} data-title>
            <Hits text={shownTitle(note)} />
          </span>
          <time
            class="row-time shrink-0 text-xs muted tabular-nums"
            dateTime={note.updatedAt}
            title={moment(note.updatedAt)}
          >
            {ago(note.updatedAt)}
          </time>
        </span>
        <span
          class={`row-excerpt block truncate text-[0.8125rem] leading-5 muted ${isCode(note) ? 'font-mono' : ''}`}
          dir={isCode(note) ? 'ltr' : 'auto'}
        >
          <Hits text={excerptOf(note)} />
        </span>
        <span class="row-facts flex items-center gap-1.5 text-xs muted">
          <Swatch color={note.color} />
          <span class="truncate">
            {note.color} · {note.category}
            <span class="row-group"> · {note.group}</span>
          </span>
        </span>
      </a>
      <CopyButton note={note} tabIndex={tabIndex} />
    </>
  );
}

function CopyButton({ note, tabIndex }: { note: Note; tabIndex: number }) {
  const isDone = justCopied.value === note.id;
  return (
    <button
      type="button"
      class="btn btn-ghost btn-xs row-copy touch"
      tabIndex={tabIndex}
      aria-label={`Copy ${shownTitle(note)}`}
      title={tip('copy', 'Copy')}
      onClick={() => void copyNote(note)}
    >
      <Icon name={isDone ? 'check' : 'copy'} />
      <span class="row-copy-label">{isDone ? 'Copied' : 'Copy'}</span>
    </button>
  );
}

/** The beginning of the content, or what stands around the first hit in it. */
function excerptOf({ content }: Note): string {
  const { query } = place.value;
  const start = query === '' ? 0 : (hitsIn(content.slice(0, 20_000), 1)[0]?.start ?? 0);
  return start < 60
    ? excerpt(content)
    : `… ${excerpt(content.slice(start - 40, start).replace(/^\S{0,20}\s/, '') + content.slice(start))}`;
}

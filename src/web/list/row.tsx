import type { Note } from '../../domain/note.ts';
import { copiedNote, copyNote } from '../copy/copy.ts';
import { tooltip } from '../keyboard/keymap.ts';
import { cursor, urlState } from '../state/navigation.ts';
import { formatUrlState } from '../state/url-state.ts';
import { displayTitle, excerpt, formatDateTime, timeAgo } from '../ui/format.ts';
import { Hits, hitsIn } from '../ui/hits.tsx';
import { Icon } from '../ui/icons.tsx';
import { openNote } from '../ui/open-note.ts';
import { Swatch } from '../ui/swatch.tsx';

const isCode = (note: Note) => note.category === 'css' || note.category === 'bash-commands';

/** Leaves clicks that open a tab or a window to the browser. */
const isPlainClick = ({ button, ctrlKey, metaKey, shiftKey }: MouseEvent) =>
  button === 0 && !ctrlKey && !metaKey && !shiftKey;

interface RowFacts {
  readonly note: Note;
  readonly index: number;
  /** How many notes the list has. */
  readonly count: number;
  readonly isAtCursor: boolean;
}

/**
 * A note in a list. Only the row under the cursor is a tab stop. The list calls this function, and it calls others, so that
 * no component in a row reads signals: those skip renders, and Preact then keeps each past list with its rows.
 */
export function row({ note, index, count, isAtCursor }: RowFacts) {
  const isOpen = urlState.value.note === note.id;
  const tabIndex = isAtCursor ? 0 : -1;
  return (
    <li
      key={note.id}
      class="row"
      style={{ top: `calc(var(--row) * ${index})` }}
      aria-setsize={count}
      aria-posinset={index + 1}
    >
      <a
        href={`?${formatUrlState({ ...urlState.value, note: note.id })}`}
        class={`row-link ${isAtCursor ? 'at-cursor' : ''} ${isOpen ? 'is-open' : ''}`}
        data-row={note.id}
        tabIndex={tabIndex}
        aria-current={isOpen ? 'true' : undefined}
        onFocus={() => {
          cursor.value = note.id;
        }}
        onClick={(event) => {
          if (!isPlainClick(event)) return;
          event.preventDefault();
          openNote(note);
        }}
      >
        <span class="flex items-baseline gap-3">
          <span
            class="row-title min-w-0 flex-1 truncate"
            dir="auto"
            title={tooltip('open', displayTitle(note))}
            data-title
          >
            {Hits({ text: displayTitle(note) })}
          </span>
          <time
            class="row-time shrink-0 text-xs muted tabular-nums"
            dateTime={note.updatedAt}
            title={formatDateTime(note.updatedAt)}
          >
            {timeAgo(note.updatedAt)}
          </time>
        </span>
        <span
          class={`row-excerpt block truncate text-[0.8125rem] leading-5 muted ${isCode(note) ? 'font-mono' : ''}`}
          dir={isCode(note) ? 'ltr' : 'auto'}
        >
          {Hits({ text: excerptAtHit(note) })}
        </span>
        <span class="row-facts flex items-center gap-1.5 text-xs muted">
          <Swatch color={note.color} />
          <span class="truncate">
            {note.color} · {note.category}
            <span class="row-group"> · {note.group}</span>
          </span>
        </span>
      </a>
      {copyButton(note, tabIndex)}
    </li>
  );
}

function copyButton(note: Note, tabIndex: number) {
  const isDone = copiedNote.value === note.id;
  return (
    <button
      type="button"
      class="btn btn-ghost btn-xs row-copy touch"
      tabIndex={tabIndex}
      aria-label={`Copy ${displayTitle(note)}`}
      title={tooltip('copy', 'Copy')}
      onClick={() => void copyNote(note)}
    >
      <Icon name={isDone ? 'check' : 'copy'} />
      <span class="row-copy-label">{isDone ? 'Copied' : 'Copy'}</span>
    </button>
  );
}

/** The beginning of the content, or what stands around the first hit in it. */
function excerptAtHit({ content }: Note): string {
  const { query } = urlState.value;
  const start = query === '' ? 0 : (hitsIn(content.slice(0, 20_000), 1)[0]?.start ?? 0);
  return start < 60
    ? excerpt(content)
    : `… ${excerpt(content.slice(start - 40, start).replace(/^\S{0,20}\s/, '') + content.slice(start))}`;
}

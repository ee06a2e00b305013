import type { Note } from '../../core/note.ts';
import { deriveTitle } from '../../core/text/derive-title.ts';
import { copiedNote, copyNote } from '../copy/copy.ts';
import { tooltip } from '../keyboard/keymap.ts';
import { hasMarkdown, isCode, withoutMarks } from '../markdown/plain-text.ts';
import { selected, selectsByClick, toggleSelected } from '../selection/selection.ts';
import { setTo } from '../state/effects.ts';
import { pinned } from '../state/favourites.ts';
import { groupName } from '../state/labels.ts';
import { cursor, urlState } from '../state/navigation.ts';
import { loading, sortTimeOf } from '../state/notes.ts';
import { formatUrlState } from '../state/url-state.ts';
import { displayTitle, formatDateTime, maxExcerptLength, rowExcerpt, shortTime } from '../ui/format.ts';
import { Hits, hitsIn } from '../ui/hits.tsx';
import { Icon } from '../ui/icons.tsx';
import { openNote } from '../ui/open-note.ts';

interface RowFacts {
  readonly note: Note;
  readonly index: number;
  readonly count: number;
  readonly isAtCursor: boolean;
  readonly isBelowHeading: boolean;
}

/** No component: those that read signals skip renders, which makes Preact retain every past list with its rows. */
export function row({ note, index, count, isAtCursor, isBelowHeading }: RowFacts) {
  const isOpen = urlState.value.note === note.id;
  const tabIndex = isAtCursor ? 0 : -1;
  const isSelected = selected.value.has(note.id);
  const isCopied = copiedNote.value === note.id;
  const isPinned = pinned.value.has(note.id);
  const time = sortTimeOf(note);
  const isTimed = loading.value.kind === 'ready'; // the first date format takes 25 ms: not for the first notes
  const states = [isAtCursor && 'at-cursor', isOpen && 'is-open', isSelected && 'is-selected', isCopied && 'is-copied'];
  return (
    // biome-ignore lint/a11y/useFocusableInteractive: the link and the buttons inside have the focus
    // biome-ignore lint/a11y/useSemanticElements: rows of a table cannot be positioned absolutely, as the visible ones are
    <div
      key={note.id}
      class="row"
      role="row"
      aria-selected={isSelected}
      style={{ top: `calc(var(--row) * ${index}${isBelowHeading ? ' + var(--heading)' : ''})` }}
      aria-setsize={count}
      aria-posinset={index + 1}
    >
      {/* biome-ignore lint/a11y/useFocusableInteractive: the link and the buttons inside have the focus */}
      {/* biome-ignore lint/a11y/useSemanticElements: a table cell must be in a table row */}
      <div class="h-full" role="gridcell">
        <a
          href={`?${formatUrlState({ ...urlState.value, note: note.id })}`}
          class={`row-link ${states.filter(Boolean).join(' ')}`}
          data-row={note.id}
          tabIndex={tabIndex}
          aria-current={isOpen ? 'true' : undefined}
          onFocus={setTo(cursor, note.id)}
          onClick={(event) => {
            if (selectsByClick(event, note)) return;
            event.preventDefault();
            openNote(note);
          }}
        >
          {note.color !== 'neutral' && (
            <span class="swatch row-dot" style={{ '--own': `var(--color-${note.color})` }} title={note.color} />
          )}
          <Icon name={note.category} />
          <span class="row-title" dir="auto" title={displayTitle(note)} data-title>
            {Hits({ text: displayTitle(note) })}
          </span>
          <span
            class={`row-excerpt muted ${isCode(note.category) ? 'font-mono' : ''}`}
            dir={isCode(note.category) ? 'ltr' : 'auto'}
          >
            {Hits({ text: excerptAtHit(note) })}
          </span>
          {isPinned && (
            <span class="row-pin muted">
              <Icon name="pin" />
            </span>
          )}
          <time class="row-time muted" dateTime={time} title={isTimed ? formatDateTime(time) : ''}>
            {isTimed && shortTime(time)}
          </time>
          <span class="sr-only">
            {note.category}, group {groupName(note.group)}, color {note.color}
            {isPinned && ', pinned'}
            {isSelected && ', selected'}
          </span>
        </a>
        {checkbox(note, isSelected)}
        {copyButton(note, tabIndex, isCopied)}
      </div>
    </div>
  );
}

/** The `x` key does the same. */
function checkbox(note: Note, isSelected: boolean) {
  return (
    // biome-ignore lint/a11y/useSemanticElements: a native one would be toggled by the click before the selection is
    <button
      type="button"
      role="checkbox"
      aria-checked={isSelected}
      tabIndex={-1}
      class="row-check"
      aria-label={`Select ${displayTitle(note)}`}
      title={tooltip('select')}
      onClick={(event) => {
        if (!event.shiftKey || !selectsByClick(event, note)) toggleSelected(note);
      }}
    >
      {isSelected && Icon({ name: 'check' })}
    </button>
  );
}

function copyButton(note: Note, tabIndex: number, isDone: boolean) {
  return (
    <button
      type="button"
      class="btn btn-ghost btn-sm btn-square row-copy touch"
      tabIndex={tabIndex}
      aria-label={`Copy ${displayTitle(note)}`}
      title={tooltip('copy', isDone ? 'Copied' : 'Copy')}
      onClick={() => void copyNote(note)}
    >
      <Icon name={isDone ? 'check' : 'copy'} />
    </button>
  );
}

/** Where the text goes on after its title, if that was taken from it. */
function afterTitle({ title, content }: Note): number {
  const start = content.slice(0, 2_000);
  return deriveTitle(start) === title ? start.indexOf(title) + title.length : 0;
}

/** The start of the content after its title, or the text around its first hit, without Markdown syntax. */
function excerptAtHit(note: Note): string {
  const { content, title } = note;
  const { query } = urlState.value;
  const hit = query === '' ? 0 : (hitsIn(content.slice(0, 20_000), 1)[0]?.start ?? 0);
  const start = hit < 30 ? 0 : hit - 20; // keeps the hit in sight
  const from = start === 0 ? afterTitle(note) : start;
  const part = content.slice(from, from + 3 * maxExcerptLength);
  const plain = (hasMarkdown(note.category) ? withoutMarks(part) : part).trim();
  const rest = start === 0 && plain.startsWith(title) ? plain.slice(title.length) : plain;
  const line = rowExcerpt(rest.trim().replace(/\s*\n\s*/g, ' ⏎ '));
  return start === 0 ? line : `… ${line.replace(/^\S{0,15}\s/, '')}`;
}

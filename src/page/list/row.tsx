import { findBestMatchRun } from '../../core/match-runs.ts';
import type { Note } from '../../core/note.ts';
import { findBodyStart } from '../../core/text/yaml-front-matter.ts';
import { copiedNoteId, copyNoteOrPromptForValues } from '../copy/copy-to-clipboard.ts';
import { formatTooltip } from '../keyboard/keymap.ts';
import { codeNoteCheck } from '../markdown/code-note-check.ts';
import { isMarkdownCategory, removeMarkdownSyntax, removeScrapsBehindTitle } from '../markdown/plain-text.ts';
import { hasSelection, selectedIds, toggleNoteSelection, trySelectByClick } from '../selection/selection.ts';
import { watchMediaQuery } from '../state/layout.ts';
import { activeSort, searchedWords } from '../state/listed-notes.ts';
import { cursorNoteId, urlState } from '../state/navigation.ts';
import { getSortTime, listLoadState } from '../state/notes.ts';
import { pinnedIdSet } from '../state/pinned-ids.ts';
import { createSetter } from '../state/signal-helpers.ts';
import { formatUrlState } from '../state/url-state.ts';
import {
  formatDateTime,
  formatNoteTitle,
  formatRowExcerpt,
  formatShortTime,
  formatValueLabel,
} from '../ui/format-for-page.ts';
import { findHits, markHitsWithoutHighlights } from '../ui/hits.tsx';
import { Icon } from '../ui/icons.tsx';
import { openNoteAndFocus } from '../ui/open-note.ts';

interface RowProps {
  readonly note: Note;
  readonly rowKey: number | undefined;
  readonly index: number;
  readonly count: number;
  readonly isAtCursor: boolean;
  /** Whether the pointer or the focus may be on it. */
  readonly isInUse: boolean;
  /** In characters. */
  readonly excerptLength: number;
  readonly style: { readonly top: string; readonly height?: string };
  readonly class?: string;
}

/** No component: those that read signals skip renders, which makes Preact retain every past list with its rows. */
export function renderRow(row: RowProps) {
  const { note, rowKey, index, count, isAtCursor, isInUse, excerptLength, style, class: more = '' } = row;
  const isOpen = urlState.value.note === note.id;
  const isSelected = selectedIds.value.has(note.id);
  const isCopied = copiedNoteId.value === note.id;
  const isCode = codeNoteCheck.value(note);
  const isPinned = pinnedIdSet.value.has(note.id);
  const time = activeSort.value === 'created' ? note.createdAt : getSortTime(note);
  const isTimed = listLoadState.value.kind === 'ready'; // the first date format takes 25 ms: not for the first notes
  const states = [isAtCursor && 'at-cursor', isOpen && 'is-open', isSelected && 'is-selected', isCopied && 'is-copied'];
  return (
    // biome-ignore lint/a11y/useFocusableInteractive: the link and the buttons inside have the focus
    // biome-ignore lint/a11y/useSemanticElements: rows of a table cannot be positioned absolutely, as the visible ones are
    <div
      key={rowKey}
      class={`row ${more}`}
      role="row"
      aria-selected={isSelected}
      style={style}
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
          tabIndex={isAtCursor ? 0 : -1}
          aria-current={isOpen ? 'true' : undefined}
          onFocus={createSetter(cursorNoteId, note.id)}
          onClick={(event) => {
            if (trySelectByClick(event, note)) return;
            event.preventDefault();
            openNoteAndFocus(note);
          }}
        >
          <Icon name={note.category} color={note.color} />
          <span class="row-title" dir="auto" title={formatNoteTitle(note)} data-title data-hits>
            {markHitsWithoutHighlights(formatNoteTitle(note))}
          </span>
          <span class={`row-excerpt muted ${isCode ? 'font-mono' : ''}`} dir={isCode ? 'ltr' : 'auto'} data-hits>
            {createExcerptLines(note, isCode, excerptLength).flatMap((line, index) => {
              const marked = markHitsWithoutHighlights(line);
              return index === 0 ? [marked] : [<span class="line-end"> · </span>, marked];
            })}
          </span>
          {isPinned && (
            <span class="row-pin muted">
              <Icon name="pin" />
            </span>
          )}
          <time class="row-time muted" dateTime={time} title={isTimed ? formatDateTime(time) : ''}>
            {isTimed && formatShortTime(time)}
          </time>
          <span class="sr-only">
            {`${formatValueLabel(note.category)}, group ${formatValueLabel(note.group)}, color ${note.color}`}
            {isPinned && ', pinned'}
            {isSelected && ', selected'}
          </span>
        </a>
        {renderCheckboxIfShown(note, isSelected, isInUse)}
        {renderCopyButtonIfShown(note, isAtCursor, isInUse)}
      </div>
    </div>
  );
}

/** Fingers cannot: they see Copy in every row. */
const canPointerHover = watchMediaQuery('(hover: hover)');

/** The `x` key does the same. */
function renderCheckboxIfShown(note: Note, isSelected: boolean, isInUse: boolean) {
  if (!isInUse && !hasSelection()) return null;
  return (
    // biome-ignore lint/a11y/useSemanticElements: a native one would be toggled by the click before the selection is
    <button
      type="button"
      role="checkbox"
      aria-checked={isSelected}
      tabIndex={-1}
      class="row-check"
      aria-label={`Select ${formatNoteTitle(note)}`}
      title={formatTooltip('select')}
      onClick={(event) => {
        if (!event.shiftKey || !trySelectByClick(event, note)) toggleNoteSelection(note);
      }}
    >
      {isSelected && Icon({ name: 'check' })}
    </button>
  );
}

function renderCopyButtonIfShown(note: Note, isAtCursor: boolean, isInUse: boolean) {
  if (!isInUse && !isAtCursor && canPointerHover.value) return null;
  const isDone = copiedNoteId.value === note.id;
  return (
    <button
      type="button"
      class="btn btn-ghost btn-sm btn-square row-copy touch"
      tabIndex={isAtCursor ? 0 : -1}
      aria-label={`Copy ${formatNoteTitle(note)}`}
      title={formatTooltip('copy', isDone ? 'Copied' : 'Copy')}
      onClick={() => void copyNoteOrPromptForValues(note)}
    >
      <Icon name={isDone ? 'check' : 'copy'} />
    </button>
  );
}

/** Where the text goes on after its title; undefined unless that is the first words of its body. */
function findTitleEnd(content: string, bodyStart: number, title: string): number | undefined {
  const body = content.slice(bodyStart, bodyStart + 2_000);
  const at = body.indexOf(title);
  const isFirst = at === 0 || (at > 0 && /^(?:#!.*)?[^\p{L}\p{N}]*$/u.test(body.slice(0, at)));
  return isFirst ? bodyStart + at + title.length : undefined;
}

/** More lines than a row has room for. */
const maxExcerptLines = 12;

/** In characters. The best hit of a row is looked for in so much of its text. */
const maxSearchedLength = 20_000;

const maxComparedHits = 1_000;

/** The offset of the hit that shows best why the note was found; 0 without a search or a hit. */
function findBestHitOffset(content: string): number {
  const query = searchedWords.value.trim();
  if (query === '') return 0;
  const text = content.slice(0, maxSearchedLength);
  const hits = findHits(text, /\s/.test(query) ? maxComparedHits : 1);
  return findBestMatchRun(text, hits)?.start ?? 0;
}

/**
 * Saves the search for front matter in most texts: a browser takes 5 ms to compile its pattern, for which the first rows
 * would wait.
 */
const mayHaveFrontMatter = (text: string) => /^\ufeff?---/.test(text);

/** The lines of the content after its front matter and title, or around its best hit, without Markdown syntax. */
function createExcerptLines(note: Note, isCode: boolean, length: number): readonly string[] {
  const { content } = note;
  const title = note.title.replace(/…$/, '');
  const isMarkdown = isMarkdownCategory(note.category) && !isCode;
  const bodyStart = isMarkdown && mayHaveFrontMatter(content) ? findBodyStart(content) : 0;
  const hit = findBestHitOffset(content);
  const isHitInSight = hit === 0 || (hit >= bodyStart && hit < bodyStart + 30);
  const titleEnd = isHitInSight ? findTitleEnd(content, bodyStart, title) : undefined;
  const from = titleEnd ?? (isHitInSight ? bodyStart : Math.max(hit - 20, 0));
  const text = content.slice(from, from + 3 * length);
  const part = titleEnd === undefined ? text : removeScrapsBehindTitle(text);
  const plain = (isMarkdown ? removeMarkdownSyntax(part) : part).trim();
  const rest = isHitInSight && plain.startsWith(title) ? removeScrapsBehindTitle(plain.slice(title.length)) : plain;
  const lines = formatRowExcerpt(rest, length).split('\n', maxExcerptLines);
  return isHitInSight ? lines : [`… ${lines[0]?.replace(/^\S{0,15}\s/, '')}`, ...lines.slice(1)];
}

/** Drafts of this browser, above the notes: those that wait for the service, and those whose form was left. */
import { computed, effect, signal } from '@preact/signals';
import { sortHitsByRank } from '../../core/search.ts';
import { filterNames, matchesNamedFilter } from '../../core/search-line.ts';
import { removeFrontMatter } from '../../core/text/yaml-front-matter.ts';
import { copyWithDefaultTitleAndContent } from '../editor/complete-fields.ts';
import { isReadAsCode } from '../editor/text-format.ts';
import { deleteDraftWithUndo, formatDraftName, openDraftForm, waitingLabel } from '../editor/unsaved-drafts.tsx';
import { removeMarkdownSyntax } from '../markdown/plain-text.ts';
import { type Draft, isUnansweredInThisTab, listClosedDrafts, listDrafts } from '../state/drafts.ts';
import { importedIds } from '../state/imported-ids.ts';
import { activeFilters, searchedLine, showsOnlyPinned } from '../state/listed-notes.ts';
import { isOffline, listLoadState } from '../state/notes.ts';
import { createIncrementalSearch } from '../state/typed-search.ts';
import { IconButton } from '../ui/buttons.tsx';
import { formatNoteTitle, formatRowExcerpt } from '../ui/format-for-page.ts';
import { Icon } from '../ui/icons.tsx';

const waitingDrafts = signal<readonly Draft[]>([]);

/** A draft that was sent while the service was away stays until it is stored, also while it is sent again. */
effect(() => {
  const before = new Set(waitingDrafts.peek().map(({ key }) => key));
  waitingDrafts.value = listDrafts().filter(
    (draft) => (draft.sent || isUnansweredInThisTab(draft)) && (isOffline.value || before.has(draft.key)),
  );
});

/** Those that no form of this tab has open. Which notes they change is known once the notes are loaded. */
const leftDrafts = computed(() => {
  if (listLoadState.value.kind !== 'ready') return [];
  const waitingKeys = new Set(waitingDrafts.value.map(({ key }) => key));
  return listClosedDrafts().filter(({ key }) => !waitingKeys.has(key));
});

const draftNotes = computed(() =>
  [...waitingDrafts.value, ...leftDrafts.value].map((draft, index) => ({
    ...copyWithDefaultTitleAndContent(draft.fields),
    id: -1 - index, // no note of the service has it
    updatedAt: new Date(draft.keptAt).toISOString(),
    archived: false,
    draft,
    isWaiting: index < waitingDrafts.value.length,
  })),
);

type DraftNote = (typeof draftNotes.value)[number];

/** Those that pass the search and the filters of the list. */
const shownDraftNotes = computed(() =>
  showsOnlyPinned.value || importedIds.value
    ? []
    : sortHitsByRank(createIncrementalSearch(draftNotes.value)(searchedLine.value).hits).filter((note) =>
        filterNames.every((name) => matchesNamedFilter(activeFilters.value, name, note)),
      ),
);

export const DraftRows = () =>
  shownDraftNotes.value.length > 0 && (
    <ul class="draft-rows no-print" aria-label="Not saved">
      {shownDraftNotes.value.map((note) => (
        <DraftRow key={note.draft.key} note={note} />
      ))}
    </ul>
  );

function DraftRow({ note }: { note: DraftNote }) {
  const { category, color, content, title } = note;
  const isCode = isReadAsCode(note);
  const text = isCode ? content : removeMarkdownSyntax(removeFrontMatter(content));
  const rest = text.trim().startsWith(title) ? text.trim().slice(title.length) : text;
  return (
    <li class="draft-row" data-draft={note.draft.key}>
      <button
        type="button"
        class="row-link"
        title={note.isWaiting ? 'Saved when the service is back' : 'Continue'}
        onClick={() => openDraftForm(note.draft)}
      >
        <Icon name={category} color={color} />
        <span class="row-title" dir="auto" data-title>
          {formatNoteTitle(note)}
        </span>
        <span class={`row-excerpt muted ${isCode ? 'font-mono' : ''}`} dir={isCode ? 'ltr' : 'auto'}>
          {formatRowExcerpt(rest).replaceAll('\n', ' · ')}
        </span>
        <span class="row-unsent">{note.isWaiting ? waitingLabel : 'Draft'}</span>
      </button>
      <IconButton
        name="close"
        label={`Discard the draft ${formatDraftName(note.draft)}`}
        onClick={() => deleteDraftWithUndo(note.draft)}
      />
    </li>
  );
}

import type { TargetedKeyboardEvent } from 'preact';
import { useRef } from 'preact/hooks';
import { categories, colors, groups } from '../../core/enums.ts';
import type { NoteDraft } from '../../core/note.ts';
import { promptAndImportFiles } from '../drop/listen-to-files.ts';
import {
  clearedUrlFilters,
  clearSearchAndFilters,
  copyUrlStateWithChanges,
  type FilterValue,
  moveTypedAndChangeFilters,
  moveTypedFilters,
} from '../filters/filter-actions.ts';
import { formatTooltip, keymap } from '../keyboard/keymap.ts';
import { findOrLoadLateViews } from '../load-late-views.ts';
import { labels } from '../state/labels.ts';
import { isPaneBesideList, watchMediaQuery } from '../state/layout.ts';
import { activeAndArchivedCounts, activeFilters, getValueCount, searchedWords } from '../state/listed-notes.ts';
import { editedNoteId, urlState } from '../state/navigation.ts';
import { hasNoNotes } from '../state/notes.ts';
import { theme } from '../state/settings.ts';
import { findTypedFilterCompletion } from '../state/typed-state-filters.ts';
import { formatUrlState, type UrlState } from '../state/url-state.ts';
import { Button } from '../ui/buttons.tsx';
import { formatValueLabel } from '../ui/format-for-page.ts';
import { Icon } from '../ui/icons.tsx';
import { focusSearchOrCountOnTouch, focusWhenPresent } from '../ui/move-focus.ts';
import { openNewNoteFromSearch, openNewNoteOrClosedDraft, openNewNoteWithFields } from '../ui/new-note.ts';

export function EmptyList() {
  if (!hasNoNotes.value) return <NothingFound />;
  return editedNoteId.value === 'new' ? <p class="px-5 py-3 muted">No notes yet</p> : <FirstNoteGuide />;
}

function NothingFound() {
  const places = listMatchesElsewhere();
  const part = findOrLoadLateViews();
  const named = part?.findNamedFilter();
  return (
    // biome-ignore lint/a11y/noStaticElementInteractions: the arrows move between the controls inside
    <div class="nothing-found flex flex-col items-start gap-4 px-5 py-3" onKeyDown={moveFocusBetweenControls}>
      <p class={searchedWords.value === '' ? '' : 'muted'}>{getEmptyListReason()}</p>
      {named && (
        <button
          type="button"
          class="command touch -mx-2.5 max-w-full"
          onClick={() => part?.searchWithNamedFilter(named)}
        >
          <kbd class="kbd kbd-sm keys">Enter</kbd>
          <Icon name="search" />
          <span class="min-w-0 truncate">
            {named.words === '' ? (
              'Show all'
            ) : (
              <>
                Search <span dir="auto">“{named.words}”</span>
              </>
            )}{' '}
            in {formatValueLabel(named.value)}
          </span>
        </button>
      )}
      {searchedWords.value !== '' && (
        <button type="button" class="command touch -mx-2.5 max-w-full" onClick={openNewNoteFromSearch}>
          {!named && <kbd class="kbd kbd-sm keys">Enter</kbd>}
          <Icon name="plus" />
          <span class="min-w-0 truncate">
            New note <span dir="auto">“{searchedWords.value}”</span>
          </span>
        </button>
      )}
      {urlState.value.pinned && (
        <p class="text-sm muted">
          Pin the notes you want at hand
          <span class="keys">
            {' '}
            with <kbd class="kbd kbd-sm">{keymap.pin.keys[0]}</kbd>
          </span>
        </p>
      )}
      <DidYouMean />
      {places.length > 0 && (
        <div>
          <p class="mb-1 text-sm muted">Not found here. Elsewhere:</p>
          <ul class="text-sm">
            {places.map(({ count, where, changes }) => (
              <li key={where}>
                <a
                  class="link touch inline-flex items-center"
                  href={`?${formatUrlState(copyUrlStateWithChanges(changes))}`}
                  onClick={(event) => {
                    event.preventDefault();
                    moveTypedAndChangeFilters(changes);
                  }}
                >
                  {count.toLocaleString()} {where}
                </a>
              </li>
            ))}
          </ul>
        </div>
      )}
      <Button title={formatTooltip('clear')} onClick={clearSearchAndFilters}>
        Clear search and filters
      </Button>
    </div>
  );
}

/** The arrows go through the controls, and from the first one to the search. */
function moveFocusBetweenControls(event: TargetedKeyboardEvent<HTMLElement>): void {
  const by = { ArrowDown: 1, ArrowUp: -1 }[event.key];
  if (by === undefined) return;
  event.preventDefault();
  const all = [...event.currentTarget.querySelectorAll<HTMLElement>('a, button')];
  const at = all.findIndex((one) => one.matches(':focus')) + by;
  if (at < 0) focusWhenPresent('#search');
  else all[at]?.focus();
}

function DidYouMean() {
  const { query } = urlState.value;
  const { before = '', after, choices = [] } = findTypedFilterCompletion(query, labels.value) ?? {};
  if (!after) return null;
  return (
    <div>
      <p class="mb-2 text-sm muted">“{query.slice(before.length, -after.length)}” is not a filter. Did you mean:</p>
      {choices.map(({ value, word }) => (
        <Button
          key={value}
          class="me-1 mb-1"
          onClick={() => {
            moveTypedFilters(`${before}${word} `, after.trimStart());
            focusSearchOrCountOnTouch();
          }}
        >
          {formatValueLabel(value)}
        </Button>
      ))}
    </div>
  );
}

type MatchesElsewhere = Readonly<{ count: number; where: string; changes: Partial<UrlState> }>;

const maxMatchesElsewhere = 6;

function listMatchesElsewhere(): readonly MatchesElsewhere[] {
  const { category, group, color, archived } = activeFilters.value;
  const isNarrowed =
    searchedWords.value !== '' || [category, group, color].filter(({ length }) => length > 0).length > 1;
  const places = [
    createPlaceWithMatches(!archived, archived ? 'not archived' : 'in the archive', { archived: !archived }),
    ...(isNarrowed ? categories.map((value) => createPlaceWithMatches(value, 'in ', { category: [value] })) : []),
    ...(isNarrowed ? groups.map((value) => createPlaceWithMatches(value, 'in group ', { group: [value] })) : []),
    ...(isNarrowed ? colors.map((value) => createPlaceWithMatches(value, 'with color ', { color: [value] })) : []),
  ].filter(({ count }) => count > 0);
  if (places.length > 0 || searchedWords.value === '') return places.slice(0, maxMatchesElsewhere);
  const { active, archived: away } = activeAndArchivedCounts.value;
  return [
    { count: active, where: 'in all notes', changes: clearedUrlFilters },
    { count: away, where: 'in the archive', changes: { ...clearedUrlFilters, archived: true } },
  ].filter(({ count }) => count > 0);
}

const createPlaceWithMatches = (
  value: FilterValue | boolean,
  where: string,
  changes: Partial<UrlState>,
): MatchesElsewhere => ({
  count: getValueCount(value),
  where: typeof value === 'boolean' ? where : where + formatValueLabel(value),
  changes,
});

function FirstNoteGuide() {
  return (
    <div class="first-minute">
      <div class="flex min-w-0 flex-col items-start gap-4">
        <h2 class="text-xl font-semibold">Paste or type anything you want to find again</h2>
        <p class="muted">Prompts, commands, CSS, chats: type a word, and copy it.</p>
        <p class="flex flex-wrap gap-2">
          <button type="button" class="btn btn-primary touch" onClick={openNewNoteOrClosedDraft}>
            New note
          </button>
          <button type="button" class="btn touch" onClick={promptAndImportFiles}>
            Choose files
          </button>
        </p>
        <p class="mt-4 text-sm muted">Or begin with an example</p>
        <ul class="-mt-2 flex w-full flex-col">
          {exampleNotes.map((example) => (
            <li key={example.category}>
              <button type="button" class="command touch -mx-2.5" onClick={() => openNewNoteWithFields(example)}>
                <Icon name={example.category} />
                <span class="flex-1">{example.title}</span>
                <span class="muted">{formatValueLabel(example.category)}</span>
              </button>
            </li>
          ))}
        </ul>
      </div>
      {isPaneBesideList.value && <DemoAnimation />}
    </div>
  );
}

const prefersDark = watchMediaQuery('(prefers-color-scheme: dark)');

/** A moving picture of three seconds: a word is typed, Enter, copied. It stands still for those who want that. */
function DemoAnimation() {
  const still = useRef<HTMLCanvasElement>(null);
  const isDark = theme.value === 'dark' || (theme.value === 'system' && prefersDark.value);
  const { loopDark, loopLight } = document.querySelector<HTMLElement>('#app')?.dataset ?? {};
  const src = isDark ? loopDark : loopLight;
  const size = { width: 640, height: 400, class: 'h-auto w-full rounded-box border border-base-300' };
  if (!matchMedia('(prefers-reduced-motion: reduce)').matches) return <img src={src} alt="" {...size} />;
  const draw = (image: HTMLImageElement) => still.current?.getContext('2d')?.drawImage(image, 0, 0);
  return (
    <div>
      <canvas ref={still} {...size} />
      <img src={src} alt="" hidden onLoad={({ currentTarget }) => draw(currentTarget)} />
    </div>
  );
}

const exampleNotes: readonly NoteDraft[] = [
  {
    title: 'Summarise for a reader',
    content: 'Summarise the text below in five sentences for {{audience}}.\n\n{{text}}\n',
    category: 'prompts',
    group: 'first',
    color: 'primary',
  },
  {
    title: 'Undo the last commit, keep the changes',
    content: '$ git reset --soft HEAD~1\n',
    category: 'bash-commands',
    group: 'first',
    color: 'warning',
  },
  {
    title: 'Centre anything',
    content: '.box {\n  display: grid;\n  place-items: center;\n}\n',
    category: 'css',
    group: 'first',
    color: 'info',
  },
];

function getEmptyListReason(): string {
  if (searchedWords.value !== '') return 'Nothing found';
  return urlState.value.pinned ? 'No pinned notes yet' : 'No notes here';
}

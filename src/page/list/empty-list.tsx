import { useEffect, useRef } from 'preact/hooks';
import { categories, colors, groups } from '../../core/enums.ts';
import type { NoteDraft } from '../../core/note.ts';
import { unfinishedIn } from '../../core/query.ts';
import { titleOf } from '../../core/tools/text.ts';
import { take } from '../drop/listen.ts';
import { blank } from '../editor/commands.ts';
import { changeFilters, clearFilters, type FilterValue, noFilter, withFilters } from '../filters/change.ts';
import { Suggestions } from '../filters/chips.tsx';
import { keymap, tooltip } from '../keyboard/keymap.ts';
import { labels } from '../state/labels/labels.ts';
import { urlState } from '../state/navigation.ts';
import { notes } from '../state/notes.ts';
import { countOf, filters, unfilteredCounts, words } from '../state/results.ts';
import { formatUrlState, type UrlState } from '../state/url-state.ts';
import { valueName } from '../ui/format.ts';
import { openNew } from '../ui/open-note.ts';
import { Swatch } from '../ui/swatch.tsx';
import { examples } from './examples.ts';

/** Replaces an empty list: says why it is empty and what to do next. */
export function EmptyList() {
  return notes.value.length === 0 ? <Examples /> : <NothingFound />;
}

function NothingFound() {
  const { category, archived } = filters.value;
  const { pinned } = urlState.value;
  const nothing = words.value === '' ? (pinned ? 'No pinned notes yet' : 'No notes here') : 'No note matches';
  const isEmptyPlace = words.value === '' && countOf(!archived) === 0;
  const example = isEmptyPlace && examples.find((example) => category.length === 1 && example.category === category[0]);
  const places = placesElsewhere();
  const mistyped = incompleteFilter();
  return (
    <div class="flex flex-col items-start gap-3 p-5">
      <p>
        {nothing}. {places.length > 0 && 'Elsewhere:'}
      </p>
      {pinned && (
        <p class="text-sm muted">
          Select notes and choose Pin<span class="keys">, or press {keymap.pin.keys[0]} at one</span>.
        </p>
      )}
      {mistyped && (
        <>
          <p>“{mistyped}” is not a filter. Did you mean:</p>
          <Suggestions />
        </>
      )}
      {places.length > 0 && (
        <ul class="flex flex-col gap-1">
          {places.map(({ count, where, changes }) => (
            <li key={where}>
              <a
                class="link touch inline-flex items-center"
                href={`?${formatUrlState(withFilters(changes))}`}
                onClick={(event) => {
                  event.preventDefault();
                  changeFilters(changes);
                }}
              >
                {count.toLocaleString()} {where}
              </a>
            </li>
          ))}
        </ul>
      )}
      <button type="button" class="btn btn-sm touch" title={tooltip('clear')} onClick={clearFilters}>
        Clear search and filters
      </button>
      {example && (
        <>
          <p class="text-sm muted">Or start with an example:</p>
          <Example example={example} />
        </>
      )}
    </div>
  );
}

/** A word that was meant as a filter. */
function incompleteFilter(): string | undefined {
  const { query } = urlState.value;
  const { before, after } = unfinishedIn(query, labels.value) ?? {};
  return before !== undefined && after ? query.slice(before.length, -after.length) : undefined;
}

interface PlaceElsewhere {
  readonly count: number;
  readonly where: string;
  readonly changes: Partial<UrlState>;
}

const maxPlaces = 6;

/** Other values of a single filter that have results, or else the results without filters. */
function placesElsewhere(): readonly PlaceElsewhere[] {
  const { category, group, color, archived } = filters.value;
  const isNarrowed = words.value !== '' || [category, group, color].filter(({ length }) => length > 0).length > 1;
  const places = [
    ...(isNarrowed ? categories.map((value) => place(value, 'in ', { category: [value] })) : []),
    place(!archived, archived ? 'not archived' : 'in the archive', { archived: !archived }),
    ...(isNarrowed ? groups.map((value) => place(value, 'in group ', { group: [value] })) : []),
    ...(isNarrowed ? colors.map((value) => place(value, 'with color ', { color: [value] })) : []),
  ].filter(({ count }) => count > 0);
  if (places.length > 0 || words.value === '') return places.slice(0, maxPlaces);
  const { active, archived: away } = unfilteredCounts.value;
  return [
    { count: active, where: 'in all notes', changes: noFilter },
    { count: away, where: 'in the archive', changes: { ...noFilter, archived: true } },
  ].filter(({ count }) => count > 0);
}

const place = (value: FilterValue | boolean, where: string, changes: Partial<UrlState>): PlaceElsewhere => ({
  count: countOf(value),
  where: typeof value === 'boolean' ? where : where + valueName(value),
  changes,
});

function Examples() {
  const files = useRef<HTMLInputElement>(null);
  useEffect(() => {
    window.addEventListener('paste', createFromPaste);
    return () => window.removeEventListener('paste', createFromPaste);
  }, []);
  return (
    <div class="min-h-0 flex-1 overflow-y-auto p-5">
      <p class="font-medium">No notes yet</p>
      <p class="mb-3 text-sm muted">Paste a text, drop files, or choose them:</p>
      <input
        ref={files}
        type="file"
        multiple
        hidden
        onChange={({ currentTarget }) => {
          if (currentTarget.files) take(currentTarget.files);
          currentTarget.value = ''; // else the same file could not be chosen again
        }}
      />
      <button type="button" class="btn btn-sm touch mb-3" onClick={() => files.current?.click()}>
        Choose files
      </button>
      <p class="mt-2 mb-3 text-sm muted">Or start with an example:</p>
      <ul class="flex flex-col gap-2">
        {examples.map((example) => (
          <li key={example.category}>
            <Example example={example} />
          </li>
        ))}
      </ul>
    </div>
  );
}

/** Opens the form for a text that is pasted into the search, or where nothing else takes it. */
function createFromPaste(event: ClipboardEvent): void {
  const content = event.clipboardData?.getData('text/plain') ?? '';
  const isTaken = event.target instanceof Element && event.target.matches('dialog *, #detail *, input:not(#search)');
  if (content === '' || isTaken) return;
  event.preventDefault();
  openNew({ ...blank(), title: titleOf(content), content });
}

const Example = ({ example }: { example: NoteDraft }) => (
  <button type="button" class="example" onClick={() => openNew(example)}>
    <Swatch color={example.color} />
    <span class="flex-1 text-start">{example.title}</span>
    <span class="text-sm muted">{example.category}</span>
  </button>
);

import type { NoteDraft } from '../../domain/note.ts';
import { filterValues } from '../../domain/query.ts';
import { changeFilters, clearFilters, noFilter, withFilters } from '../filters/change.ts';
import { tooltip } from '../keyboard/keymap.ts';
import { dialog } from '../state/dialog.ts';
import { notes } from '../state/notes.ts';
import { countOf, filters, unfilteredCounts, words } from '../state/results.ts';
import { formatUrlState, type UrlState } from '../state/url-state.ts';
import { valueName } from '../ui/format.ts';
import { lazy } from '../ui/lazy.ts';
import { Swatch } from '../ui/swatch.tsx';

/** Loaded lazily: seen only where there is no note. */
const examplesPart = lazy(() => import('./examples.ts'));
const examples = (): readonly NoteDraft[] => examplesPart()?.examples ?? [];

/** Shown in place of the list when it has no note: why, and what to do next. */
export function EmptyList() {
  return notes.value.length === 0 ? <Examples /> : <NothingFound />;
}

function NothingFound() {
  const { category, archived } = filters.value;
  const isEmptyPlace = words.value === '' && countOf(!archived) === 0;
  const example =
    isEmptyPlace && examples().find((example) => category.length === 1 && example.category === category[0]);
  const places = placesElsewhere();
  return (
    <div class="flex flex-col items-start gap-3 p-6">
      <p>{places.length > 0 ? 'No note matches here, but there are' : 'No note matches.'}</p>
      {places.length > 0 && (
        <ul class="flex flex-col gap-1">
          {places.map(({ label, changes }) => (
            <li key={label}>
              <a
                class="link touch inline-flex items-center"
                href={`?${formatUrlState(withFilters(changes))}`}
                onClick={(event) => {
                  event.preventDefault();
                  changeFilters(changes);
                }}
              >
                {label}
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
          <p class="text-sm muted">Or begin with an example:</p>
          <Example example={example} />
        </>
      )}
    </div>
  );
}

interface PlaceElsewhere {
  /** How many notes, and where. */
  readonly label: string;
  readonly changes: Partial<UrlState>;
}

/** Where the search finds notes with another filter in the place of one, or else without any. */
function placesElsewhere(): readonly PlaceElsewhere[] {
  const { category, group, color, archived } = filters.value;
  const isNarrowed = words.value !== '' || [category, group, color].filter(({ length }) => length > 0).length > 1;
  const lists = isNarrowed ? (['category', 'group', 'color'] as const) : [];
  const places: PlaceElsewhere[] = lists.flatMap((name) =>
    filterValues[name]
      .filter((value) => countOf(value))
      .map((value) => ({ label: `${counted(countOf(value))} in ${valueName(value)}`, changes: { [name]: [value] } })),
  );
  const otherwise = countOf(!archived);
  if (otherwise) {
    places.push({
      label: `${counted(otherwise)} ${archived ? 'not archived' : 'in the archive'}`,
      changes: { archived: !archived },
    });
  }
  if (places.length > 0 || words.value === '') return places;
  const { active, archived: away } = unfilteredCounts.value;
  return [
    { count: active, label: `${counted(active)} in all notes`, changes: noFilter },
    { count: away, label: `${counted(away)} in the archive`, changes: { ...noFilter, archived: true } },
  ].filter(({ count }) => count > 0);
}

const counted = (count = 0) => count.toLocaleString();

function Examples() {
  return (
    <div class="min-h-0 flex-1 overflow-y-auto p-4">
      <p class="font-medium">No notes yet</p>
      <p class="mb-3 text-sm muted">Begin with an empty one, or with an example:</p>
      <ul class="flex flex-col gap-2">
        {examples().map((example) => (
          <li key={example.category}>
            <Example example={example} />
          </li>
        ))}
      </ul>
    </div>
  );
}

const Example = ({ example }: { example: NoteDraft }) => (
  <button
    type="button"
    class="example"
    onClick={() => {
      dialog.value = { kind: 'new', example };
    }}
  >
    <Swatch color={example.color} />
    <span class="min-w-0 flex-1 truncate text-start">{example.title}</span>
    <span class="text-xs muted">{example.category}</span>
  </button>
);

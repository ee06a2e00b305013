import type { TargetedKeyboardEvent } from 'preact';
import { useRef } from 'preact/hooks';
import { categories, colors, groups } from '../../core/enums.ts';
import type { NoteDraft } from '../../core/note.ts';
import { completeFilter } from '../../core/search-line.ts';
import { chooseFiles } from '../drop/listen.ts';
import { changeFilters, clearFilters, type FilterValue, noFilter, takeTyped, withFilters } from '../filters/change.ts';
import { keymap, tooltip } from '../keyboard/keymap.ts';
import { labels } from '../state/labels.ts';
import { holds, isBesideList } from '../state/layout.ts';
import { editing, urlState } from '../state/navigation.ts';
import { hasNoNotes } from '../state/notes.ts';
import { countOf, filters, unfilteredCounts, words } from '../state/results.ts';
import { theme } from '../state/settings.ts';
import { formatUrlState, type UrlState } from '../state/url-state.ts';
import { Button } from '../ui/buttons.tsx';
import { focus, focusSearch } from '../ui/focus.ts';
import { valueName } from '../ui/format.ts';
import { Icon } from '../ui/icons.tsx';
import { createFromSearch, openNew } from '../ui/new-note.ts';

export function EmptyList() {
  if (!hasNoNotes.value) return <NothingFound />;
  return editing.value === 'new' ? <p class="px-5 py-3 muted">No notes yet</p> : <FirstMinute />;
}

function NothingFound() {
  const { pinned } = urlState.value;
  const places = placesElsewhere();
  return (
    // biome-ignore lint/a11y/noStaticElementInteractions: the arrows move between the controls inside
    <div class="nothing-found flex flex-col items-start gap-4 px-5 py-3" onKeyDown={moveBetween}>
      <p class={words.value === '' ? '' : 'muted'}>
        {words.value !== '' ? 'Nothing found' : pinned ? 'No pinned notes yet' : 'No notes here'}
      </p>
      {words.value !== '' && (
        <button type="button" class="command touch -mx-2.5 max-w-full" onClick={createFromSearch}>
          <kbd class="kbd kbd-sm keys">Enter</kbd>
          <Icon name="plus" />
          <span class="min-w-0 truncate">
            New note <span dir="auto">“{words.value}”</span>
          </span>
        </button>
      )}
      {pinned && (
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
        </div>
      )}
      <Button title={tooltip('clear')} onClick={clearFilters}>
        Clear search and filters
      </Button>
    </div>
  );
}

/** The arrows go through the controls, and from the first one to the search. */
function moveBetween(event: TargetedKeyboardEvent<HTMLElement>): void {
  const by = { ArrowDown: 1, ArrowUp: -1 }[event.key];
  if (by === undefined) return;
  event.preventDefault();
  const all = [...event.currentTarget.querySelectorAll<HTMLElement>('a, button')];
  const at = all.findIndex((one) => one.matches(':focus')) + by;
  if (at < 0) focus('#search');
  else all[at]?.focus();
}

function DidYouMean() {
  const { query } = urlState.value;
  const { before = '', after, choices = [] } = completeFilter(query, labels.value) ?? {};
  if (!after) return null;
  return (
    <div>
      <p class="mb-2 text-sm muted">“{query.slice(before.length, -after.length)}” is not a filter. Did you mean:</p>
      {choices.map(({ value, word }) => (
        <Button
          key={value}
          class="me-1 mb-1"
          onClick={() => {
            takeTyped(`${before}${word} `, after.trimStart());
            focusSearch();
          }}
        >
          {valueName(value)}
        </Button>
      ))}
    </div>
  );
}

type PlaceElsewhere = Readonly<{ count: number; where: string; changes: Partial<UrlState> }>;

const maxPlaces = 6;

function placesElsewhere(): readonly PlaceElsewhere[] {
  const { category, group, color, archived } = filters.value;
  const isNarrowed = words.value !== '' || [category, group, color].filter(({ length }) => length > 0).length > 1;
  const places = [
    place(!archived, archived ? 'not archived' : 'in the archive', { archived: !archived }),
    ...(isNarrowed ? categories.map((value) => place(value, 'in ', { category: [value] })) : []),
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

function FirstMinute() {
  return (
    <div class="first-minute">
      <div class="flex min-w-0 flex-col items-start gap-4">
        <h2 class="text-xl font-semibold">Paste anything you want to find again</h2>
        <p class="muted">Prompts, commands, CSS, chats: type a word, and copy it.</p>
        <p class="flex flex-wrap gap-2">
          <button type="button" class="btn btn-primary touch" onClick={() => openNew()}>
            New note
            <kbd class="kbd kbd-sm keys">{keymap.create.keys[0]}</kbd>
          </button>
          <button type="button" class="btn touch" onClick={chooseFiles}>
            Choose files
          </button>
        </p>
        <p class="mt-4 text-sm muted">Or begin with an example</p>
        <ul class="-mt-2 flex w-full flex-col">
          {examples.map((example) => (
            <li key={example.category}>
              <button type="button" class="command touch -mx-2.5" onClick={() => openNew(example)}>
                <Icon name={example.category} />
                <span class="flex-1">{example.title}</span>
                <span class="muted">{example.category}</span>
              </button>
            </li>
          ))}
        </ul>
      </div>
      {isBesideList.value && <Loop />}
    </div>
  );
}

const prefersDark = holds('(prefers-color-scheme: dark)');

/** A moving picture of three seconds: a word is typed, Enter, copied. It stands still for those who want that. */
function Loop() {
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

const examples: readonly NoteDraft[] = [
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

import type { NoteDraft } from '../../domain/note.ts';
import { tooltip } from '../keyboard/keymap.ts';
import { dialog } from '../state/dialog.ts';
import { navigate, urlState } from '../state/navigation.ts';
import { notes } from '../state/notes.ts';
import { countElsewhere } from '../state/results.ts';
import { formatUrlState } from '../state/url-state.ts';
import { noteCount } from '../ui/format.ts';
import { lazy } from '../ui/lazy.ts';
import { Swatch } from '../ui/swatch.tsx';
import { clearFilters } from './commands.ts';

/** Loaded lazily: seen only where there is no note. */
const examplesPart = lazy(() => import('./examples.ts'));
const examples = (): readonly NoteDraft[] => examplesPart()?.examples ?? [];

/** Shown in place of the list when it has no note: why, and what to do next. */
export function EmptyList() {
  return notes.value.length === 0 ? <Examples /> : <NothingFound />;
}

function NothingFound() {
  const { archived, ...rest } = urlState.value;
  const elsewhere = countElsewhere.value;
  const other = { ...rest, archived: !archived };
  const example = rest.query === '' && elsewhere === 0 && examples().find(({ category }) => category === rest.category);
  return (
    <div class="flex flex-col items-start gap-3 p-6">
      <p>
        {elsewhere === 0 && 'No note matches. '}
        {elsewhere > 0 && (
          <>
            0 notes here,{' '}
            <a
              class="link touch inline-flex items-center"
              href={`?${formatUrlState(other)}`}
              onClick={(event) => {
                event.preventDefault();
                navigate({ archived: !archived });
              }}
            >
              {archived ? `${noteCount(elsewhere)} not archived` : `${elsewhere.toLocaleString()} in the archive`}
            </a>
          </>
        )}
      </p>
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

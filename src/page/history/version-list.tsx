import { useSignal } from '@preact/signals';
import { useLayoutEffect, useRef } from 'preact/hooks';
import type { Note } from '../../core/note.ts';
import { changedFields } from '../../core/versions.ts';
import { client, failureText } from '../state/notes.ts';
import { formatDateTime } from '../ui/format.ts';
import { useLoaded } from '../use-loaded.ts';

interface VersionListProps {
  /** Newest first. */
  readonly versions: readonly Note[];
  readonly chosen: Note;
  readonly hasMore: boolean;
  readonly choose: (version: Note) => void;
  readonly loadMore: () => void;
}

const optionId = ({ updatedAt }: Note) => `version-${updatedAt}`;

/** Each version with its time and what the save changed; the first is the present one. */
export function VersionList({ versions, chosen, hasMore, choose, loadMore }: VersionListProps) {
  const box = useRef<HTMLDivElement>(null);
  useLayoutEffect(() => box.current?.focus(), []);
  useLayoutEffect(() => {
    box.current?.querySelector('[aria-selected=true]')?.scrollIntoView({ block: 'nearest' });
  }, [chosen]);
  return (
    <div class="versions">
      <div ref={box} role="listbox" tabIndex={0} aria-label="Versions" aria-activedescendant={optionId(chosen)}>
        {versions.map((version, index) => (
          // biome-ignore lint/a11y/useKeyWithClickEvents: history.tsx handles the keys
          // biome-ignore lint/a11y/useFocusableInteractive: the list has the focus and refers to the option by aria-activedescendant
          <div
            key={version.updatedAt}
            id={optionId(version)}
            role="option"
            class="version"
            aria-selected={version === chosen}
            onClick={() => choose(version)}
          >
            <time dateTime={version.updatedAt} title={formatDateTime(version.updatedAt)}>
              {index === 0 ? 'Current' : formatDateTime(version.updatedAt)}
            </time>
            <span class="block text-sm muted">{factsOf(version, versions[index + 1])}</span>
          </div>
        ))}
      </div>
      {hasMore && (
        <button type="button" class="btn btn-ghost btn-sm touch mx-3 my-2" onClick={loadMore}>
          Older versions
        </button>
      )}
    </div>
  );
}

/** What the save changed, if the version before it is loaded. */
function factsOf(version: Note, before: Note | undefined): string {
  if (before) return changedFields(version, before).join(', ');
  return version.createdAt === version.updatedAt ? 'created' : '';
}

/** `hasMore`: there may be older versions. */
type Versions =
  | { readonly kind: 'ready'; readonly versions: readonly Note[]; readonly hasMore: boolean }
  | { readonly kind: 'failed'; readonly text: string };

const firstLimit = 20;
/** The approximate size of the first page in characters, estimated from the length of the current note. */
const firstCharacters = 16_000_000;

/** The versions of a note, newest first, undefined while loading; reloaded when the note changes. */
export function useVersions({ id, updatedAt, content }: Note) {
  const limit = useSignal(Math.max(2, Math.min(firstLimit, Math.floor(firstCharacters / (content.length + 1)))));
  const attempt = useSignal(0);
  const versions = useLoaded(() => load(id, limit.value), [id, updatedAt, limit.value, attempt.value]);
  return {
    versions,
    loadMore: () => {
      limit.value *= 5;
    },
    retry: () => {
      versions.value = undefined;
      attempt.value++;
    },
  };
}

async function load(id: number, limit: number): Promise<Versions> {
  try {
    const versions = (await Array.fromAsync(client.history(id, limit))).flat();
    return { kind: 'ready', versions, hasMore: versions.length === limit };
  } catch (error) {
    return { kind: 'failed', text: failureText(error) };
  }
}

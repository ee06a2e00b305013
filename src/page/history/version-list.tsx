import { useLayoutEffect, useRef } from 'preact/hooks';
import type { Note } from '../../core/note.ts';
import { changedFields } from '../../core/versions.ts';
import { formatDateTime, timeAgo } from '../ui/format.ts';

interface VersionListProps {
  /** Newest first. */
  readonly versions: readonly Note[];
  readonly chosen: Note;
  readonly hasMore: boolean;
  readonly choose: (version: Note) => void;
  readonly loadMore: () => void;
}

const optionId = ({ updatedAt }: Note) => `version-${updatedAt}`;

/** Each version with its time, what the save changed, and its length. */
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
              {timeAgo(version.updatedAt)}
            </time>
            <span class="block text-sm muted">{factsOf(version, versions[index + 1])}</span>
          </div>
        ))}
      </div>
      {hasMore && (
        <button type="button" class="btn btn-ghost btn-sm touch" onClick={loadMore}>
          Older versions
        </button>
      )}
    </div>
  );
}

/** What the save changed (if the version before it is loaded), and the length of the text. */
function factsOf(version: Note, before: Note | undefined): string {
  const length = `${version.content.length.toLocaleString()} characters`;
  if (!before) return version.createdAt === version.updatedAt ? `created · ${length}` : length;
  return [...changedFields(version, before), length].join(' · ');
}

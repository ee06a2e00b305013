import { draftFields, type NoteDraft, type PortableNote } from '../../../domain/note.ts';
import type { MergeOutcome, PortableStore } from '../../../domain/store.ts';
import type { Target } from '../../../formats/importer.ts';
import { decideMerge } from '../../../store/merge.ts';
import { digest } from '../../digest.ts';

/** The state an import would have left for an id. The text is hashed, since there may be millions. */
interface Kept extends Pick<PortableNote, 'createdAt' | 'updatedAt' | 'archived'> {
  readonly text: string;
}

/** A store for dry runs: each batch sees what earlier batches would have stored under the same ids and origins. */
export function dryRunOn(store: PortableStore): Target {
  const kept = new Map<number | undefined, Kept>();
  const keys = new Set<string>();
  const isAgain = ({ id, origin }: PortableNote) =>
    id === undefined && origin !== undefined && keys.size === keys.add(origin.key).size;
  const outcomeAfter = (note: PortableNote, earlier: Kept, inStore: MergeOutcome): MergeOutcome => {
    const isSameText = textOf(note) === earlier.text;
    const outcome = decideMerge(note, { ...earlier, isSame: isSameText && note.archived === earlier.archived });
    const isNewText = !isSameText && inStore !== 'newer' && inStore !== 'same';
    return outcome === 'newer' && isNewText ? 'version' : outcome;
  };
  const keep = ({ id, createdAt, updatedAt, archived, ...note }: PortableNote, outcome: MergeOutcome): MergeOutcome => {
    const isThere = outcome === 'added' || outcome === 'replaced';
    if (id !== undefined && isThere) kept.set(id, { createdAt, updatedAt, archived, text: textOf(note) });
    return outcome;
  };
  return {
    scan: () => store.scan(),
    get: (id) => store.get(id),
    origins: (after) => store.origins(after),
    history: (id) => store.history(id),
    async merge(notes) {
      const isKnown = notes.map(({ id }) => kept.has(id));
      const outcomes = await store.merge(notes, { dryRun: true });
      return notes.map((note, at) => {
        if (isAgain(note)) return 'version'; // one of the two states becomes the note
        const inStore = outcomes[at] ?? 'same';
        const earlier = isKnown[at] ? kept.get(note.id) : undefined;
        return keep(note, earlier ? outcomeAfter(note, earlier, inStore) : inStore);
      });
    },
  };
}

const textOf = (note: NoteDraft): string => digest(JSON.stringify(draftFields.map((field) => note[field])));

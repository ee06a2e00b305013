import { isConflictError } from '../core/error.ts';
import { maxPins, type PinStore } from '../core/pins.ts';

/** Copies notes with their place among the pinned ones, from 1. Exports have it as `pin`; others have none. */
export function copyNotesWithPins<Note extends { readonly id: number }>(
  notes: readonly Note[],
  pinnedIds: readonly number[],
): readonly (Note & { readonly pin?: number })[] {
  const places = new Map(pinnedIds.map((id, index) => [id, index + 1]));
  return notes.map((note) => {
    const pin = places.get(note.id);
    return pin === undefined ? note : { ...note, pin };
  });
}

/** An imported note that was pinned where it comes from. */
interface ImportedPin {
  /** Its place there, from 1. */
  readonly place: number;
  /** Its id in the store. A dry run does not know that of a note that would be added. */
  readonly id: number | undefined;
}

interface PinPlan {
  readonly ids: readonly number[];
  /** How many notes were not pinned before, with those whose ids are not known. */
  readonly pinned: number;
  /** How many notes are left out, as no more can be pinned. */
  readonly notPinned: number;
}

/**
 * Decides what is pinned after an import: first what was pinned before, then the imported notes by their places, as
 * many as can be pinned.
 *
 * Example: note 4 is pinned, and the notes 9 and 7 are imported with the places 2 and 1. Then 4, 7 and 9 are pinned.
 */
export function planImportedPins(pinnedIds: readonly number[], imported: readonly ImportedPin[]): PinPlan {
  const seen = new Set(pinnedIds);
  const added: ImportedPin[] = [];
  for (const pin of imported.toSorted((one, other) => one.place - other.place)) {
    if (pin.id !== undefined && seen.has(pin.id)) continue;
    if (pin.id !== undefined) seen.add(pin.id);
    added.push(pin);
  }
  const shown = added.slice(0, Math.max(0, maxPins - pinnedIds.length));
  return {
    ids: [...pinnedIds, ...shown.flatMap(({ id }) => id ?? [])],
    pinned: shown.length,
    notPinned: added.length - shown.length,
  };
}

/** Remembers which imported notes were pinned where they come from, and pins them in the end. */
export class ImportedPins {
  readonly #imported: ImportedPin[] = [];

  /** Remembers a note. An importer calls it as `onPinned`. */
  readonly rememberPin = (place: number, id: number | undefined): void => {
    this.#imported.push({ place, id });
  };

  /** Pins the notes, unless it is a dry run. Begins again if others have changed the pins, so that theirs stay. */
  async pinNotes(store: PinStore, { isDryRun = false } = {}): Promise<Pick<PinPlan, 'pinned' | 'notPinned'>> {
    if (this.#imported.length === 0) return { pinned: 0, notPinned: 0 };
    const { ids: pinnedIds, revision } = await store.readPins();
    const { ids, pinned, notPinned } = planImportedPins(pinnedIds, this.#imported);
    try {
      if (pinned > 0 && !isDryRun) await store.replacePins(ids, [revision]);
      return { pinned, notPinned };
    } catch (error) {
      if (!isConflictError(error)) throw error;
      return this.pinNotes(store);
    }
  }
}

import { unlessMissing } from '../../../domain/error.ts';
import type { Note } from '../../../domain/note.ts';
import type { PortableStore } from '../../../domain/store.ts';
import { versionAt } from '../../../domain/versions.ts';
import { inTurns } from '../../../shared/in-turns.ts';
import type { Write } from '../../journal/journal.ts';
import { type Change, changeOf } from '../../notes/change.ts';

/** A write that can be undone. */
export interface Step {
  readonly write: Write;
  /** The current note and the change to its text; only for the first `maxShown` steps. */
  readonly shown?: { readonly note: Note; readonly change?: Change };
}

/** A note that cannot be restored, and why. */
export interface Kept {
  readonly id: number;
  readonly reason: string;
}

export interface Plan {
  readonly steps: readonly Step[];
  readonly kept: readonly Kept[];
}

export const maxShown = 10;

/** Determines the result of undoing writes. Changes nothing. */
export async function planOf(writes: readonly Write[], store: PortableStore): Promise<Plan> {
  const [steps, kept]: [Step[], Kept[]] = [[], []];
  for await (const found of inTurns(writes, (write) => stepOf(write, store))) {
    if ('reason' in found) kept.push(found);
    else if (steps.length < maxShown) steps.push(found);
    else steps.push({ write: found.write });
  }
  return { steps, kept };
}

async function stepOf(write: Write, store: PortableStore): Promise<Step | Kept> {
  const { id, before, after } = write;
  const note = await store.get(id).catch(unlessMissing);
  if (note === undefined) return { id, reason: 'no longer exists' };
  if (note.updatedAt !== after) return { id, reason: 'has changed since' };
  if (before === undefined) return { write, shown: { note } };
  const version = await versionAt(store, id, before).catch(unlessMissing);
  if (version === undefined) return { id, reason: 'has no earlier text in its history' };
  return { write, shown: { note, change: changeOf(note, version) } };
}

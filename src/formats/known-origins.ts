import { unlessMissing } from '../domain/error.ts';
import type { Note, PortableNote } from '../domain/note.ts';
import type { NoteOrigin, PortableStore } from '../domain/store.ts';
import { draftOf } from '../domain/versions.ts';
import { canTake, originsIn, reconcile, type Taken, takenOf } from './origin.ts';

type Origins = Pick<PortableStore, 'origins' | 'get'>;

/** The update of a note from its known source. */
export interface Update {
  readonly note: PortableNote;
  /** Set if both sides changed a field: the source's state, as a version before `note`. */
  readonly theirs?: PortableNote;
}

/** The origins of stored notes during one import. */
export class KnownOrigins {
  readonly #store: Origins;
  readonly #isHeld: (key: string) => boolean;
  readonly #seen = new Set<string>();
  #byKey: ReadonlyMap<string, NoteOrigin> = new Map();
  #byId: ReadonlyMap<number, NoteOrigin> = new Map();
  #isKept: boolean | undefined;

  /** `isHeld`: whether a source outside this import has an origin. */
  constructor(store: Origins, isHeld = (_: string) => false) {
    this.#store = store;
    this.#isHeld = isHeld;
  }

  /** Whether the store keeps origins, and this one occurs for the first time. */
  async isFirst(key: string): Promise<boolean> {
    this.#isKept ??= canTake && (await this.read());
    if (!this.#isKept || this.#seen.has(key)) return false;
    this.#seen.add(key);
    return true;
  }

  /** Reads the origins from the store. Returns whether it keeps them. */
  async read(): Promise<boolean> {
    const all = (await Array.fromAsync(originsIn(this.#store))).flat();
    this.#byKey = new Map(all.map((one) => [one.key, one]));
    this.#byId = new Map(all.map((one) => [one.id, one]));
    return all.length > 0 || (await this.#store.origins(0)) !== undefined;
  }

  /** Updates the note with this origin from `theirs`, the current state of its source; undefined: no such note. */
  async update(key: string, theirs: PortableNote): Promise<Update | 'unchanged' | undefined> {
    const known = this.#byKey.get(key);
    if (known === undefined) return undefined;
    const origin = { key, taken: await takenOf(theirs) };
    if (known.taken === origin.taken) return 'unchanged';
    const ours = await this.#store.get(known.id).catch(unlessMissing);
    return ours && updateOf(ours, { ...theirs, origin }, { ours: await takenOf(ours), last: known.taken });
  }

  /** Whether a note may get another origin: its own, if any, has not occurred in this import and is not held. */
  isFree(id: number): boolean {
    const origin = this.#byId.get(id);
    return origin === undefined || !(this.#seen.has(origin.key) || this.#isHeld(origin.key));
  }
}

type FromSource = PortableNote & Required<Pick<PortableNote, 'origin'>>;

function updateOf(ours: Note, { origin, ...theirs }: FromSource, taken: Omit<Taken, 'theirs'>): Update {
  const draft = draftOf(ours);
  const { fields, diverged } = reconcile(draft, theirs, { ...taken, theirs: origin.taken });
  if (fields === draft && diverged.length === 0) return { note: { ...ours, origin } };
  const updatedAt = Math.max(Date.parse(theirs.updatedAt), Date.parse(ours.updatedAt) + 2);
  const at = (ms: number) => ({ updatedAt: new Date(ms).toISOString() });
  const note = { ...ours, ...fields, ...at(updatedAt), origin };
  return diverged.length === 0 ? { note } : { note, theirs: { ...ours, ...draftOf(theirs), ...at(updatedAt - 1) } };
}

import { unlessMissing } from '../core/error.ts';
import { draftFields, maxKeyLength, type Note, type NoteDraft, type Origin, type PortableNote } from '../core/note.ts';
import type { NoteOrigin, PortableStore } from '../core/store.ts';
import { draftOf, hasSameFields, hasVersion } from '../core/versions.ts';
import type { NoteRecord } from './record.ts';

/** The key of a source by its stable name in a program; undefined if it has none, or one too long. */
export function originKey(program: string, name: string): string | undefined {
  const key = `${program}:${name}`;
  return name === '' || key.length > maxKeyLength ? undefined : key;
}

/** Whether hashing is available: browsers deny it to pages loaded over plain HTTP from another machine. */
const canHash = globalThis.crypto?.subtle !== undefined;

/** Summarizes the imported fields of a source in the order of `draftFields`; texts as hashes. */
export async function hashDraft({ title, content, category, group, color }: NoteDraft): Promise<string> {
  return [await hashText(title), await hashText(content), category, group, color].join(' ');
}

async function hashText(text: string): Promise<string> {
  const hash = await crypto.subtle.digest('SHA-256', new TextEncoder().encode(text));
  return Array.from(new Uint8Array(hash, 0, 16), (byte) => byte.toString(16).padStart(2, '0')).join('');
}

/** Joins notes with their origins; both in ascending order of id. */
export async function* joinOrigins<Note extends { readonly id: number }>(
  batches: AsyncIterable<readonly Note[]>,
  origins: AsyncIterable<readonly NoteOrigin[]>,
): AsyncGenerator<readonly (Note & { readonly origin?: Origin })[], void, void> {
  const rest = each(origins);
  let next = await rest.next();
  for await (const notes of batches) {
    const joined: (Note & { readonly origin?: Origin })[] = [];
    for (const note of notes) {
      while (!next.done && next.value.id < note.id) next = await rest.next();
      if (next.done || next.value.id !== note.id) joined.push(note);
      else joined.push({ ...note, origin: { key: next.value.key, taken: next.value.taken } });
    }
    yield joined;
  }
}

async function* each<Value>(batches: AsyncIterable<readonly Value[]>): AsyncGenerator<Value, void, void> {
  for await (const batch of batches) yield* batch;
}

/** Reads all origins of a store, in ascending order of id. */
export async function* readAllOrigins(
  store: Pick<PortableStore, 'origins'>,
): AsyncGenerator<readonly NoteOrigin[], void, void> {
  for (let after = 0; ; ) {
    const some = await store.origins(after);
    const last = some?.at(-1);
    if (some === undefined || last === undefined) return;
    yield some;
    after = last.id;
  }
}

type Origins = Pick<PortableStore, 'origins' | 'get' | 'history'>;

/** The update of a note from its known source. */
export interface Update {
  readonly note: PortableNote;
  /** The source's state as a version before `note`: set if the note is newer. */
  readonly theirs?: Note;
  /** Whether nothing but its title changes, as its source is titled by another rule than when it was imported. */
  readonly isRetitled?: boolean;
}

/** The origins of stored notes during one import. */
export class KnownOrigins {
  readonly #store: Origins;
  readonly #isHeld: (key: string) => boolean;
  readonly #seen = new Set<string>();
  #byKey = new Map<string, NoteOrigin>();
  #byId: ReadonlyMap<number, NoteOrigin> = new Map();
  #isKept: boolean | undefined;

  /** `isHeld`: whether a source outside this import has an origin. */
  constructor(store: Origins, isHeld = (_: string) => false) {
    this.#store = store;
    this.#isHeld = isHeld;
  }

  /** Whether the store has origins; reads them at the first call. */
  async storesOrigins(): Promise<boolean> {
    this.#isKept ??= canHash && (await this.read());
    return this.#isKept;
  }

  /** Remembers an origin. Returns whether it occurs for the first time. */
  markSeen(key: string): boolean {
    return this.#seen.size < this.#seen.add(key).size;
  }

  isKnown(key: string): boolean {
    return this.#byKey.has(key);
  }

  /** Reads the origins from the store. Returns whether it keeps them. */
  async read(): Promise<boolean> {
    const all = (await Array.fromAsync(readAllOrigins(this.#store))).flat();
    this.#byKey = new Map(all.map((one) => [one.key, one]));
    this.#byId = new Map(all.map((one) => [one.id, one]));
    return all.length > 0 || (await this.#store.origins(0)) !== undefined;
  }

  /** Updates the note with this origin from a state of its source; undefined: no such note. */
  async update(key: string, record: NoteRecord): Promise<Update | 'unchanged' | undefined> {
    const known = this.#byKey.get(key);
    if (known === undefined) return undefined;
    const origin = await createOrigin(key, record);
    if (known.taken === origin.taken) return 'unchanged';
    const ours = await this.#store.get(known.id).catch(unlessMissing);
    if (ours === undefined) return undefined;
    if (record.isDated && isOlder(record.note, ours, parseSourceTime(known.taken))) {
      const theirs = createOlderVersion(ours, record.note);
      const isThere = hasSameFields(ours, theirs) || (await hasVersion(this.#store, theirs));
      return isThere ? 'unchanged' : { note: ours, theirs };
    }
    this.#byKey.set(key, { ...origin, id: ours.id });
    const titled = retitle(ours, record, (await hashText(ours.title)) === parseTitleHash(known.taken));
    const last = record.formerTitle === undefined ? known.taken : replaceTitleHash(known.taken, origin.taken);
    if (last === origin.taken) return { note: { ...titled, origin }, isRetitled: titled !== ours };
    return decideUpdate(titled, record.note, origin, last);
  }

  /** Whether a note may get another origin: its own, if any, has not occurred in this import and is not held. */
  canReplaceOrigin(id: number): boolean {
    const origin = this.#byId.get(id);
    return origin === undefined || !(this.#seen.has(origin.key) || this.#isHeld(origin.key));
  }
}

/** The origin of the note of a record. What was taken ends with the time of the source, if it states one. */
export async function createOrigin(key: string, { note, isDated }: NoteRecord): Promise<Origin> {
  const fields = await hashDraft(note);
  return { key, taken: isDated ? `${fields} ${note.updatedAt}` : fields };
}

/**
 * Gives a note whose title was not changed here the title that its source has by the present rule. Its `updatedAt` rises
 * by a millisecond, so that its place among the others stays, and the former title is in the history.
 */
export function retitle(ours: Note, { note, formerTitle }: NoteRecord, hasImportedTitle: boolean): Note {
  if (formerTitle === undefined || !hasImportedTitle || ours.title === note.title) return ours;
  const updatedAt = new Date(Date.parse(ours.updatedAt) + 1).toISOString();
  return { ...ours, title: note.title, updatedAt };
}

/** The hash of the title in what was taken of a source. */
const parseTitleHash = (taken: string) => taken.slice(0, taken.indexOf(' '));

const replaceTitleHash = (taken: string, other: string) => parseTitleHash(other) + taken.slice(taken.indexOf(' '));

/** The time in what was taken of a source; empty if it stated none. */
const parseSourceTime = (taken: string) => taken.split(' ')[draftFields.length] ?? '';

/** Whether a state of the source is older than that of the time `last`, or shorter at the same time. */
const isOlder = (theirs: PortableNote, ours: Note, last: string) =>
  theirs.updatedAt < last || (theirs.updatedAt === last && theirs.content.length < ours.content.length);

/** The older state of a source, as a version before the note. */
function createOlderVersion(ours: Note, theirs: PortableNote): Note {
  const before = Math.min(Date.parse(theirs.updatedAt), Date.parse(ours.updatedAt) - 1);
  const updatedAt = new Date(Math.max(before, Date.parse(ours.createdAt))).toISOString();
  return { ...ours, ...draftOf(theirs), updatedAt };
}

/** A changed source replaces the note, unless that was edited since, and later. */
async function decideUpdate(ours: Note, theirs: PortableNote, origin: Origin, last: string): Promise<Update> {
  const hasSource = hasSameFields(ours, theirs);
  const isEdited = !last.startsWith(await hashDraft(ours));
  if (hasSource || (isEdited && theirs.updatedAt <= ours.updatedAt)) {
    return { note: { ...ours, origin }, ...(!hasSource && { theirs: createOlderVersion(ours, theirs) }) };
  }
  const updatedAt = Math.max(Date.parse(theirs.updatedAt), Date.parse(ours.updatedAt) + 1);
  return { note: { ...ours, ...draftOf(theirs), updatedAt: new Date(updatedAt).toISOString(), origin } };
}

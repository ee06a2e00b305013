import { createHash } from 'node:crypto';
import { draftFields, maxKeyLength, type NoteDraft, type Origin } from './note.ts';
import type { NoteOrigin, PortableStore } from './store.ts';

const sha256 = (text: string) => createHash('sha256').update(text).digest('base64url');

/** A key for what a program calls `name`: the name itself, unless it is too long. */
export function originKey(program: string, name: string): string {
  const key = `${program}:${name}`;
  return key.length <= maxKeyLength ? key : `${key.slice(0, maxKeyLength - 50).toWellFormed()}…${sha256(key)}`;
}

const hashOf = (text: string) => sha256(text).slice(0, 22);

/** What is remembered of the fields of a source once they were taken: a hash of each, in the order of `draftFields`. */
export const takenOf = (source: NoteDraft): string => draftFields.map((field) => hashOf(source[field])).join(' ');

export interface Reconciled {
  /** What the note is to hold. */
  readonly fields: NoteDraft;
  /** Fields that were changed both here and at the source, to different values: ours stay. */
  readonly diverged: readonly (typeof draftFields)[number][];
}

/** Field by field, what a note becomes whose source was taken once and is `theirs` now: who alone has changed it wins. */
export function reconcile(ours: NoteDraft, taken: string, theirs: NoteDraft): Reconciled {
  const hashes = taken.split(' ');
  const diverged: (typeof draftFields)[number][] = [];
  let fields = ours;
  for (const [at, field] of draftFields.entries()) {
    const isChangedIn = (note: NoteDraft) => hashOf(note[field]) !== hashes[at];
    if (ours[field] === theirs[field] || !isChangedIn(theirs)) continue;
    if (isChangedIn(ours)) diverged.push(field);
    else fields = { ...fields, [field]: theirs[field] };
  }
  return { fields, diverged };
}

/** Notes with their origins; both come in ascending order of id. */
export async function* withOrigins<Note extends { readonly id: number }>(
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

/** All origins that a store keeps, in ascending order of id. */
export async function* originsIn(
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

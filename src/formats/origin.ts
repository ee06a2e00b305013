import { draftFields, maxKeyLength, type NoteDraft, type Origin } from '../domain/note.ts';
import type { NoteOrigin, PortableStore } from '../domain/store.ts';

/** A key for what a program calls by a name that stays; undefined where it has none, or one that is too long. */
export function originKey(program: string, name: string): string | undefined {
  const key = `${program}:${name}`;
  return name === '' || key.length > maxKeyLength ? undefined : key;
}

/** Browsers hash nothing on pages that came over plain HTTP from another machine. */
export const canTake = globalThis.crypto?.subtle !== undefined;

/** What is remembered of the fields of a source once they were taken, in the order of `draftFields`: texts as hashes. */
export async function takenOf({ title, content, category, group, color }: NoteDraft): Promise<string> {
  return [await hashOf(title), await hashOf(content), category, group, color].join(' ');
}

async function hashOf(text: string): Promise<string> {
  const hash = await crypto.subtle.digest('SHA-256', new TextEncoder().encode(text));
  return Array.from(new Uint8Array(hash, 0, 16), (byte) => byte.toString(16).padStart(2, '0')).join('');
}

/** What `takenOf` makes of a note, of its source now, and of its source when it was taken last. */
export interface Taken {
  readonly ours: string;
  readonly theirs: string;
  readonly last: string;
}

export interface Reconciled {
  /** What the note is to hold; `ours` itself where it stays. */
  readonly fields: NoteDraft;
  /** Fields that were changed both here and at the source, to different values: ours stay. */
  readonly diverged: readonly (typeof draftFields)[number][];
}

/** Field by field, what a note becomes whose source was taken once and is `theirs` now: who alone has changed it wins. */
export function reconcile(ours: NoteDraft, theirs: NoteDraft, taken: Taken): Reconciled {
  const [hereNow = [], thereNow = [], last = []] = [taken.ours, taken.theirs, taken.last].map((text) =>
    text.split(' '),
  );
  const diverged: (typeof draftFields)[number][] = [];
  let fields = ours;
  for (const [at, field] of draftFields.entries()) {
    if (thereNow[at] === last[at] || thereNow[at] === hereNow[at]) continue;
    if (hereNow[at] !== last[at]) diverged.push(field);
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

import { maxKeyLength, type NoteDraft, type Origin } from '../core/note.ts';
import type { NoteOrigin, PortableStore } from '../core/store.ts';
import type { NoteRecord } from './record.ts';

/** The key of a source by its stable name in a program; undefined if it has none, or one too long. */
export function tryCreateOriginKey(program: string, name: string): string | undefined {
  const key = `${program}:${name}`;
  return name === '' || key.length > maxKeyLength ? undefined : key;
}

/** Whether hashing is available: browsers deny it to pages loaded over plain HTTP from another machine. */
export const canHash = globalThis.crypto?.subtle !== undefined;

/** Creates what tells whether imported fields have changed: their values in the order of `draftFields`, texts as hashes. */
export async function createFingerprint({ title, content, category, group, color }: NoteDraft): Promise<string> {
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
  const rest = flattenBatches(origins);
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

async function* flattenBatches<Value>(batches: AsyncIterable<readonly Value[]>): AsyncGenerator<Value, void, void> {
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

/** Creates the origin of the note of a record. Its fingerprint ends with the time of the source, if it states one. */
export async function createOrigin(key: string, { note, isDated }: NoteRecord): Promise<Origin> {
  const fields = await createFingerprint(note);
  return { key, taken: isDated ? `${fields} ${note.updatedAt}` : fields };
}

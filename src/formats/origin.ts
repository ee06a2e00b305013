import { maxKeyLength, type NoteDraft, type Origin } from '../core/note.ts';
import type { NoteOrigin, PortableStore } from '../core/store.ts';
import type { NoteRecord } from './record.ts';

/** Creates the key of a source by its stable name in a program. Returns undefined if the name is empty or too long. */
export function tryCreateOriginKey(program: string, name: string): string | undefined {
  const key = `${program}:${name}`;
  return name === '' || key.length > maxKeyLength ? undefined : key;
}

/** Whether a key is that of a file in a vault of Obsidian. */
export const isVaultOriginKey = (key: string): boolean => key.startsWith('obsidian:');

/** Whether hashing is available: browsers deny it to pages loaded over plain HTTP from another machine. */
export const canHash = globalThis.crypto?.subtle !== undefined;

/**
 * Creates a text by which one sees whether fields have changed: their values in the order of `draftFields`, with hashes
 * of title and content.
 */
export async function createNoteFingerprint({ title, content, category, group, color }: NoteDraft): Promise<string> {
  return [await hashTextTo128BitHex(title), await hashTextTo128BitHex(content), category, group, color].join(' ');
}

async function hashTextTo128BitHex(text: string): Promise<string> {
  const hash = await crypto.subtle.digest('SHA-256', new TextEncoder().encode(text));
  return Array.from(new Uint8Array(hash, 0, 16), (byte) => byte.toString(16).padStart(2, '0')).join('');
}

/**
 * Yields notes with their origins. Both have to arrive in ascending order of id.
 *
 * Example: the notes 1, 2 and 3, and the origin of 2, give 1, 2 with its origin, and 3.
 */
export async function* joinNoteBatchesWithOrigins<Note extends { readonly id: number }>(
  batches: AsyncIterable<readonly Note[]>,
  origins: AsyncIterable<readonly NoteOrigin[]>,
): AsyncGenerator<readonly (Note & { readonly origin?: Origin })[], void, void> {
  const rest = streamItemsOfBatches(origins);
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

async function* streamItemsOfBatches<Value>(
  batches: AsyncIterable<readonly Value[]>,
): AsyncGenerator<Value, void, void> {
  for await (const batch of batches) yield* batch;
}

/** Yields all origins of a store, in ascending order of id. */
export async function* streamOriginBatches(
  store: Pick<PortableStore, 'readOriginsPage'>,
): AsyncGenerator<readonly NoteOrigin[], void, void> {
  for (let after = 0; ; ) {
    const some = await store.readOriginsPage(after);
    const last = some?.at(-1);
    if (some === undefined || last === undefined) return;
    yield some;
    after = last.id;
  }
}

/** Creates the origin of the note of a record. Its fingerprint ends with the time of the source, if it states one. */
export async function createOriginWithFingerprint(key: string, { note, isDated }: NoteRecord): Promise<Origin> {
  const fields = await createNoteFingerprint(note);
  return { key, taken: isDated ? `${fields} ${note.updatedAt}` : fields };
}

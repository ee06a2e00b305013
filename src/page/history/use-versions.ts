import { useSignal } from '@preact/signals';
import type { Note } from '../../core/note.ts';
import { client, failureText } from '../state/notes.ts';
import { useLoaded } from '../use-loaded.ts';

/** `hasMore`: there may be older versions. */
type Versions =
  | { readonly kind: 'ready'; readonly versions: readonly Note[]; readonly hasMore: boolean }
  | { readonly kind: 'failed'; readonly text: string };

const firstLimit = 20;
/** The approximate size of the first page in characters, estimated from the length of the current note. */
const firstCharacters = 16_000_000;

/** The versions of a note, newest first, undefined while loading; reloaded when the note changes. */
export function useVersions({ id, updatedAt, content }: Note) {
  const limit = useSignal(Math.max(2, Math.min(firstLimit, Math.floor(firstCharacters / (content.length + 1)))));
  const attempt = useSignal(0);
  const versions = useLoaded(() => load(id, limit.value), [id, updatedAt, limit.value, attempt.value]);
  return {
    versions,
    loadMore: () => {
      limit.value *= 5;
    },
    retry: () => {
      versions.value = undefined;
      attempt.value++;
    },
  };
}

async function load(id: number, limit: number): Promise<Versions> {
  try {
    const versions = (await Array.fromAsync(client.history(id, limit))).flat();
    return { kind: 'ready', versions, hasMore: versions.length === limit };
  } catch (error) {
    return { kind: 'failed', text: failureText(error) };
  }
}

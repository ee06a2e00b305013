import { type ReadonlySignal, useSignal } from '@preact/signals';
import { useEffect } from 'preact/hooks';
import type { Note } from '../../domain/note.ts';
import { client, failureText } from '../state/notes.ts';

/** `hasMore`: older versions may be there. */
type Versions =
  | { readonly kind: 'loading' }
  | { readonly kind: 'ready'; readonly versions: readonly Note[]; readonly hasMore: boolean }
  | { readonly kind: 'failed'; readonly text: string };

const firstLimit = 20;
/** So many characters are asked for at first, if earlier versions are as long as the note. */
const firstCharacters = 16_000_000;

interface VersionLoader {
  readonly versions: ReadonlySignal<Versions>;
  readonly loadMore: () => void;
  readonly retry: () => void;
}

/** The versions of a note, the newest first; loaded anew when the note changes. */
export function useVersions({ id, updatedAt, content }: Note): VersionLoader {
  const versions = useSignal<Versions>({ kind: 'loading' });
  const limit = useSignal(Math.max(2, Math.min(firstLimit, Math.floor(firstCharacters / (content.length + 1)))));
  const attempt = useSignal(0);
  useEffect(() => {
    let isOver = false;
    void load(id, limit.value).then((loaded) => {
      if (!isOver) versions.value = loaded;
    });
    return () => {
      isOver = true;
    };
  }, [id, updatedAt, limit.value, attempt.value]);
  return {
    versions,
    loadMore: () => {
      limit.value *= 5;
    },
    retry: () => {
      versions.value = { kind: 'loading' };
      attempt.value++;
    },
  };
}

async function load(id: number, limit: number): Promise<Versions> {
  try {
    const versions: Note[] = [];
    for await (const batch of client.history(id, limit)) versions.push(...batch);
    return { kind: 'ready', versions, hasMore: versions.length === limit };
  } catch (error) {
    return { kind: 'failed', text: failureText(error) };
  }
}

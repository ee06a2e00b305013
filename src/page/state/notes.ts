/** The notes of the list, and how far it is loaded. What asks the service for them is loaded after the first notes. */
import { computed, effect, signal } from '@preact/signals';
import type { Note } from '../../core/note.ts';

/** All notes, archived ones too; last changed first. */
export const notes = signal<readonly Note[]>([]);

export const isSignedOut = signal(false);

type ListLoadState = { readonly kind: 'loading' | 'ready' } | { readonly kind: 'failed'; readonly text: string };
export const listLoadState = signal<ListLoadState>({ kind: 'loading' });

export const hasNoNotes = computed(() => listLoadState.value.kind === 'ready' && notes.value.length === 0);

export const listLoadedPromise = new Promise<void>((resolve) => {
  effect(() => {
    if (listLoadState.value.kind === 'ready') resolve();
  });
});

/** Whether the service is unreachable. Loaded notes stay readable. */
export const isOffline = signal(false);

/** The error of the last refresh, if the service is reachable. */
export const staleListReason = signal<string | undefined>(undefined);

/** When the shown list was last in sync, in ms since 1970; undefined while it is in sync. */
export const lastInSyncAt = signal<number | undefined>(undefined);

export const listCursor = signal<string | undefined>(undefined);

export function showFirstNotesWhileLoading(first: readonly Note[]): void {
  if (listLoadState.value.kind === 'loading') notes.value = first;
}

export const findNoteById = (id: number): Note | undefined => notes.value.find((note) => note.id === id);

/** By id: the `updatedAt` of the restored note, and the time to sort it by. */
const formerPositions = new Map<Note['id'], { readonly updatedAt: string; readonly sortTime: string }>();

/** Keeps a note at the position of a former state, until its next write. */
export function setFormerPosition({ id, updatedAt }: Note, before: Note): void {
  formerPositions.set(id, { updatedAt, sortTime: getSortTime(before) });
}

export const hasFormerPositions = (): boolean => formerPositions.size > 0;

export function getSortTime({ id, updatedAt }: Pick<Note, 'id' | 'updatedAt'>): string {
  const position = formerPositions.get(id);
  return position?.updatedAt === updatedAt ? position.sortTime : updatedAt;
}

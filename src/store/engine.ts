import type { NoteError } from '../core/error.ts';
import type { Note, NoteDraft, NotePatch } from '../core/note.ts';
import type { IfMatch } from '../core/store.ts';

/** A write as data, so that several can be committed together. */
export type Write =
  | { readonly kind: 'create'; readonly draft: NoteDraft }
  | { readonly kind: 'change'; readonly id: number; readonly change: NoteChange; readonly ifMatch?: IfMatch };
export type Create = Extract<Write, { kind: 'create' }>;
export type Change = Extract<Write, { kind: 'change' }>;

/** Changes to a stored note. `updatedAt` increases in any case. */
export type NoteChange = NotePatch & { readonly archived?: boolean };

export type Outcome = Note | NoteError;

/** Called after each commit with the number of durable writes and the duration in seconds. */
export type CommitObserver = (writes: number, seconds: number) => void;

export interface EngineContext {
  readonly onCommit: CommitObserver;
  /** Memory limit of the list cache, in bytes; 0 disables it. */
  readonly cacheBytes: number;
  /** Maximum number of versions kept per note; 0 keeps none. */
  readonly maxVersions: number;
}

export const engineDefaults: EngineContext = {
  onCommit() {},
  cacheBytes: 64 * 1024 * 1024,
  maxVersions: 100,
};

import type { Note, NoteDraft } from '../core/note.ts';

/** Orders of a list: by the last change or by creation, the newest first; or by title. */
export const sortOrders = ['updated', 'created', 'title'] as const;

export type SortOrder = (typeof sortOrders)[number];

/** Flags that select the store a command works on. */
export interface StoreFlags {
  /** Address of a running service. */
  readonly url?: string;
  /** A file, or a value of `DATABASE_URL`. */
  readonly db?: string;
}

/** Flags that many commands on notes have. */
export interface NoteFlags extends StoreFlags {
  /** Whether to print JSON. */
  readonly json?: boolean;
  /** Whether to change notes without asking. */
  readonly yes?: boolean;
}

/** Flags that select notes: each passes any of its values. Archived notes are excluded unless asked for. */
export interface FilterFlags {
  readonly category?: readonly Note['category'][];
  readonly group?: readonly Note['group'][];
  readonly color?: readonly Note['color'][];
  readonly archived?: boolean | undefined;
  readonly all?: boolean;
}

export type DraftFlags = Partial<Pick<NoteDraft, 'category' | 'group' | 'color'>>;

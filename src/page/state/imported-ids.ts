/** The notes of an import, which alone are listed after it. */
import { signal } from '@preact/signals';
import type { Note } from '../../core/note.ts';
import { createSetter } from './signal-helpers.ts';

/** Undefined while the list is not narrowed to them. */
export const importedIds = signal<ReadonlySet<Note['id']> | undefined>(undefined);

export const clearImportedIds = createSetter(importedIds, undefined);

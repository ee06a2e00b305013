import { signal } from '@preact/signals';
import type { Note } from '../../core/note.ts';
import { isCodeCategory } from './plain-text.ts';

/**
 * Tells whether a note is shown as code. Until the late views replace it by a check that looks at the text, it knows
 * the categories of code only.
 */
export const codeNoteCheck = signal<(note: Note) => boolean>(({ category }) => isCodeCategory(category));

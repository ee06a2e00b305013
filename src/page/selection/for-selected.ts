/** Commands for the selected notes. */
import type { ValueField } from '../../core/enums.ts';
import type { Note } from '../../core/note.ts';
import { isCovered } from '../state/layout.ts';
import { ordered } from '../state/results.ts';
import { notifyMissing } from '../ui/lazy.ts';
import { currentNote, isInNote } from '../ui/open-note.ts';
import { undoLater } from '../ui/undo.ts';
import { selected } from './selection.ts';

/** The selected notes in list order; none while the focus is in an open note, which commands then apply to. */
export const selectedNotes = (): readonly Note[] =>
  selected.value.size === 0 || isCovered.value || isInNote()
    ? []
    : ordered.value.filter(({ id }) => selected.value.has(id));

type Verbs = typeof import('./verbs.ts');
type Run = (verbs: Verbs, notes: readonly Note[], value: string | undefined) => unknown;

const run = (verb: Run, notes: readonly Note[], value?: string) =>
  undoLater(import('../lazy-views.ts').then(({ verbs }) => verb(verbs, notes, value), notifyMissing));

/** A command for the selected notes; runs `otherwise` if there are none. */
export const forSelected =
  (verb: Run, otherwise: (value: string | undefined) => void = () => {}) =>
  (value?: string): void => {
    const notes = selectedNotes();
    if (notes.length > 0) run(verb, notes, value);
    else otherwise(value);
  };

/** A command for the selected notes, or for the current one if none are selected. */
export const forNotes = (verb: Run) =>
  forSelected(verb, (value) => {
    const note = currentNote();
    if (note) run(verb, [note], value);
  });

/** The command that sets a field of the selected notes, or of the current one. */
export const setField = (field: ValueField) => forNotes((verbs, notes, value) => verbs.changeTo(notes, field, value));

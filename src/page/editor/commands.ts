import type { Note, NoteDraft } from '../../core/note.ts';
import { draftOf } from '../../core/versions.ts';
import type { Commands } from '../keyboard/keymap.ts';
import { urlState } from '../state/navigation.ts';
import { editNote, openNew, withCurrentNote } from '../ui/open-note.ts';

/** The fields of an empty note that passes the current filters. */
export function blank(): NoteDraft {
  const {
    category: [category = 'notes'],
    group: [group = 'first'],
  } = urlState.value;
  return { title: '', content: '', category, group, color: 'neutral' };
}

const duplicate = (note: Note) => openNew(draftOf(note));

export const editorCommands = {
  create: () => openNew(),
  edit: withCurrentNote(editNote),
  duplicate: withCurrentNote(duplicate),
} satisfies Partial<Commands>;

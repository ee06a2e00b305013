import type { Note, NoteDraft } from '../../core/note.ts';
import { titleOf } from '../../core/tools/text.ts';
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

/** The fields of a note with a pasted text. */
export function pasted(content: string): NoteDraft {
  const isScript = /^#!.*\b(?:ba|z|fi)?sh\b/.test(content) && urlState.value.category.length === 0;
  return { ...blank(), title: titleOf(content), content, ...(isScript && { category: 'bash-commands' as const }) };
}

const duplicate = (note: Note) => openNew(draftOf(note));

export const editorCommands = {
  create: () => openNew(),
  edit: withCurrentNote(editNote),
  duplicate: withCurrentNote(duplicate),
} satisfies Partial<Commands>;

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

/** The beginnings of texts that are surely commands or CSS: a shell's line or prompt, a rule with its first property. */
const signs: readonly (readonly [sign: RegExp, category: Note['category']])[] = [
  [/^(?:#!.*\b(?:ba|z|fi)?sh\b|\$ \S)/, 'bash-commands'],
  [/^(?!(?:export|interface|type|class) )[^{}=;]+\{\s*(?:--)?[a-z-]+:\s[^{}]*;\s/, 'css'],
];

/** The fields of a note with a pasted text. */
export function pasted(content: string): NoteDraft {
  const found = signs.find(([sign]) => sign.test(content.trimStart().slice(0, 2_000)))?.[1];
  const { category, ...fields } = blank();
  const isFree = urlState.value.category.length === 0;
  return { ...fields, title: titleOf(content), content, category: (isFree && found) || category };
}

const duplicate = (note: Note) => openNew(draftOf(note));

export const editorCommands = {
  create: () => openNew(),
  edit: withCurrentNote(editNote),
  duplicate: withCurrentNote(duplicate),
} satisfies Partial<Commands>;

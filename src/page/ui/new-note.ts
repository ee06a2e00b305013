/** Begins new notes: each has its draft and the same form. */

import type { Note, NoteDraft } from '../../core/note.ts';
import { deriveTitle } from '../../core/text/derive-title.ts';
import { closeDialog } from '../state/dialog.ts';
import { beginDraft, closedDraft, type Draft, newFormKey, newFormTitle, newKey } from '../state/drafts.ts';
import { editing, navigate, pushForm, urlState } from '../state/navigation.ts';
import { words } from '../state/results.ts';
import { flushSync, focus, tryFocus } from './focus.ts';

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

export function pasted(content: string): NoteDraft {
  const found = signs.find(([sign]) => sign.test(content.trimStart().slice(0, 2_000)))?.[1];
  const { category, ...fields } = blank();
  const isFree = urlState.value.category.length === 0;
  return { ...fields, title: deriveTitle(content), content, category: (isFree && found) || category };
}

/** Opens the form of a new note: with these fields as a draft, or with a title, else the draft that this tab left. */
export function openNew(fields?: NoteDraft, title = ''): void {
  if (editing.value === 'new' && !fields) {
    focus('#detail [name=title]');
    return;
  }
  const left = closedDraft(newFormKey.value);
  const key = fields ? beginDraft(fields) : title === '' ? left?.key : undefined;
  showForm(key ?? newKey(), title);
}

export const createFromSearch = () => openNew(undefined, words.value);

export const openDraftAsNew = ({ key }: Draft): void => showForm(key, '');

function showForm(key: string, title: string): void {
  flushSync(() => {
    closeDialog();
    pushForm();
    navigate({ note: undefined }, 'replace');
    newFormKey.value = key;
    newFormTitle.value = title;
    editing.value = 'new';
  });
  tryFocus('#detail [name=title]');
}

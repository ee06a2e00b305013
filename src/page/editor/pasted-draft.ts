import type { NoteDraft } from '../../core/note.ts';
import { guessCategory } from '../../core/text/guess-category.ts';
import { suggestTitle } from '../../core/text/suggest-title.ts';
import { urlState } from '../state/navigation.ts';
import { createEmptyDraft } from '../ui/new-note.ts';

/** Creates the fields of a note with a pasted text. */
export function createPastedDraft(content: string): NoteDraft {
  const { category, ...fields } = createEmptyDraft();
  return { ...fields, title: suggestTitle(content), content, category: guessPastedCategory(content) ?? category };
}

/** Guesses the category of a pasted text. There is no guess if the list is filtered by one, which comes before it. */
export const guessPastedCategory = (content: string): NoteDraft['category'] | undefined =>
  urlState.peek().category.length === 0 ? guessCategory(content) : undefined;

/** Completes the fields of a form before they are stored. */
import type { NoteDraft } from '../../core/note.ts';
import { suggestTitle } from '../../core/text/suggest-title.ts';
import { isMarkdownCategory } from '../markdown/plain-text.ts';

/** The item that Enter has begun at the end of a list, and in which nothing was written. */
const trailingEmptyItemPattern = /\r?\n[ \t]*(?:[-*+]|\d{1,8}[.)])[ \t]+(?:\[ \][ \t]*)?$/;

/**
 * A title alone is a note: it is the text as well. A text alone has a suggested title. An empty item at the end
 * of Markdown is left out: `- tea\n- ` is stored as `- tea`.
 */
export function copyWithDefaultTitleAndContent({ title, content, ...chosen }: NoteDraft): NoteDraft {
  const text = isMarkdownCategory(chosen.category) ? content.replace(trailingEmptyItemPattern, '') : content;
  return { ...chosen, title: title || suggestTitle(text) || 'Untitled', content: text || title };
}

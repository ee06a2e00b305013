import type { NoteDraft } from '../../core/note.ts';
import { suggestTitle } from '../../core/text/suggest-title.ts';

/** The fields as the form shows them. The category may be one of a later version of the service. */
export type TextFields = Readonly<Record<'title' | 'content' | 'category', string>>;

type GuessCategory = (text: string) => NoteDraft['category'] | undefined;

/**
 * The title and the category that a form fills in from its text, until the user changes them. The title is suggested
 * from the text. The category is guessed only for a text that is pasted into an empty form of a new note, as for one
 * that is pasted outside of it. Both are taken back when an undo removes the text.
 *
 * Example: after a paste of `git push\n`, the title is `git push` and the category `bash-commands`.
 */
export class AutomaticFields {
  readonly #guess: GuessCategory | undefined;
  #initialCategory = '';
  #title = '';
  #content = '';
  #guessedCategory: string | undefined;

  /** `initial`: what the form shows first. `guess`: guesses the category of a text; undefined for a stored note. */
  constructor(initial: NoteDraft, guess: GuessCategory | undefined) {
    this.#guess = guess;
    this.reset(initial);
  }

  /** Begins again with the fields that the form shows now. */
  reset(shown: NoteDraft): void {
    this.#initialCategory = shown.category;
    this.#title = suggestTitle(shown.content);
    this.#content = shown.content;
    this.#guessedCategory = undefined;
  }

  /**
   * Returns the title and the category of a form in which the text was changed. `fields`: with the new text, and the
   * title from before. A text of several lines that appears at once is pasted too: the keyboards of phones insert the
   * clipboard as if it were typed.
   */
  followContent(fields: TextFields, isPaste: boolean): Pick<TextFields, 'title' | 'category'> {
    const { title, content } = fields;
    const wasEmpty = title === '' && this.#content === '';
    this.#content = content;
    const isPasted = this.#guess !== undefined && wasEmpty && (isPaste || content.trim().includes('\n'));
    const hasAutomaticTitle = title === this.#title;
    this.#title = suggestTitle(content);
    const shown = { ...fields, title: hasAutomaticTitle ? this.#title : title };
    return {
      title: shown.title,
      category: isPasted ? this.guessCategory(content, fields) : this.followEmptying(shown),
    };
  }

  /** Returns the category for a text that is pasted into an empty form; the chosen one comes before a guess. */
  guessCategory(text: string, { category }: TextFields): string {
    if (!this.#guess || category !== this.#initialCategory) return category;
    this.#guessedCategory = this.#guess(text);
    return this.#guessedCategory ?? category;
  }

  /** Returns the category: a guessed one is taken back when the form is empty again. */
  followEmptying({ title, content, category }: TextFields): string {
    const isEmpty = title === '' && content === '';
    return isEmpty && category === this.#guessedCategory ? this.#initialCategory : category;
  }
}

import { describe, expect, test } from 'bun:test';
import type { NoteDraft } from '../../core/note.ts';
import { guessCategory } from '../../core/text/guess-category.ts';
import { AutomaticFields } from './automatic-fields.ts';

const empty: NoteDraft = { title: '', content: '', category: 'notes', group: 'first', color: 'neutral' };
const python = 'import re\n\ndef slugify(text):\n    return text\n';

const createNewForm = (initial = empty) => new AutomaticFields(initial, guessCategory);

describe('a text pasted into an empty form', () => {
  test('gets a title and a category, which an undo takes back', () => {
    const form = createNewForm();

    const pasted = form.followContent({ title: '', content: 'git push\n', category: 'notes' }, true);
    const undone = form.followContent({ ...pasted, content: '' }, false);

    expect(pasted).toEqual({ title: 'git push', category: 'bash-commands' });
    expect(undone).toEqual({ title: '', category: 'notes' });
  });

  test('has its suggested title while it is changed, until the user changes that', () => {
    const form = createNewForm();

    const pasted = form.followContent({ title: '', content: python, category: 'notes' }, true);
    const changed = form.followContent({ ...pasted, content: `${python}#` }, false);
    const named = form.followContent({ title: 'Mine', content: python, category: 'notes' }, false);

    expect([pasted.title, changed.title, named.title]).toEqual(['slugify', 'slugify', 'Mine']);
  });

  test('keeps a category that the user has chosen', () => {
    const form = createNewForm();

    expect(form.followContent({ title: '', content: 'git push\n', category: 'prompts' }, true).category).toBe(
      'prompts',
    );
    expect(form.followContent({ title: '', content: '', category: 'prompts' }, true).category).toBe('prompts');
  });

  test('is recognized as well if a keyboard inserts several lines at once', () => {
    const shown = createNewForm().followContent(
      { title: '', content: 'a {\n  color: red;\n}', category: 'notes' },
      false,
    );

    expect(shown).toEqual({ title: 'a', category: 'css' });
  });

  test('in its title has a guessed category until the title is empty again', () => {
    const form = createNewForm();

    const category = form.guessCategory('git push', empty);

    expect(category).toBe('bash-commands');
    expect(form.followEmptying({ title: 'git', content: '', category })).toBe('bash-commands');
    expect(form.followEmptying({ title: '', content: '', category })).toBe('notes');
  });
});

test('a typed text has a suggested title, and the category of the form', () => {
  const form = createNewForm();

  const letter = form.followContent({ title: '', content: 'g', category: 'notes' }, false);
  const line = form.followContent({ ...letter, content: 'git push\nnow' }, false);

  expect(line).toEqual({ title: 'git push', category: 'notes' });
});

test('a paste below a title, into a text or into a stored note changes no category', () => {
  const paste = (form: AutomaticFields, title: string) =>
    form.followContent({ title, content: 'git push\n', category: 'notes' }, true);

  expect(paste(createNewForm(), 'Mine')).toEqual({ title: 'Mine', category: 'notes' });
  expect(paste(createNewForm({ ...empty, title: 'a', content: 'a' }), 'a')).toEqual({
    title: 'git push',
    category: 'notes',
  });
  expect(paste(new AutomaticFields(empty, undefined), '')).toEqual({ title: 'git push', category: 'notes' });
});

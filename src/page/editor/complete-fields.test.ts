import { describe, expect, test } from 'bun:test';
import { createDraft } from '../../../test/support/sample-notes.ts';
import { copyWithDefaultTitleAndContent } from './complete-fields.ts';

describe('10. Write: what a form stores', () => {
  test.each([
    ['a title is the text as well', { title: 'Tea', content: '' }, { title: 'Tea', content: 'Tea' }],
    ['a text has a title', { title: '', content: '# Tea\nhot' }, { title: 'Tea', content: '# Tea\nhot' }],
    ['an empty item at the end goes', { title: 'T', content: '- a\n- ' }, { title: 'T', content: '- a' }],
    ['an empty task goes', { title: 'T', content: '- [x] a\r\n- [ ] ' }, { title: 'T', content: '- [x] a' }],
    ['an empty numbered item goes', { title: 'T', content: '1. a\n2. ' }, { title: 'T', content: '1. a' }],
    ['an item in use stays', { title: 'T', content: '- a\n- b' }, { title: 'T', content: '- a\n- b' }],
    ['a rule stays', { title: 'T', content: 'a\n---' }, { title: 'T', content: 'a\n---' }],
    ['spaces stay', { title: 'T', content: 'a\n  ' }, { title: 'T', content: 'a\n  ' }],
  ])('%s', (_, typed, stored) =>
    expect(copyWithDefaultTitleAndContent(createDraft({ ...typed, category: 'notes' }))).toMatchObject(stored),
  );

  test('code stays as it is', () => {
    const code = createDraft({ title: 'T', content: 'a\n- ', category: 'bash-commands' });

    expect(copyWithDefaultTitleAndContent(code)).toEqual(code);
  });
});

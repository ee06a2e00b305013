import { expect, test } from 'bun:test';
import { findFrontMatter, removeFrontMatter } from './yaml-front-matter.ts';

test.each([
  ['---\ntitle: Tea\ntags: [green]\n---\n# Tea', 'title: Tea\ntags: [green]', '# Tea'],
  ['---\r\ntitle: Tea\r\n---\r\nText', 'title: Tea', 'Text'],
  [
    '\ufeff---\ntags:\n- a\n  - b\n\n# of tea\ncreated at: today\n--- \nText',
    'tags:\n- a\n  - b\n\n# of tea\ncreated at: today',
    'Text',
  ],
  ['---\n# of tea\ntitle: Tea\n...\nText', '# of tea\ntitle: Tea', 'Text'],
  ['---\ntitle: Tea\n---', 'title: Tea', ''],
  ['---\ntitle: Tea\n---\na\n---\n', 'title: Tea', 'a\n---\n'],
])('front matter of %j is found and removed', (text, yaml, rest) => {
  expect(findFrontMatter(text)?.yaml).toBe(yaml);
  expect(removeFrontMatter(text)).toBe(rest);
});

test.each([
  '\n---\ntitle: Tea\n---\n',
  'Text\n---\ntitle: Tea\n---\n',
  '---\ntitle: Tea\n',
  '---\ntitle: Tea\n----\n',
  '---\n\ntitle: Tea\n---\n',
  '---\n---\n',
  '---\n# A heading\n---\n',
  '---\nA sentence.\n---\n',
  '---\ntitle: Tea\nA sentence.\n---\n',
  '---\nhttps://host.example\n---\n',
])('%j has no front matter', (text) => {
  expect(findFrontMatter(text)).toBeUndefined();
  expect(removeFrontMatter(text)).toBe(text);
});

test('a long text without a closing line is looked at no longer than its first lines', () => {
  expect(findFrontMatter(`---\n${'a: b\n'.repeat(500)}---\n`)).toBeUndefined();
});

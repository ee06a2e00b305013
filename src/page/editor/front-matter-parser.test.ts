import { expect, test } from 'bun:test';
import { ensureSyntaxTree, syntaxTree } from '@codemirror/language';
import { EditorState } from '@codemirror/state';
import { markdownLanguage } from './editor-languages.ts';

/** The blocks of a text, each with its name. */
function listBlocks(state: EditorState): string[] {
  const blocks: string[] = [];
  const tree = ensureSyntaxTree(state, state.doc.length) ?? syntaxTree(state);
  for (let node = tree.topNode.firstChild; node; node = node.nextSibling)
    blocks.push(`${node.name}: ${state.sliceDoc(node.from, node.to)}`);
  return blocks;
}

const createState = (doc: string) => EditorState.create({ doc, extensions: markdownLanguage.extension });

const parseBlocks = (text: string) => listBlocks(createState(text));

test.each([
  [
    '---\ntitle: Tea\ntags: [a, b]\n---\n# Tea',
    ['FrontMatter: ---\ntitle: Tea\ntags: [a, b]\n---', 'ATXHeading1: # Tea'],
  ],
  ['---\n# of tea\ntitle: Tea\n...\nText', ['FrontMatter: ---\n# of tea\ntitle: Tea\n...', 'Paragraph: Text']],
  ['---\ntags:\n- a\n\ntitle: Tea\n---', ['FrontMatter: ---\ntags:\n- a\n\ntitle: Tea\n---']],
])('front matter is one block: %j', (text, blocks) => {
  expect(parseBlocks(text)).toEqual(blocks);
});

test.each([
  ['---\ntitle: Tea', ['FrontMatter: ---\ntitle: Tea']],
  ['---\ntitle: Tea\n\nText\n---', ['FrontMatter: ---\ntitle: Tea', 'SetextHeading2: Text\n---']],
])('front matter that is not closed ends at a blank line: %j', (text, blocks) => {
  expect(parseBlocks(text)).toEqual(blocks);
});

test.each([
  ['---\nText', ['HorizontalRule: ---', 'Paragraph: Text']],
  ['---\n\ntitle: Tea\n---', ['HorizontalRule: ---', 'SetextHeading2: title: Tea\n---']],
  ['Text\n\n---\ntitle: Tea', ['Paragraph: Text', 'HorizontalRule: ---', 'Paragraph: title: Tea']],
  ['> ---\n> title: Tea', ['Blockquote: > ---\n> title: Tea']],
])('what is elsewhere, or has no key, is Markdown: %j', (text, blocks) => {
  expect(parseBlocks(text)).toEqual(blocks);
});

test('a text is read anew when its front matter gets to its beginning, and when it leaves that', () => {
  const text = `---\ntitle: ${'Tea '.repeat(50)}\n---\n${'More about tea.\n\n'.repeat(50)}`;
  const below = createState(`\n${text}`);
  expect(listBlocks(below)[0]).toStartWith('HorizontalRule');

  const first = below.update({ changes: { from: 0, to: 1 } }).state;
  expect(listBlocks(first)).toEqual(parseBlocks(text));

  const again = first.update({ changes: { from: 0, insert: '\n' } }).state;
  expect(listBlocks(again)).toEqual(parseBlocks(`\n${text}`));
});

test('a key that is added behind a blank line becomes a part of front matter that is not closed', () => {
  const begun = `---\ntitle: ${'Tea '.repeat(50)}\n\n`;
  const before = createState(`${begun}\nText`);
  expect(listBlocks(before)).toHaveLength(2);

  const after = before.update({ changes: { from: begun.length, insert: 'tags: [a, b]' } }).state;
  expect(listBlocks(after)).toEqual([`FrontMatter: ${begun}tags: [a, b]\nText`]);
});

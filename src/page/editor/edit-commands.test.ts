/**
 * Keys of the editor change the text as lists and Markdown want it. `|` is the caret, the selection is between `«` and
 * `»`.
 */
import { describe, expect, test } from 'bun:test';
import { EditorState } from '@codemirror/state';
import {
  continueList,
  createCodeLineBreak,
  createListToggle,
  createMarkToggle,
  createTaskToggle,
  type EditCommand,
  indentLines,
  indentWholeLines,
  insertCode,
  insertLink,
  isFirstLineOfCode,
  outdentLines,
} from './edit-commands.ts';

/** Applies an edit to a text with a caret or a selection, and shows the result likewise. */
function apply(edit: EditCommand, shown: string): string | undefined {
  const doc = shown.replace(/[|«»]/g, '');
  const anchor = shown.search(/[|«]/);
  const head = shown.includes('»') ? shown.indexOf('»') - 1 : anchor;
  const state = EditorState.create({ doc, selection: { anchor, head } });
  const change = edit(state);
  if (!change) return undefined;
  const after = state.update(change).state;
  const { from, to, empty } = after.selection.main;
  const text = after.doc.toString();
  if (empty) return `${text.slice(0, from)}|${text.slice(from)}`;
  return `${text.slice(0, from)}«${text.slice(from, to)}»${text.slice(to)}`;
}

const bold = createMarkToggle('**');

describe('10. Write: keys of the editor', () => {
  test.each([
    ['a level at the caret', indentLines, 'a|b', 'a  |b'],
    ['a tab where lines begin with tabs', indentLines, '\tx\na|b', '\tx\na\t|b'],
    ['the item of a list, as wide as its mark', indentLines, '- a\n- |b', '- a\n  - |b'],
    ['a numbered item', indentLines, '1. a\n2. |b', '1. a\n   2. |b'],
    ['the selected lines, but no empty ones', indentLines, 'a {\n«b\n\nc\n»}', 'a {\n  «b\n\n  c\n»}'],
    ['a line with less', outdentLines, '    a|', '  a|'],
    ['an item', outdentLines, '- a\n  - |b', '- a\n- |b'],
    ['a tab', outdentLines, '\ta|', 'a|'],
    ['nothing where there is none', outdentLines, 'a|', 'a|'],
  ] as const)('Tab indents: %s', (_, edit, before, after) => expect(apply(edit, before)).toBe(after));

  test.each([
    ['its line at the caret', 'a\nb|c', 'a\n  b|c'],
    ['an empty line', '|', '  |'],
    ['the selected lines', '«a\n\nb»', '  «a\n\n  b»'],
  ])('the button of touch screens indents %s', (_, before, after) =>
    expect(apply(indentWholeLines, before)).toBe(after),
  );

  test.each([
    ['begins the next item', '- one|', '- one\n- |'],
    ['splits an item', '- one| two', '- one\n- | two'],
    ['counts on', '9. one|', '9. one\n10. |'],
    ['goes on with a task that is open', '  * [x] done|', '  * [x] done\n  * [ ] |'],
    ['ends the list at an empty item, so that what follows is none', '- one\n- |', '- one\n\n|'],
    ['removes the only item', '- |', '|'],
  ] as const)('Enter in a list %s', (_, before, after) => expect(apply(continueList, before)).toBe(after));

  test('Enter elsewhere is left to the editor', () => {
    expect([apply(continueList, 'one|'), apply(continueList, '|- one'), apply(continueList, '- «one»')]).toEqual([
      undefined,
      undefined,
      undefined,
    ]);
  });

  test.each([
    ['deeper after a colon of Python', 'python', 'def f():|', 'def f():\n    |'],
    ['deeper by two spaces where lines have them', 'python', 'if a:\n  b\n  if c:|', 'if a:\n  b\n  if c:\n    |'],
    ['at the same indentation after other lines', 'python', 'if a:\n  b|', 'if a:\n  b\n  |'],
    ['deeper after a bracket', 'json', '{|', '{\n  |'],
    ['deeper by four spaces where lines have them', 'typescript', 'f(\n    a, [ |', 'f(\n    a, [ \n        |'],
    ['deeper by a tab where lines begin with tabs', 'go', 'if a {\n\tif b {|', 'if a {\n\tif b {\n\t\t|'],
    ['between brackets, on one of its own', 'css', '  a {| }', '  a {\n    |\n  }'],
    ['with the rest of a line', 'typescript', '  a;| b;', '  a;\n  |b;'],
    ['and leaves no blanks in an empty one', 'python', '    |', '\n    |'],
    ['and keeps the indentation of one that is moved down', 'python', '|    a', '\n    |a'],
    ['at the same indentation after a colon elsewhere', 'yaml', 'a:|', 'a:\n|'],
  ])('Enter in code begins a line %s', (_, language, before, after) =>
    expect(apply(createCodeLineBreak(language), before)).toBe(after),
  );

  test('a lone line begins code if it defines a function or a class, or ends with a brace', () => {
    const isFirst = (doc: string) => isFirstLineOfCode(EditorState.create({ doc }));
    expect(['def f(a):', 'async def f() -> int:', 'class A(B):', 'fn main() {'].map(isFirst)).toEqual([
      true,
      true,
      true,
      true,
    ]);
    expect(['Ingredients:', 'for lunch:', 'a {{name}}', 'a\nfn main() {'].map(isFirst)).toEqual([
      false,
      false,
      false,
      false,
    ]);
  });

  test.each([
    ['a selection', bold, 'a «b» c', 'a **«b»** c'],
    ['and removes the marks', bold, 'a **«b»** c', 'a «b» c'],
    ['the place where one types', bold, 'a |', 'a **|**'],
    ['and goes behind it', bold, 'a **b|**', 'a **b**|'],
    ['and removes empty marks', bold, 'a **|**', 'a |'],
    ['code within a line', insertCode, 'run «ls» now', 'run `«ls»` now'],
    ['lines of code', insertCode, '«a\nb»', '```\na\nb|\n```'],
    ['an empty block of code', insertCode, '|', '```\n|\n```'],
  ] as const)('marks %s', (_, edit, before, after) => expect(apply(edit, before)).toBe(after));

  test.each([
    ['words', 'see «this»', 'see [this](|)'],
    ['an address', 'see «https://a.example/b»', 'see [|](https://a.example/b)'],
    ['nothing', 'see |', 'see [|]()'],
  ] as const)('Ctrl+K makes a link of %s', (_, before, after) => expect(apply(insertLink, before)).toBe(after));

  test.each([
    ['lines', 'list', '«a\n  b»', '- «a\n  - b»'],
    ['tasks', 'list', '- [x] a|', '- a|'],
    ['items', 'task', '1. a|', '- [ ] a|'],
    ['tasks again', 'task', '- [ ] a|', 'a|'],
    ['an empty line', 'task', '|', '- [ ] |'],
  ] as const)('makes items of %s', (_, kind, before, after) =>
    expect(apply(createListToggle(kind), before)).toBe(after),
  );

  test('ticks a box and unticks it, and nothing that is none', () => {
    expect(apply(createTaskToggle(2), '- [ ] a|')).toBe('- [x] a|');
    expect(apply(createTaskToggle(2), '- [x] a|')).toBe('- [ ] a|');
    expect(apply(createTaskToggle(0), '- [x] a|')).toBeUndefined();
  });
});

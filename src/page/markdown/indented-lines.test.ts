import { expect, test } from 'bun:test';
import { encloseIndentedLines } from './indented-lines.ts';

const words = 'some words that make a line long';

test('a long indented line is an element with its line end', () => {
  expect(encloseIndentedLines(`def f():\n    <span>return</span> ${words}\n\n\tx\n\t${words}`)).toBe(
    `def f():\n<span data-indent="4">    <span>return</span> ${words}\n</span>\n\tx\n<span data-indent="4">\t${words}</span>`,
  );
});

test.each([
  ['a line without indentation', `${words} ${words}`],
  ['a short line', `  <span class="hljs-keyword">return</span> 1`],
  ['a line of blanks', ' '.repeat(80)],
])('%s stays as it is', (_, html) => {
  expect(encloseIndentedLines(html)).toBe(html);
});

test('the parts of a long first word are elements', () => {
  expect(encloseIndentedLines('  <span>https:</span>//host.example/a&amp;b and <span>more</span>\n')).toBe(
    '<span data-indent="2">  <span><span data-long="">https:</span></span><span data-long="">//host.example/a&amp;b</span> and <span>more</span>\n</span>',
  );
});

test('an element of several lines is divided', () => {
  const long = `  "${words}`;
  expect(encloseIndentedLines(`${'a'.repeat(40)} = <span class="s">"\n${long}\n  b\n${long}"</span>\n`)).toBe(
    `${'a'.repeat(40)} = <span class="s">"\n` +
      `</span><span data-indent="2"><span class="s">${long}\n</span></span><span class="s">  b\n` +
      `</span><span data-indent="2"><span class="s">${long}"</span>\n</span>`,
  );
});

test('a line with CRLF keeps it', () => {
  expect(encloseIndentedLines(`  ${words}\r\nx`)).toBe(`<span data-indent="2">  ${words}\r\n</span>x`);
});

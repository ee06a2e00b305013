import { expect, test } from 'bun:test';
import { renderNote } from './render-note.ts';

const prompt = 'You are a senior {{language}} engineer.\nBe terse.\nList at most {{count}} problems.\n\n{{code}}';
const code = 'const total = (rows) => {\n  return rows.length;\n};\n';

test('a text with placeholders is prose, in any category', () => {
  expect(renderNote({ format: 'markdown', text: prompt })?.html).toEndWith('<p>{{code}}</p>');
  expect(renderNote({ format: 'prose', text: prompt })?.html).toEndWith('<p>{{code}}</p>');
});

test('a prompt is prose even if it is mostly code, and code in fences is a block', () => {
  expect(renderNote({ format: 'markdown', text: code })?.isCode).toBe(true);
  expect(renderNote({ format: 'prose', text: code })?.isCode).toBe(false);
  expect(renderNote({ format: 'prose', text: `\`\`\`js\n${code}\`\`\`` })?.blocks).toEqual([code.trimEnd()]);
});

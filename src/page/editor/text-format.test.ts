import { expect, test } from 'bun:test';
import { detectTextFormat, isReadAsCode } from './text-format.ts';

const python = '# the area of a circle\ndef area(r):\n    return 3 * r ** 2\n';

test('code is edited as code in a category of prose, and as the language of a category of code', () => {
  expect(detectTextFormat('notes', python)).toBe('python');
  expect(detectTextFormat('host-town', 'Host town\n  HostName 10.0.0.1\n  User me\n')).toBe('plaintext');
  expect(detectTextFormat('css', python)).toBe('css');
});

test('a prompt is edited as Markdown, also one that is mostly code', () => {
  expect(detectTextFormat('prompts', `Explain {{what}}:\n\n${python}`)).toBe('markdown');
  expect(detectTextFormat('prompts', python)).toBe('markdown');
  expect(detectTextFormat('prompts', '{"scene": "{{scene}}", "style": "photo"}')).toBe('markdown');
});

test('a note is excerpted as code if it is read as code', () => {
  expect(isReadAsCode({ category: 'notes', content: python })).toBe(true);
  expect(isReadAsCode({ category: 'css', content: 'a' })).toBe(true);
  expect(isReadAsCode({ category: 'prompts', content: python })).toBe(false);
  expect(isReadAsCode({ category: 'host-town', content: 'The town hall is open today.' })).toBe(false);
});

test('all else is edited as the category says, also a chat, code in fences and a long text', () => {
  expect(detectTextFormat('notes', 'Call me: it is about the `area`.')).toBe('markdown');
  expect(detectTextFormat('notes', `Text\n\n\`\`\`python\n${python}\`\`\`\n`)).toBe('markdown');
  expect(detectTextFormat('chat-tool', 'You: hello\nClaude: hello\n')).toBe('markdown');
  expect(detectTextFormat('host-town', 'The town hall is open today.')).toBe('plain');
  expect(detectTextFormat('notes', python.repeat(10_000))).toBe('markdown');
});

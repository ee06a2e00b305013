import { expect, test } from 'bun:test';
import { codeFormat } from './code-format.ts';
import type { Source } from './source.ts';

const createFolder = (files: Readonly<Record<string, string | Uint8Array>>, changes: Partial<Source> = {}): Source => ({
  name: 'folder',
  modifiedAt: new Date('2026-01-01T00:00:00.000Z'),
  files: Object.keys(files).sort(),
  findOriginKey: (path) => `file:/folder/${path}`,
  async *streamChunks(path = '') {
    yield Buffer.from(files[path] ?? '');
  },
  ...changes,
});

async function readSummaries(source: Source) {
  const records = await Array.fromAsync(codeFormat.streamRecords(source));
  return records.map((record) =>
    record.kind === 'note'
      ? [record.note.title, record.note.category, record.note.content, record.origin].join(' | ')
      : [record.kind, record.location, record.reason].join(' | '),
  );
}

const files = {
  'button.css': '\ufeff.a { color: red }\n',
  'lib/pick.py': 'print("中")\n',
  'deploy.sh': 'make\n',
  'README.md': '# Snippets\n',
  'logo.png': Uint8Array.of(0x89, 0x50, 0xff),
  'core.bin': 'a\0b',
  'empty.js': ' \n',
  '.git/config': 'x',
};

test('each text file becomes a note named after it, or after its heading; other files are reported with their ending', async () => {
  expect(await readSummaries(createFolder(files))).toEqual([
    'Snippets | notes | # Snippets\n | file:/folder/README.md',
    'button | css | .a { color: red }\n | file:/folder/button.css',
    'left out | core.bin | It is not UTF-8 text (.bin)',
    'deploy | bash-commands | make\n | file:/folder/deploy.sh',
    'left out | empty.js | It has no text',
    'pick | notes | print("中")\n | file:/folder/lib/pick.py',
    'left out | logo.png | It is not UTF-8 text (.png)',
  ]);
});

test('a given category applies to all files', async () => {
  const lines = await readSummaries(createFolder(files, { category: 'prompts' }));

  expect(lines.filter((line) => line.includes(' | prompts | '))).toHaveLength(4);
});

test.each([
  [{ name: 'a.css', files: [] }, true],
  [{ name: 'a.png', files: [] }, false],
  [{ name: 'a.json', files: [] }, false],
  [{ name: '/home/ada/.config/a.sh', files: [] }, true],
  [{ name: 'folder', files: ['a.md', 'a.txt', 'lib/a.scss', '.git/a.png'] }, true],
  [{ name: 'folder', files: ['a.png', 'lib/a.scss'] }, false],
  [{ name: 'folder', files: ['a.png', '.vscode/a.css'] }, false],
])('%j is known: %p', (changes, isKnown) => {
  expect(codeFormat.recognizes(createFolder({}, changes), '')).toBe(isKnown);
});

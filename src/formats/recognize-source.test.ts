import { describe, expect, test } from 'bun:test';
import { describeFile } from './describe-file.ts';
import { findOnlyTopFolderAsSource, recognizeSource } from './recognize-source.ts';
import type { Source } from './source.ts';

const createSource = (name: string, files: readonly string[] = []): Source => ({
  name,
  modifiedAt: new Date(0),
  files,
  async *streamChunks(path = '') {
    yield Buffer.from(path);
  },
  findOriginKey: (path = '') => `file:${path}`,
});

const recognizeFormat = (name: string, head: string, files: readonly string[] = []) => {
  const recognition = recognizeSource(createSource(name, files), head);
  return recognition.kind === 'format' ? recognition.format.name : recognition.kind;
};

describe('a file', () => {
  test.each([
    ['run.ps1', 'Write-Host 1', 'code'],
    ['Dockerfile', 'FROM scratch', 'code'],
    ['.zshrc', 'alias l=ls', 'code'],
    ['deploy', '#!/bin/sh\nmake', 'code'],
    ['todo.txt', 'milk', 'code'],
    ['todo.TEXT', 'milk', 'code'],
    ['export.txt', '[{"uuid":"u","chat_messages":[]}]', 'claude'],
    ['notes.enex', '<?xml version="1.0"?><en-export>', 'known program'],
    ['Notes.txt', '<?xml version="1.0"?>\n<!DOCTYPE en-export SYSTEM "x">\n<en-export>', 'known program'],
    ['data.json', '{"a":1}', 'unknown'],
    ['conversations.json', '[{"a":1}]', 'unknown'],
    ['deploy', 'make', 'unknown'],
  ])('is recognized by its content, or a name that says that it is code: %s, %j is %s', (name, head, format) => {
    expect(recognizeFormat(name, head)).toBe(format);
  });
});

describe('a folder', () => {
  test.each([
    [['a.json', 'b.json'], 'mixed'],
    [['a.md', 'b.sh'], 'code'],
    [['a.md', 'b.sh', 'c.png'], 'mixed'],
    [['a.md', 'below/b.md', '.git/config'], 'markdown'],
    [['.obsidian/app.json', 'a.md', 'script.js', 'photo.png'], 'markdown'],
    [['massCode/db.json'], 'masscode'],
    [['data/conversations.json', 'data/users.json'], 'claude'],
    [['User/snippets/css.json'], 'vscode-snippets'],
    [['a/rollout-1.jsonl', 'memory/a.md', 'config.json'], 'editor-chats'],
    [['a/rollout-1.jsonl', 'todo.txt'], 'mixed'],
    [['conversations.json', 'README.md'], 'mixed'],
    [['.claude/commands/a.md', '.claude/commands/b.md'], 'markdown'],
    [['.claude/commands/a.md', '.claude/settings.json'], 'mixed'],
  ])('is recognized by its names, also below one extra folder: %j is %s', (files, format) => {
    expect(recognizeFormat('folder', '', files)).toBe(format);
  });

  test('in another one is opened with its own paths, and keeps the origins', async () => {
    const opened = findOnlyTopFolderAsSource(createSource('x.zip', ['top/a.md', 'top/b/c.md']));

    expect(opened?.files).toEqual(['a.md', 'b/c.md']);
    expect(opened?.findOriginKey?.('b/c.md')).toBe('file:top/b/c.md');
    expect(Buffer.concat(await Array.fromAsync(opened?.streamChunks('a.md') ?? [])).toString()).toBe('top/a.md');
    expect(findOnlyTopFolderAsSource(createSource('x.zip', ['top/a.md', 'topmost/c.md']))).toBeUndefined();
    expect(findOnlyTopFolderAsSource(createSource('x.zip', ['a.md']))).toBeUndefined();
  });
});

test('an archive of a hidden folder is read, as it was made on purpose', () => {
  const recognition = recognizeSource(createSource('x.zip', ['.claude/commands/a.md', '.claude/settings.json']), '');

  expect(recognition).toMatchObject({ source: { files: ['commands/a.md', 'settings.json'] } });
});

test.each([
  [
    'a.json',
    '{"one":{"in":1},"two":[{"x":2}],"three":"a \\"four\\": b"}',
    'a JSON object with the keys one, two, three',
  ],
  ['a.json', '[{"id":1,"text":"cut of', 'a JSON array of objects with the keys id, text'],
  ['a.json', '[1,2]', 'a JSON array'],
  ['a.json', '{"a":1,"b":1,"c":1,"d":1,"e":1,"f":1,"g":1}', 'a JSON object with the keys a, b, c, d, e, f and 1 more'],
  ['a.jsonl', '{"kind":"x"}\n{"kind":"y"}', 'a JSON object with the key kind'],
  ['a.xml', '<?xml version="1.0"?>\n<!-- a comment -->\n<Notes/>', 'an XML document with the root <Notes>'],
  ['a.plist', '<?xml version="1.0"?>\n<!DOCTYPE plist PUBLIC "x" "y">\n<plist version="1.0">', 'a property list'],
  ['a.db', 'SQLite format 3\0', 'an SQLite database'],
  ['a.html', '<!doctype html>', 'an HTML page'],
  ['a.csv', 'a,b\n1,2', 'a table'],
  ['a.bin', '\0\x01', 'a binary file'],
  ['a', '  \n', 'an empty file'],
  ['/x.y/readme', 'text', 'a text without an ending'],
])('a file is described by its content: %s, %j', (name, head, description) => {
  expect(describeFile(name, head)).toBe(description);
});

/** Made-up files in the shapes that programs write, of which none becomes a note. */
import { expect, test } from 'bun:test';
import { knownPrograms } from './known-programs.ts';
import { formatRejection } from './recognition.ts';
import { recognizeSource } from './recognize-source.ts';
import type { Source } from './source.ts';

const createSource = (name: string, files: readonly string[] = []): Source => ({
  name,
  modifiedAt: new Date(0),
  files,
  async *streamChunks() {},
});

const json = (value: unknown) => JSON.stringify(value, undefined, 2);
const database = (...statements: readonly string[]) => `SQLite format 3\0\x10\0\x01\x01${statements.join('\0\x05')}`;
const alfred = { alfredsnippet: { snippet: 'Kind regards', uid: '5E0A', name: 'Greeting', keyword: ';kr' } };
const entry = { uuid: '6BD0AE9E21C447A6', creationDate: '2026-03-01T08:00:00Z', text: 'Rain', starred: false };
const standardNote = { uuid: 'u-1', content_type: 'Note', content: { title: 'Plan', text: 'Buy seeds' } };
const notion =
  '<html><head><meta charset="utf-8"/><title>Plan</title><style>body { margin: 2em; }</style></head><body>' +
  '<article id="2e4c5e6f-95bd-8092-befb-d610b44b020d" class="page sans"><header><h1 class="page-title">Plan</h1>';
const oldSnippetsLab = {
  'Library Name': 'main.snippetslablibrary',
  Snippets: [{ Title: 'Join', Fragments: [{ Content: 'SELECT 1', Language: 'SQL' }] }],
};
const newSnippetsLab = {
  contents: { folders: [], snippets: [{ title: 'Join', fragments: [{ content: 'SELECT 1', language: 'SqlLexer' }] }] },
};

const examples: readonly (readonly [program: string, name: string, head: string])[] = [
  ['Evernote', 'Notes.enex', '<?xml version="1.0" encoding="UTF-8"?>\n<en-export application="Evernote">'],
  ['Evernote', 'Notes.xml', '<?xml version="1.0"?>\n<!DOCTYPE en-export SYSTEM "x.dtd">\n<en-export>'],
  ['Apple Notes', '/Users/ada/NoteStore.sqlite', database('CREATE TABLE Z_METADATA (Z_VERSION INTEGER)')],
  ['Apple Notes', 'copy.db', database('CREATE TABLE ZICCLOUDSYNCINGOBJECT ( Z_PK INTEGER PRIMARY KEY )')],
  ['OneNote', 'Garden.one', '\ufffdR\\{\ufffd\ufffd\ufffdM'],
  ['Standard Notes', 'Standard Notes Backup and Import File.txt', json({ version: '004', items: [standardNote] })],
  ['Standard Notes', 'Items/SN-ItemsKey/key-1a2b.txt', '{ "itemsKey": "00" }'],
  ['Notion', 'Plan 2e4c5e6f95bd8092befbd610b44b020d.html', notion],
  ['Zoho Notebook', 'card.html', '<html><body data-notebook=\'{"name":"N"}\' data-notecard=\'{"name":"Plan"}\'>'],
  [
    'Gemini, as HTML',
    'MyActivity.html',
    '<html><body><div class="outer-cell"><p>Gemini Apps</p>Prompted How?<br>So.</div></body></html>',
  ],
  ['Day One', 'Journal.json', json({ metadata: { version: '1.0' }, entries: [entry] })],
  ['Cursor', 'state.vscdb', database('CREATE TABLE ItemTable (key TEXT)', 'CREATE TABLE cursorDiskKV (key TEXT)')],
  ['VS Code or an editor like it', 'state.vscdb', database('CREATE TABLE ItemTable (key TEXT UNIQUE)')],
  ['Raycast, with all settings', 'Raycast 2026-03-01.rayconfig', 'Salted__\ufffd\ufffd'],
  ['SnippetsLab', 'export.json', json(oldSnippetsLab)],
  ['SnippetsLab', 'export.json', json(newSnippetsLab)],
  ['SnippetsLab', 'main.snippetslablibrary/Snippets/1.data', 'bplist00'],
  ['Alfred', 'Greeting [5E0A].json', json(alfred)],
  ['Alfred', 'Greeting [5E0A].json', json({ AlfredSnippet: alfred.alfredsnippet })],
  ['an office program', 'letter.docx', 'PK\x03\x04'],
];

test.each(examples)('%s is recognized by %s, and says what to export instead', (program, name, head) => {
  const recognition = recognizeSource(createSource(name), head);

  expect(recognition).toMatchObject({ kind: 'known program', program });
  expect(recognition.kind !== 'format' && formatRejection(recognition)).toStartWith(`It is an export of ${program}`);
});

test.each([
  ['letter.docx', ['[Content_Types].xml', 'word/document.xml']],
  ['letter.odt', ['META-INF/manifest.xml', 'content.xml', 'mimetype']],
])('a document of an office program, which is an archive, is recognized by its files: %s', (name, files) => {
  expect(recognizeSource(createSource(name, files), '')).toMatchObject({ program: 'an office program' });
});

test('each known program has an example', () => {
  expect(new Set(examples.map(([program]) => program))).toEqual(new Set(knownPrograms.map(({ program }) => program)));
});

test.each([
  ['about.md', `# Evernote\n\n${notion}\n${json(alfred)}`, 'markdown'],
  ['fixture.ts', `const example = ${json(alfred)};`, 'code'],
  ['notes.txt', 'The key "alfredsnippet": { … } of Alfred', 'code'],
])('a text that quotes such a file is what its name says: %s', (name, head, format) => {
  expect(recognizeSource(createSource(name), head)).toMatchObject({ kind: 'format', format: { name: format } });
});

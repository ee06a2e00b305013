import { describe, expect, test } from 'bun:test';
import fc from 'fast-check';
import { suggestTitle } from './suggest-title.ts';

describe('the title suggested for a text', () => {
  test.each([
    ['git rebase -i HEAD~3', 'git rebase -i HEAD~3'],
    ['---\ntags: [alpha]\n---\n\n# Green tea', 'Green tea'],
    ['---\ntags: [alpha]\n---\n', 'tags: [alpha]'],
    ['$ git push\n', 'git push'],
    ['\n\nBuy milk\nand bread', 'Buy milk'],
    ['#!/usr/bin/env bash\nset -euo pipefail\n\n# Restart the proxy\nnginx -t', 'Restart the proxy'],
    ['#!/bin/sh\nls', 'ls'],
    ['ffmpeg -i in.mov \\\n  out.mp4', 'ffmpeg -i in.mov'],
    ['#!/bin/sh\n', '#!/bin/sh'],
    ['## Restart nginx ##\nfirst', 'Restart nginx'],
    ['{\n  "name": "notes",\n  "private": true\n}', 'name: notes'],
    ['{"name": "notes", "private": true}', 'name: notes, private: true'],
    ['[\n  {\n    "id": 1\n  }\n]', 'id: 1'],
    ['.box {\n  display: grid;\n}', '.box'],
    ['/* Centre anything */\n.box {}', 'Centre anything'],
    ['/**\n * Folds a text.\n */\nfunction fold() {}', 'Folds a text.'],
    ['import re\nfrom os import path\n\ndef slugify(text):\n    return text', 'slugify'],
    ['@cache\ndef area(r):\n    return r', 'area'],
    ['export async function loadNotes(id) {\n}', 'loadNotes'],
    ['const debounce = (run, ms) => {\n};', 'debounce'],
    ['func (s *Server) Close() error {\n}', 'Close'],
    ['pub fn main() {\n}', 'main'],
    ['deploy() {\n  ssh web\n}', 'deploy'],
    ['class Note extends Row {', 'Note'],
    ['CREATE TABLE IF NOT EXISTS notes (id int);', 'notes'],
    ['-- The newest notes\nSELECT 1;', 'The newest notes'],
    ['<!-- Head -->\n<head>', 'Head'],
    ['```bash\nls -la\n```', 'ls -la'],
    ['You: How do I centre a div?\nChatGPT: With grid.', 'How do I centre a div?'],
    ['You said:\nHow do I centre a div?', 'How do I centre a div?'],
    ['#### You said:\nHow do I undo?\n#### ChatGPT said:\nSo.', 'How do I undo?'],
    ['ChatGPT: Hello! How can I help?\nYou: How do I centre a div?\nChatGPT: With grid.', 'How do I centre a div?'],
    ['ChatGPT said:\nHello!\n\nYou said:\nHow do I undo?', 'How do I undo?'],
    ['Claude: The answer is 42.', 'The answer is 42.'],
    ['.card{display:grid}', '.card'],
    ['.card { display: grid; gap: 8px; }', '.card'],
    [':root {\n  --gap: 8px;\n}', ':root'],
    ['.a,\n.b {\n  color: red;\n}', '.a'],
    ['@media (max-width: 600px) {\n  .a { color: red; }\n}', '@media (max-width: 600px)'],
    ['"""Rename files by date."""\nimport os\n', 'Rename files by date.'],
    ['"""\nRename files by date.\n\nUsage: rename.py\n"""\nimport os\n', 'Rename files by date.'],
    ["r'''Rename files by date.'''\nimport os\n", 'Rename files by date.'],
    ['# -*- coding: utf-8 -*-\n# Rename files by date\nimport os\n', 'Rename files by date'],
    ['#!/usr/bin/env python3\n#Rename files by date\nimport os\n\nprint(os.name)\n', 'Rename files by date'],
    [
      "find . -type f -name '*.log' -mtime +7 -print0 | xargs -0 rm -v && du -sh . | awk '{print $1}'",
      "find . -type f -name '*.log' -mtime +7 -print0 | xargs -0 rm…",
    ],
    [
      'docker run --rm -it -v "$PWD:/app" -w /app node:20 npm ci && npm test',
      'docker run --rm -it -v "$PWD:/app" -w /app node:20 npm ci…',
    ],
    [`curl https://example.com/${'a'.repeat(60)}`, `curl https://example.com/${'a'.repeat(35)}…`],
    [
      'git log --oneline --graph --decorate --all | head -n 20',
      'git log --oneline --graph --decorate --all | head -n 20',
    ],
    ['{{role}}, shorten the text', '{{role}}, shorten the text'],
    ['Translate into {{language}}', 'Translate into {{language}}'],
    ['Type the word and class it', 'Type the word and class it'],
    ['type  is not a word', 'type is not a word'],
    ['def is short for define', 'def is short for define'],
    ['#tag', '#tag'],
    ['- [ ] call Ann', '- [ ] call Ann'],
    ['{', '{'],
    ['', ''],
  ])('of %p is %p', (text, title) => {
    expect(suggestTitle(text)).toBe(title);
  });

  test('of a long paragraph is its first words', () => {
    const title = suggestTitle('A sentence that goes on and on. '.repeat(20));

    expect(title).toBe(
      'A sentence that goes on and on. A sentence that goes on and on. A sentence that goes on and on. A',
    );
  });

  test('is well-formed, short, and there if the text is not blank', () => {
    const text = fc.array(
      fc.oneof(fc.string({ unit: 'grapheme' }), fc.constantFrom('\n', '{', '#!', '$ ', 'You:', '"', '🙂')),
    );
    fc.assert(
      fc.property(text, (parts) => {
        const joined = parts.join('');
        const title = suggestTitle(joined);

        expect(title.isWellFormed() || !joined.isWellFormed()).toBe(true);
        expect([...title].length).toBeLessThanOrEqual(200);
        expect(title !== '' || joined.trim() === '').toBe(true);
      }),
    );
  });
});

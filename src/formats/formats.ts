import { codeFormat } from './code-format.ts';
import { bearFormat } from './foreign/bear.ts';
import { chatgptFormat, claudeFormat } from './foreign/conversations.ts';
import { cursorFormat } from './foreign/cursor.ts';
import { editorChatsFormat } from './foreign/editor-chats.ts';
import { espansoFormat } from './foreign/espanso.ts';
import { geminiFormat } from './foreign/gemini.ts';
import { googleKeepFormat } from './foreign/google-keep.ts';
import { joplinFormat } from './foreign/joplin.ts';
import { masscodeFormat } from './foreign/masscode.ts';
import { memosFormat } from './foreign/memos.ts';
import { naviFormat } from './foreign/navi.ts';
import { notionFormat } from './foreign/notion.ts';
import { petFormat } from './foreign/pet.ts';
import { raycastFormat } from './foreign/raycast.ts';
import { simplenoteFormat } from './foreign/simplenote.ts';
import { vscodeSnippetsFormat } from './foreign/vscode-snippets.ts';
import { jsonFormat, ndjsonFormat } from './json-formats.ts';
import { markdownFormat } from './markdown-format.ts';
import type { NoteFormat } from './note-format.ts';

/**
 * All formats, in the order in which they are asked whether they recognize a source: those that claim any folder with
 * such files come last. The command line takes the names for `--format` from here.
 */
export const formats: readonly NoteFormat[] = [
  ndjsonFormat,
  jsonFormat,
  chatgptFormat,
  claudeFormat,
  masscodeFormat,
  memosFormat,
  simplenoteFormat,
  googleKeepFormat,
  geminiFormat,
  editorChatsFormat,
  vscodeSnippetsFormat,
  raycastFormat,
  espansoFormat,
  petFormat,
  naviFormat,
  bearFormat,
  cursorFormat,
  joplinFormat,
  notionFormat,
  markdownFormat,
  codeFormat,
];

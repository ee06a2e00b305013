import { codeFormat } from './code-format.ts';
import { chatgptFormat, claudeFormat } from './foreign/chats/conversation-formats.ts';
import { cursorFormat } from './foreign/chats/cursor.ts';
import { editorChatsFormat } from './foreign/chats/editor-chats.ts';
import { geminiFormat } from './foreign/chats/gemini.ts';
import { bearFormat } from './foreign/note-apps/bear.ts';
import { googleKeepFormat } from './foreign/note-apps/google-keep.ts';
import { joplinFormat } from './foreign/note-apps/joplin.ts';
import { memosFormat } from './foreign/note-apps/memos.ts';
import { notionFormat } from './foreign/note-apps/notion.ts';
import { simplenoteFormat } from './foreign/note-apps/simplenote.ts';
import { espansoFormat } from './foreign/snippets/espanso.ts';
import { masscodeFormat } from './foreign/snippets/masscode.ts';
import { naviFormat } from './foreign/snippets/navi.ts';
import { petFormat } from './foreign/snippets/pet.ts';
import { raycastFormat } from './foreign/snippets/raycast.ts';
import { vscodeSnippetsFormat } from './foreign/snippets/vscode-snippets.ts';
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

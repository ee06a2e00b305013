import { code } from './code.ts';
import { bear } from './foreign/bear.ts';
import { chatgpt, claude } from './foreign/conversations.ts';
import { cursorChats } from './foreign/cursor.ts';
import { editorChats } from './foreign/editor-chats.ts';
import { espanso } from './foreign/espanso.ts';
import { gemini } from './foreign/gemini.ts';
import { googleKeep } from './foreign/google-keep.ts';
import { joplin } from './foreign/joplin.ts';
import { masscode } from './foreign/masscode.ts';
import { memos } from './foreign/memos.ts';
import { navi } from './foreign/navi.ts';
import { notion } from './foreign/notion.ts';
import { pet } from './foreign/pet.ts';
import { raycast } from './foreign/raycast.ts';
import { simplenote } from './foreign/simplenote.ts';
import { vscodeSnippets } from './foreign/vscode-snippets.ts';
import { json, ndjson } from './json.ts';
import { markdown } from './markdown.ts';
import type { Format } from './record.ts';

/** In order of recognition: formats that claim any folder with such files come last. */
export const formats: readonly Format[] = [
  ndjson,
  json,
  chatgpt,
  claude,
  masscode,
  memos,
  simplenote,
  googleKeep,
  gemini,
  editorChats,
  vscodeSnippets,
  raycast,
  espanso,
  pet,
  navi,
  bear,
  cursorChats,
  joplin,
  notion,
  markdown,
  code,
];

import { NoteError } from '../../domain/error.ts';
import type { Format } from '../record.ts';
import { chatgpt, claude } from './conversations.ts';
import { masscode } from './masscode/masscode.ts';
import { memos } from './memos.ts';
import { editorChats } from './sessions.ts';
import { raycast } from './snippets/raycast.ts';
import { vscodeSnippets } from './snippets/vscode-snippets.ts';

/** Rejects a streamed archive: its directory is at the end. */
const zip: Format = {
  name: 'zip',
  description: 'none: save an archive as a file, and import that',
  recognizes: (_, head) => head.startsWith('PK\u0003\u0004'),
  read({ name }) {
    throw new NoteError('invalid', `${name} is a .zip archive. Save it as a file, and import that`);
  },
};

/** In order of recognition. */
export const foreignFormats: readonly Format[] = [
  ...[chatgpt, claude, masscode, memos, editorChats],
  ...[vscodeSnippets, raycast, zip],
];

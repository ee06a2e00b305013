import { NoteError } from '../../domain/error.ts';
import type { Format } from '../record.ts';
import { chatgpt, claude } from './conversations.ts';
import { masscode } from './masscode/masscode.ts';
import { memos } from './memos.ts';
import { editorChats } from './sessions.ts';

/** Exports come as archives. Saying so is all that is done with them. */
const zip: Format = {
  name: 'zip',
  description: 'none: unzip an archive first, then import the folder',
  recognizes: (_, head) => head.startsWith('PK\u0003\u0004'),
  read({ name }) {
    throw new NoteError('invalid', `${name} is a .zip archive. Unzip it, then import the folder that comes out`);
  },
};

/** The formats of other programs, in the order in which they are looked for. */
export const foreignFormats: readonly Format[] = [chatgpt, claude, masscode, memos, editorChats, zip];

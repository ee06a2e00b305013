import { join } from 'node:path';
import type { Note } from '../../src/core/note.ts';
import { write } from './data/sources.ts';
import { run, temporaryFolder } from './service.ts';

/** A folder for one test, and the commands of a user whose notes are in a file there. */
export function useNotes() {
  const folder = temporaryFolder();
  const path = join(folder.path, 'notes.db');
  const env = { DATABASE_URL: `sqlite:${path}`, XDG_STATE_HOME: folder.path };
  const notes = (args: readonly string[], stdin: string | Uint8Array = '') => run(args, env, stdin);
  const parsed = async (args: readonly string[]) => JSON.parse((await notes([...args, '--json'])).stdout);
  return {
    folder: folder.path,
    path,
    env,
    notes,
    /** Writes a file into the folder. */
    write: (name: string, content: string | Uint8Array) => write(join(folder.path, name), content),
    add: async (title: string, content: string, ...flags: readonly string[]) =>
      (await notes(['add', title, '-m', content, ...flags])).stdout.trim(),
    json: (...args: readonly string[]): Promise<Note> => parsed(args),
    note: (id: string): Promise<Note> => parsed(['show', id, '--all']),
    all: (): Promise<Note[]> => parsed(['list', '--all']),
    [Symbol.dispose]: () => folder[Symbol.dispose](),
  };
}

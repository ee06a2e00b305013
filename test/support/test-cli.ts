import { join } from 'node:path';
import type { Note } from '../../src/core/note.ts';
import { writeFileAndFolders } from './data/sources.ts';
import { createTemporaryFolder, runNotesCommand } from './service.ts';

/** A folder for one test, and the commands of a user whose notes are in a file there. */
export function createTestCli() {
  const folder = createTemporaryFolder();
  const path = join(folder.path, 'notes.db');
  const env = { DATABASE_URL: `sqlite:${path}`, XDG_STATE_HOME: folder.path };
  const run = (args: readonly string[], stdin: string | Uint8Array = '') => runNotesCommand(args, env, stdin);
  const runAndParseJson = async (args: readonly string[]) => JSON.parse((await run([...args, '--json'])).stdout);
  return {
    folder: folder.path,
    path,
    env,
    run: run,
    /** Writes a file into the folder. */
    writeFile: (name: string, content: string | Uint8Array) => writeFileAndFolders(join(folder.path, name), content),
    addNote: async (title: string, content: string, ...flags: readonly string[]) =>
      (await run(['add', title, '-m', content, ...flags])).stdout.trim(),
    runJson: (...args: readonly string[]): Promise<Note> => runAndParseJson(args),
    readNote: (id: string): Promise<Note> => runAndParseJson(['show', id, '--all']),
    readAllNotes: (): Promise<Note[]> => runAndParseJson(['list', '--all']),
    [Symbol.dispose]: () => folder[Symbol.dispose](),
  };
}

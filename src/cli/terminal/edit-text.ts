import { existsSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { basename, join } from 'node:path';
import { createInvalidError, NoteError } from '../../core/error.ts';
import type { Note } from '../../core/note.ts';
import { tryDecodeUtf8 } from '../../core/text/utf8.ts';
import { toErrorWithSavedTextPath } from '../error-text.ts';
import { InterruptedError } from '../interrupted-error.ts';
import { canPrompt, type Io } from '../io.ts';
import { unknownCommandExitCode } from './shell-exit-codes.ts';

interface EditOptions {
  readonly io: Io;
  /** Base of the file name, which editors show. */
  readonly name: string;
  /** Determines the file extension, for syntax highlighting. */
  readonly category: Note['category'];
}

/** A text after editing. */
interface EditedText {
  /** May end with a line break that the editor added. */
  readonly text: string;
  /** The file with the text, readable by its owner only. It remains until it is discarded. */
  readonly path: string;
  discard(): void;
}

/**
 * Opens a text in an editor. Throws `unavailable` if there is none or it failed, `invalid` if the text is not UTF-8,
 * `InterruptedError` if the process was asked to stop. If the text was changed, the error names the file that has it.
 */
export async function editTextAndKeepFile(text: string, { io, name, category }: EditOptions): Promise<EditedText> {
  const command = findEditorCommandOrThrow(io);
  const folder = mkdtempSync(join(tmpdir(), 'notes-'));
  const path = join(folder, createTextFileName(name, category));
  const discard = () => rmSync(folder, { recursive: true, force: true });
  try {
    writeFileSync(path, text, { mode: 0o600, flag: 'wx' });
    await runEditor(command, path, io);
    return { text: readEditedText(path), path, discard };
  } catch (error) {
    const unsavedPath = findUnsavedFileOrFolder(folder, path, text);
    if (unsavedPath !== undefined) throw toErrorWithSavedTextPath(unsavedPath, error);
    discard();
    throw error;
  }
}

const extensionsByCategory: Partial<Record<Note['category'], string>> = { css: 'css', 'bash-commands': 'sh' };

function createTextFileName(name: string, category: Note['category']): string {
  const words = name.toLowerCase().match(/[a-z0-9]+/g) ?? ['note'];
  return `${words.join('-').slice(0, 40)}.${extensionsByCategory[category] ?? 'md'}`;
}

const variables = ['NOTES_EDITOR', 'VISUAL', 'EDITOR'] as const;
const isWindows = process.platform === 'win32';
const commonEditors = isWindows ? ['notepad'] : ['nano', 'vi'];

function findEditorCommandOrThrow(io: Io): string {
  const wanted = variables.map((name) => io.env[name]?.trim()).find(Boolean);
  if (wanted !== undefined) return wanted;
  if (!canPrompt(io)) throw createInvalidError('The editor needs a terminal');
  const found = commonEditors.find((name) => Bun.which(name, { PATH: io.env['PATH'] ?? '' }) !== null);
  if (found === undefined) throw new NoteError('unavailable', 'No editor found. Set EDITOR');
  return found;
}

/** Uses a shell, as git does: the variable may contain arguments and quotes. Ctrl+C does not end that shell. */
const createShellCommand = (command: string, path: string): string[] =>
  isWindows ? ['cmd', '/d', '/c', `${command} "${path}"`] : ['sh', '-c', `trap : INT; ${command} "$@"`, command, path];

/** Exit code of a command ended by Ctrl+C; this process may receive the signal a moment later. */
const interruptedExitCode = 128 + 2;

/** Leaves Ctrl+C to the editor: this process waits for it, so that no text is lost. */
async function runEditor(command: string, path: string, io: Io): Promise<void> {
  const stopping = io.handleSignals();
  const child = Bun.spawn(createShellCommand(command, path), {
    env: { ...io.env },
    stdin: 'inherit',
    stdout: io.stdout.isTTY ? 'inherit' : 2, // a program may read stdout, so the editor must not draw there
    stderr: 'inherit',
  });
  const code = await child.exited;
  const stopped = await Promise.race([stopping.promise, undefined]);
  if (code === interruptedExitCode || (stopped !== undefined && (code !== 0 || stopped.reason !== 'SIGINT')))
    throw new InterruptedError();
  if (code === unknownCommandExitCode)
    throw new NoteError('unavailable', `Editor "${command}" not found. Set NOTES_EDITOR`);
  if (code !== 0) throw new NoteError('unavailable', `The editor "${command}" exited with ${code}. Nothing was stored`);
}

function readEditedText(path: string): string {
  const text = tryDecodeUtf8(readEditedBytes(path));
  if (text === undefined) throw createInvalidError('The edited text is not UTF-8');
  return text;
}

function readEditedBytes(path: string): Uint8Array {
  try {
    return readFileSync(path);
  } catch (cause) {
    throw new NoteError('unavailable', `The edited text cannot be read: ${path}`, { cause });
  }
}

/** Finds text that the user would lose: in the file, or in the folder if a failed editor left other files there. */
function findUnsavedFileOrFolder(folder: string, path: string, before: string): string | undefined {
  const names = existsSync(folder) ? readdirSync(folder) : [];
  if (names.length === 0) return undefined;
  if (names.length > 1 || names[0] !== basename(path)) return folder;
  try {
    return readFileSync(path).equals(Buffer.from(before)) ? undefined : path;
  } catch {
    return path;
  }
}

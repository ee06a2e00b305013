import { existsSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { basename, join } from 'node:path';
import { NoteError } from '../../domain/error.ts';
import type { Note } from '../../domain/note.ts';
import { textInUtf8 } from '../../shared/utf8.ts';
import { Interrupted } from '../exit-code.ts';
import { type Io, isInteractive } from '../io.ts';
import { keptIn } from './kept-text.ts';

interface EditOptions {
  readonly io: Io;
  /** What the editor shows as the name of the file. */
  readonly name: string;
  /** By which the file gets its ending, and the editor its colours. */
  readonly category?: Note['category'];
}

/** A text as a person left it. */
export interface EditedText {
  /** With the line break that many editors put in the end. */
  readonly text: string;
  /** Where it lies, seen by its owner alone, until it is discarded. What is not discarded stays. */
  readonly path: string;
  discard(): void;
}

/**
 * Lets a person change a text in an editor. Throws `unavailable` when there is none or it failed, `invalid` for what is no
 * UTF-8, `Interrupted` when the process was told to stop; when the text was changed, the error says where it is kept.
 */
export async function editText(text: string, { io, name, category = 'notes' }: EditOptions): Promise<EditedText> {
  const command = editorFor(io);
  const folder = mkdtempSync(join(tmpdir(), 'notes-'));
  const path = join(folder, fileNameOf(name, category));
  const discard = () => rmSync(folder, { recursive: true, force: true });
  try {
    writeFileSync(path, text, { mode: 0o600, flag: 'wx' });
    await runEditor(command, path, io);
    return { text: readText(path), path, discard };
  } catch (error) {
    const kept = worthKeeping(folder, path, text);
    if (kept !== undefined) throw keptIn(kept, error);
    discard();
    throw error;
  }
}

const endings: Partial<Record<Note['category'], string>> = { css: 'css', 'bash-commands': 'sh' };

function fileNameOf(name: string, category: Note['category']): string {
  const words = name.toLowerCase().match(/[a-z0-9]+/g) ?? ['note'];
  return `${words.join('-').slice(0, 40)}.${endings[category] ?? 'md'}`;
}

const variables = ['NOTES_EDITOR', 'VISUAL', 'EDITOR'] as const;
const isWindows = process.platform === 'win32';
const usualEditors = isWindows ? ['notepad'] : ['nano', 'vi'];

function editorFor(io: Io): string {
  const wanted = variables.map((name) => io.env[name]?.trim()).find(Boolean);
  if (wanted !== undefined) return wanted;
  if (!isInteractive(io)) throw new NoteError('invalid', 'No terminal is there to edit at');
  const found = usualEditors.find((name) => Bun.which(name, { PATH: io.env['PATH'] ?? '' }) !== null);
  if (found === undefined) throw new NoteError('unavailable', 'No editor is found. Name one in EDITOR');
  return found;
}

/** Through a shell, as git does it: what the variable holds may have arguments and quotes. Ctrl+C does not end that shell. */
const shellCommand = (command: string, path: string): string[] =>
  isWindows ? ['cmd', '/d', '/c', `${command} "${path}"`] : ['sh', '-c', `trap : INT; ${command} "$@"`, command, path];

/** The exit code of a shell that does not know the command. */
const notFound = 127;

/** That of a command which Ctrl+C has ended; this process may hear of Ctrl+C a moment later. */
const interrupted = 128 + 2;

/** Ctrl+C at an editor is the editor's, and what a person writes must have an end: the process does not end before. */
async function runEditor(command: string, path: string, io: Io): Promise<void> {
  const stopping = io.stopping();
  const child = Bun.spawn(shellCommand(command, path), {
    env: { ...io.env },
    stdin: 'inherit',
    stdout: io.stdout.isTTY ? 'inherit' : 2, // stdout may be read by a program, which no editor is to draw on
    stderr: 'inherit',
  });
  const code = await child.exited;
  const stopped = await Promise.race([stopping.promise, undefined]);
  if (code === interrupted || (stopped !== undefined && (code !== 0 || stopped.reason !== 'SIGINT')))
    throw new Interrupted();
  if (code === notFound) throw new NoteError('unavailable', `There is no editor "${command}". Set NOTES_EDITOR`);
  if (code !== 0) throw new NoteError('unavailable', `The editor "${command}" ended with ${code}. Nothing was stored`);
}

function readText(path: string): string {
  const text = textInUtf8(readEdited(path));
  if (text === undefined) throw new NoteError('invalid', 'The edited text is not UTF-8');
  return text;
}

function readEdited(path: string): Uint8Array {
  try {
    return readFileSync(path);
  } catch (cause) {
    throw new NoteError('unavailable', `The edited text cannot be read: ${path}`, { cause });
  }
}

/** The path of what a person may have written: the file, or the folder when a failed editor left more in it. */
function worthKeeping(folder: string, path: string, before: string): string | undefined {
  const names = existsSync(folder) ? readdirSync(folder) : [];
  if (names.length === 0) return undefined;
  if (names.length > 1 || names[0] !== basename(path)) return folder;
  try {
    return readFileSync(path).equals(Buffer.from(before)) ? undefined : path;
  } catch {
    return path;
  }
}

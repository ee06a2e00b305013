import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import type { Subprocess } from 'bun';
import type { Note } from '../../src/core/note.ts';
import { patientSettings } from './postgres/deadline.ts';

const root = join(import.meta.dir, '..', '..');

/** The program in the source tree. */
export const mainPath = join(root, 'src', 'main.ts');

const compiled = process.env['NOTES_PROGRAM'];

/** Whether the program is the compiled file instead of the source tree. */
export const isCompiled = Boolean(compiled);

/** The command that starts the program: from the source tree, or the file at `NOTES_PROGRAM`. */
export const program: readonly string[] = compiled ? [resolve(root, compiled)] : [process.execPath, mainPath];

/** The same, for a shell. */
export const programInShell = program.map((word) => `'${word}'`).join(' ');

/** A service as users run it: a separate process on a free port. */
export interface Service extends AsyncDisposable {
  readonly url: string;
  readonly port: number;
  readonly process: Subprocess<'ignore', 'pipe', 'pipe'>;
  /** The lines of standard output so far, each JSON. */
  readonly log: readonly string[];
  /** Sends a signal and resolves to the exit code. */
  stop(signal?: NodeJS.Signals): Promise<number>;
}

/** A folder for one test, removed on disposal. */
export function createTemporaryFolder(): Disposable & { readonly path: string } {
  const path = mkdtempSync(join(tmpdir(), 'notes-test-'));
  return { path, [Symbol.dispose]: () => rmSync(path, { recursive: true, force: true }) };
}

const ownSettings = { HOME: tmpdir(), PORT: '0', DATABASE_URL: 'sqlite::memory:', ...patientSettings };

/** Starts `notes serve` with these settings (over those above) and waits until it listens. */
export async function startService(env: Readonly<Record<string, string>> = {}): Promise<Service> {
  const child = Bun.spawn([...program, 'serve'], {
    env: { PATH: process.env['PATH'] ?? '', ...ownSettings, ...env },
    stdin: 'ignore',
    stdout: 'pipe',
    stderr: 'pipe',
  });
  const log: string[] = [];
  const listening = Promise.withResolvers<string>();
  void forEachLine(child.stdout, (line) => {
    log.push(line);
    const { url } = JSON.parse(line);
    if (typeof url === 'string') listening.resolve(url);
  });
  const failed = child.exited.then(async (code) => {
    throw new Error(`The service ended with ${code}: ${await new Response(child.stderr).text()}${log.join('\n')}`);
  });
  const url = await Promise.race([listening.promise, failed]);
  failed.catch(() => {}); // from now on, the test decides when it ends

  const stop = (signal: NodeJS.Signals = 'SIGTERM') => {
    child.kill(signal);
    return child.exited;
  };
  return {
    url,
    port: Number(new URL(url).port),
    process: child,
    log,
    stop,
    [Symbol.asyncDispose]: async () => void (await stop('SIGKILL')),
  };
}

/** The result of a command. */
export interface Ran {
  readonly code: number;
  readonly stdout: string;
  readonly stderr: string;
}

/** The exact text: `text()` would drop a byte order mark. */
const readText = async (stream: ReadableStream<Uint8Array>) =>
  new TextDecoder('utf-8', { ignoreBOM: true }).decode(await Bun.readableStreamToBytes(stream));

/** Runs a command without a terminal; `stdin` is empty by default. */
export async function runNotesCommand(
  args: readonly string[],
  env: Readonly<Record<string, string>> = {},
  stdin: string | Uint8Array = '',
): Promise<Ran> {
  const child = Bun.spawn([...program, ...args], {
    env: {
      PATH: process.env['PATH'] ?? '',
      HOME: '/nonexistent',
      XDG_STATE_HOME: '/dev/null',
      ...patientSettings,
      ...env,
    },
    stdin: typeof stdin === 'string' ? new TextEncoder().encode(stdin) : stdin,
    stdout: 'pipe',
    stderr: 'pipe',
  });
  const [stdout = '', stderr = ''] = await Promise.all([child.stdout, child.stderr].map(readText));
  return { code: await child.exited, stdout, stderr };
}

/** Calls `handleLine` for each line of a stream. */
export async function forEachLine(
  stream: ReadableStream<Uint8Array>,
  handleLine: (line: string) => void,
): Promise<void> {
  const decoder = new TextDecoder();
  let rest = '';
  for await (const chunk of stream) {
    const lines = (rest + decoder.decode(chunk, { stream: true })).split('\n');
    rest = lines.pop() ?? '';
    for (const line of lines) handleLine(line);
  }
}

/** Options of `fetch` that send a JSON body. */
export const createJsonRequest = (body: unknown, method = 'POST'): RequestInit => ({
  method,
  headers: { 'Content-Type': 'application/json' },
  body: JSON.stringify(body),
});

/** The note in a response. */
export const readNoteBody = async (response: Response | Promise<Response>) => (await (await response).json()) as Note;

/** The notes in a response. */
export const readNotesBody = async (response: Response | Promise<Response>) =>
  (await (await response).json()) as Note[];

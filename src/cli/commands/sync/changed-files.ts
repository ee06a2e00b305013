import { realpath, stat } from 'node:fs/promises';
import { join } from 'node:path';
import { NoteError } from '../../../core/error.ts';
import { getErrorCode } from '../../../core/tools/thrown.ts';
import { formatRejection } from '../../../formats/recognition.ts';
import { recognizeSource } from '../../../formats/recognize-source.ts';
import { createBadRecord, type ReadRecord } from '../../../formats/record.ts';
import { explainFileErrors } from '../../error-text.ts';
import type { Io } from '../../io.ts';
import { readRecords, recognizeSourceAndFormat } from '../import/open-records.ts';
import { openSource } from '../import/open-source.ts';
import type { SecretGuard } from '../import/secret-guard.ts';
import type { ImportFlags } from '../import/source-flags.ts';
import { formatFileState, type SyncState } from './sync-state.ts';

interface ChangedFilesOptions {
  readonly state: SyncState;
  /** What the store last imported from sources, by keys of origins. */
  readonly stored: ReadonlyMap<string, string>;
  readonly secrets: SecretGuard;
  readonly stdin: Io['stdin'];
  readonly category: ImportFlags['category'];
  readonly signal: AbortSignal;
}

/** Files that are read together: one file, or all files of a folder in a format that needs all of them. */
interface FileGroup {
  /** Under which the state has them: the path of the file, or of the folder with a slash at the end. */
  readonly path: string;
  readonly files: readonly string[];
  readonly read: () => Promise<AsyncIterable<ReadRecord> | Iterable<ReadRecord>>;
}

/** Reads files that have changed since they were imported, and records what was imported from them. */
export class ChangedFiles {
  /** All files, changed or not. */
  files = 0;
  /** Changed files that hold something. */
  changed = 0;
  /** Why sources were not read. */
  readonly failures: string[] = [];
  readonly #options: ChangedFilesOptions;
  readonly #recordings: ((stored: ChangedFilesOptions['stored']) => void)[] = [];

  constructor(options: ChangedFilesOptions) {
    this.#options = options;
  }

  /** Records in the state what was read. Call it once the records are stored, with what the store has imported since. */
  recordImports(stored: ChangedFilesOptions['stored']): void {
    for (const record of this.#recordings) record(stored);
  }

  /** Reads the records of all changed files. A source that cannot be read becomes a failure. */
  async *readChangedRecords(sources: readonly string[]): AsyncGenerator<ReadRecord, void, void> {
    for (const source of sources) {
      try {
        for await (const group of this.#listGroups(source)) yield* this.#readIfChanged(group);
      } catch (error) {
        if (this.#options.signal.aborted || !(error instanceof NoteError)) throw error;
        this.failures.push(error.message);
      }
    }
  }

  async *#listGroups(path: string): AsyncGenerator<FileGroup, void, void> {
    const root = await explainFileErrors('read', path, () => realpath(path));
    const stats = await explainFileErrors('read', path, () => stat(root));
    if (stats.isDirectory()) yield* this.#listGroupsOfFolder(path, root);
    else yield { path: root, files: [root], read: () => this.#readFile(path) };
  }

  async #readFile(path: string): Promise<AsyncIterable<ReadRecord> | Iterable<ReadRecord>> {
    const { stdin, signal, category } = this.#options;
    const file = await openSource(path, stdin, signal, category);
    const recognition = recognizeSource(file.source, file.head);
    if (recognition.kind !== 'format') return [createBadRecord(path, formatRejection(recognition))];
    const { format, source } = recognizeSourceAndFormat(file);
    return readRecords({ ...file, source }, format, signal);
  }

  /** Yields a group for each folder that cannot be read, then the files. Forgets files that are no longer in the folder. */
  async *#listGroupsOfFolder(path: string, root: string): AsyncGenerator<FileGroup, void, void> {
    const { stdin, signal, state, category } = this.#options;
    const opened = await openSource(path, stdin, signal, category);
    const files = opened.source.files.map((file) => join(root, file));
    const folders = (opened.unreadable ?? []).map((folder) => ({ ...folder, path: join(root, folder.location) }));
    for (const folder of folders)
      yield { path: folder.path, files: [folder.path], read: async () => [{ kind: 'bad', ...folder }] };
    if (files.length === 0) return;
    const folderPath = join(root, '/');
    state.forgetOtherFiles(root, new Set([...files, ...folders.map((folder) => folder.path), folderPath]));
    const { format, source } = recognizeSourceAndFormat(opened);
    const readFiles = async (names: readonly string[]) => {
      const part = { ...source, files: names, siblings: source.files };
      return readRecords({ ...opened, links: [], unreadable: [], source: part }, format, signal);
    };
    if (!format.readsEachFile) return yield { path: folderPath, files, read: () => readFiles(source.files) };
    for (const [at, name] of source.files.entries()) {
      const file = files[at] ?? '';
      yield { path: file, files: [file], read: () => readFiles([name]) };
    }
  }

  /** Reads a group whose files or whose notes in the store have changed since its import. */
  async *#readIfChanged(group: FileGroup): AsyncGenerator<ReadRecord, void, void> {
    const { state, stored, secrets } = this.#options;
    const { path, files } = group;
    this.files += files.length;
    const stamped = await stampGroup(group);
    if (stamped === undefined || state.isCurrent(path, stamped.stamp, stored)) return;
    const stamps = { good: stamped.stamp, bad: `bad ${stamped.stamp}` };
    const isReported = state.isCurrent(path, stamps.bad, stored);
    const content = new GroupContent();
    let isCounted = false;
    for await (const record of await stamped.read()) {
      content.add(record);
      if (isReported && record.kind !== 'note') continue;
      if (!isCounted) this.changed += files.length;
      isCounted = true;
      yield record;
      if (secrets.isWithheld(record)) content.withheld.push(record);
    }
    this.#recordings.push((now) => {
      if (content.withheld.some((record) => secrets.isWithheld(record))) return; // they are reported each time
      const origins = Array.from(content.origins.intersection(now), (key) => [key, now.get(key) ?? '']);
      state.set(path, { stamp: content.isBad ? stamps.bad : stamps.good, origins: Object.fromEntries(origins) });
    });
  }
}

/** What a group was found to hold. */
class GroupContent {
  /** Keys of the origins of its notes. */
  readonly origins = new Set<string>();
  /** Records with secrets, on which the user has yet to decide. */
  readonly withheld: ReadRecord[] = [];
  #hasBad = false;
  #hasNote = false;

  /** Whether nothing in it could be read: perhaps only for now, so that it is read again. */
  get isBad(): boolean {
    return this.#hasBad && !this.#hasNote;
  }

  add(record: ReadRecord): void {
    if (record.kind === 'bad') this.#hasBad = true;
    if (record.kind !== 'note') return;
    this.#hasNote = true;
    if (record.origin !== undefined) this.origins.add(record.origin);
  }
}

/**
 * Raise it when files that have not changed would be read as other notes than before: each is read once more.
 * 2: Markdown files are titled by their names.
 */
const stampVersion = 2;

/**
 * Returns how to read a group, with a stamp that changes with its files. A group that cannot be read has one bad
 * record. Returns undefined if a file was removed since the folder was listed.
 */
async function stampGroup({ path, files, read }: FileGroup): Promise<(Pick<FileGroup, 'read'> & Stamp) | undefined> {
  try {
    const states = await Promise.all(files.map(readFileState));
    const state = states.length === 1 ? states[0] : Bun.hash.xxHash3(states.join());
    return { stamp: `v${stampVersion} ${state}`, read };
  } catch (error) {
    if (!(error instanceof NoteError)) throw error;
    if (getErrorCode(error.cause) === 'ENOENT') return undefined;
    const problem = createBadRecord(path, error.message);
    return { stamp: error.message, read: async () => [problem] };
  }
}

interface Stamp {
  readonly stamp: string;
}

const readFileState = async (file: string) => formatFileState(await explainFileErrors('read', file, () => stat(file)));

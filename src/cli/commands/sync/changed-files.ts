import { realpath, stat } from 'node:fs/promises';
import { join } from 'node:path';
import { NoteError } from '../../../core/error.ts';
import { getErrorCode } from '../../../core/thrown-errors.ts';
import { formatRejection } from '../../../formats/recognition.ts';
import { recognizeSource } from '../../../formats/recognize-source.ts';
import { createBadRecord, type ReadRecord } from '../../../formats/record.ts';
import { explainFileErrors } from '../../error-text.ts';
import type { Io } from '../../io.ts';
import type { OpenSource } from '../import/open-folder.ts';
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

/** A folder whose files are listed and not yet read. */
interface OpenFolder {
  /** Its real path. */
  readonly root: string;
  readonly opened: OpenSource;
  /** The paths of its files, in the order of `opened.source.files`. */
  readonly files: readonly string[];
  /** Its subfolders that cannot be read, each with one bad record. */
  readonly unreadable: readonly FileGroup[];
}

/** Reads files that have changed since they were imported, and records what was imported from them. */
export class ChangedFilesReader {
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

  /** Records in the state what was read. Call it once the records are stored, with what the store has then imported. */
  recordImports(stored: ChangedFilesOptions['stored']): void {
    for (const record of this.#recordings) record(stored);
  }

  /** Reads the records of all changed files. A source that cannot be read becomes a failure. */
  async *readChangedRecords(sources: readonly string[]): AsyncGenerator<ReadRecord, void, void> {
    for (const source of sources) {
      try {
        yield* this.#readChangedSource(source);
      } catch (error) {
        if (this.#options.signal.aborted || !(error instanceof NoteError)) throw error;
        this.failures.push(error.message);
      }
    }
  }

  /** Reads what has changed in a file or a folder. Of a folder, the subfolders that cannot be read come first. */
  async *#readChangedSource(path: string): AsyncGenerator<ReadRecord, void, void> {
    const root = await explainFileErrors('read', path, () => realpath(path));
    const stats = await explainFileErrors('read', path, () => stat(root));
    if (!stats.isDirectory())
      return yield* this.#readAndRecordIfChanged({ path: root, files: [root], read: () => this.#readFile(path) });
    const folder = await this.#openFolder(path, root);
    for (const group of folder.unreadable) yield* this.#readAndRecordIfChanged(group);
    if (folder.files.length === 0) return;
    this.#forgetVanishedFiles(folder);
    for (const group of this.#groupFiles(folder)) yield* this.#readAndRecordIfChanged(group);
  }

  async #readFile(path: string): Promise<AsyncIterable<ReadRecord> | Iterable<ReadRecord>> {
    const { stdin, signal, category } = this.#options;
    const file = await openSource(path, stdin, signal, category);
    const recognition = recognizeSource(file.source, file.head);
    if (recognition.kind !== 'format') return [createBadRecord(path, formatRejection(recognition))];
    const { format, source } = recognizeSourceAndFormat(file);
    return readRecords({ ...file, source }, format, signal);
  }

  async #openFolder(path: string, root: string): Promise<OpenFolder> {
    const { stdin, signal, category } = this.#options;
    const opened = await openSource(path, stdin, signal, category);
    const unreadable = (opened.unreadable ?? []).map((folder): FileGroup => {
      const folderPath = join(root, folder.location);
      return { path: folderPath, files: [folderPath], read: async () => [{ kind: 'bad', ...folder }] };
    });
    return { root, opened, files: opened.source.files.map((file) => join(root, file)), unreadable };
  }

  /** Removes from the state the files that are no longer in the folder. */
  #forgetVanishedFiles({ root, files, unreadable }: OpenFolder): void {
    const unreadablePaths = unreadable.map((folder) => folder.path);
    this.#options.state.forgetOtherFiles(root, new Set([...files, ...unreadablePaths, join(root, '/')]));
  }

  /** Groups the files of a folder: each alone, or all together if their format needs all of them. */
  #groupFiles({ root, opened, files }: OpenFolder): readonly FileGroup[] {
    const { format, source } = recognizeSourceAndFormat(opened);
    const readFiles = async (names: readonly string[]) => {
      const part = { ...source, files: names, siblings: source.files };
      return readRecords({ ...opened, links: [], unreadable: [], source: part }, format, this.#options.signal);
    };
    if (!format.readsEachFile) return [{ path: join(root, '/'), files, read: () => readFiles(source.files) }];
    return source.files.map((name, at) => {
      const file = files[at] ?? '';
      return { path: file, files: [file], read: () => readFiles([name]) };
    });
  }

  /** Reads a group whose files or whose notes in the store have changed since its import. */
  async *#readAndRecordIfChanged(group: FileGroup): AsyncGenerator<ReadRecord, void, void> {
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
      state.recordImport(path, {
        stamp: content.isBad ? stamps.bad : stamps.good,
        origins: Object.fromEntries(origins),
      });
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
 * The version of how notes are read from files, which is a part of each stamp. Raise it in a release that reads other
 * notes from the same files: then no stamp of an earlier release matches, and the next sync reads every file once more.
 * Version 2 titles Markdown files by their names.
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

import { realpath, stat } from 'node:fs/promises';
import { join } from 'node:path';
import { NoteError } from '../../../core/error.ts';
import { getErrorCodeOrEmpty } from '../../../core/thrown-errors.ts';
import { formatRejection } from '../../../formats/recognition.ts';
import { recognizeSource } from '../../../formats/recognize-source.ts';
import { createBadRecord, type ReadRecord } from '../../../formats/record.ts';
import { runExplainingFileErrors } from '../../error-text.ts';
import type { Io } from '../../io.ts';
import type { OpenSource } from '../import/open-folder.ts';
import { recognizeSourceOrThrow, streamSourceRecordsAndClose } from '../import/open-records.ts';
import { openSource } from '../import/open-source.ts';
import type { SecretGuard } from '../import/secret-guard.ts';
import type { ImportFlags } from '../import/source-flags.ts';
import { encodeFileStats, type SyncState } from './sync-state.ts';

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
export class ChangedFileReader {
  /** All files, changed or not. */
  files = 0;
  /** Changed files that hold something. */
  changed = 0;
  /** Why sources were not read. */
  readonly failures: string[] = [];
  readonly #options: ChangedFilesOptions;
  /** The groups that were read, of which the state does not know yet. */
  readonly #pendingImports: PendingImport[] = [];

  constructor(options: ChangedFilesOptions) {
    this.#options = options;
  }

  /** Records in the state what was read. Call it once the records are stored, with what the store has then imported. */
  recordImportsInState(stored: ChangedFilesOptions['stored']): void {
    const { state, secrets } = this.#options;
    for (const { path, stamps, content } of this.#pendingImports) {
      if (content.withheld.some((record) => secrets.isRecordWithheld(record))) continue; // they are reported each time
      const origins = Array.from(content.origins.intersection(stored), (key) => [key, stored.get(key) ?? '']);
      state.recordImport(path, {
        stamp: content.hasOnlyBadRecords ? stamps.bad : stamps.good,
        origins: Object.fromEntries(origins),
      });
    }
  }

  /** Reads the records of all changed files. A source that cannot be read becomes a failure. */
  async *streamChangedAndCollectFailures(sources: readonly string[]): AsyncGenerator<ReadRecord, void, void> {
    for (const source of sources) {
      try {
        yield* this.#streamChangedSource(source);
      } catch (error) {
        if (this.#options.signal.aborted || !(error instanceof NoteError)) throw error;
        this.failures.push(error.message);
      }
    }
  }

  /** Reads what has changed in a file or a folder. Of a folder, the subfolders that cannot be read come first. */
  async *#streamChangedSource(path: string): AsyncGenerator<ReadRecord, void, void> {
    const root = await runExplainingFileErrors('read', path, () => realpath(path));
    const stats = await runExplainingFileErrors('read', path, () => stat(root));
    if (!stats.isDirectory())
      return yield* this.#streamGroupIfChanged({
        path: root,
        files: [root],
        read: () => this.#openFileRecordsOrBadRecord(path),
      });
    const folder = await this.#openAndListFolder(path, root);
    for (const group of folder.unreadable) yield* this.#streamGroupIfChanged(group);
    if (folder.files.length === 0) return;
    this.#removeVanishedFilesFromState(folder);
    for (const group of this.#groupFilesReadTogether(folder)) yield* this.#streamGroupIfChanged(group);
  }

  async #openFileRecordsOrBadRecord(path: string): Promise<AsyncIterable<ReadRecord> | Iterable<ReadRecord>> {
    const { stdin, signal, category } = this.#options;
    const file = await openSource(path, stdin, signal, category);
    const recognition = recognizeSource(file.source, file.head);
    if (recognition.kind !== 'format') return [createBadRecord(path, formatRejection(recognition))];
    const { format, source } = recognizeSourceOrThrow(file);
    return streamSourceRecordsAndClose({ ...file, source }, format, signal);
  }

  async #openAndListFolder(path: string, root: string): Promise<OpenFolder> {
    const { stdin, signal, category } = this.#options;
    const opened = await openSource(path, stdin, signal, category);
    const unreadable = (opened.unreadable ?? []).map((folder): FileGroup => {
      const folderPath = join(root, folder.location);
      return { path: folderPath, files: [folderPath], read: async () => [{ kind: 'bad', ...folder }] };
    });
    return { root, opened, files: opened.source.files.map((file) => join(root, file)), unreadable };
  }

  /** Removes from the state the files that are no longer in the folder. */
  #removeVanishedFilesFromState({ root, files, unreadable }: OpenFolder): void {
    const unreadablePaths = unreadable.map((folder) => folder.path);
    this.#options.state.removeOtherFilesBelow(root, new Set([...files, ...unreadablePaths, join(root, '/')]));
  }

  /** Groups the files of a folder: each alone, or all together if their format needs all of them. */
  #groupFilesReadTogether({ root, opened, files }: OpenFolder): readonly FileGroup[] {
    const { format, source } = recognizeSourceOrThrow(opened);
    const readFiles = async (names: readonly string[]) => {
      const part = { ...source, files: names, siblings: source.files };
      return streamSourceRecordsAndClose(
        { ...opened, links: [], unreadable: [], source: part },
        format,
        this.#options.signal,
      );
    };
    if (!format.readsEachFile) return [{ path: join(root, '/'), files, read: () => readFiles(source.files) }];
    return source.files.map((name, at) => {
      const file = files[at] ?? '';
      return { path: file, files: [file], read: () => readFiles([name]) };
    });
  }

  /** Reads a group whose files or whose notes in the store have changed since its import. */
  async *#streamGroupIfChanged(group: FileGroup): AsyncGenerator<ReadRecord, void, void> {
    const { state, stored, secrets } = this.#options;
    const { path, files } = group;
    this.files += files.length;
    const stamped = await stampGroupIfPresent(group);
    if (stamped === undefined || state.isUnchangedAndStillStored(path, stamped.stamp, stored)) return;
    const stamps = { good: stamped.stamp, bad: `bad ${stamped.stamp}` };
    const isReported = state.isUnchangedAndStillStored(path, stamps.bad, stored);
    const content = new FileGroupContent();
    let isCounted = false;
    for await (const record of await stamped.read()) {
      content.addRecord(record);
      if (isReported && record.kind !== 'note') continue;
      if (!isCounted) this.changed += files.length;
      isCounted = true;
      yield record;
      if (secrets.isRecordWithheld(record)) content.withheld.push(record);
    }
    this.#pendingImports.push({ path, stamps, content });
  }
}

/** A group that was read, and is recorded in the state once its notes are stored. */
interface PendingImport {
  readonly path: string;
  /** `bad` is recorded if nothing in the group could be read. */
  readonly stamps: { readonly good: string; readonly bad: string };
  readonly content: FileGroupContent;
}

/** What a group was found to hold. */
class FileGroupContent {
  /** Keys of the origins of its notes. */
  readonly origins = new Set<string>();
  /** Records with secrets, on which the user has yet to decide. */
  readonly withheld: ReadRecord[] = [];
  #hasBad = false;
  #hasNote = false;

  /** Whether nothing in it could be read: perhaps only for now, so that it is read again. */
  get hasOnlyBadRecords(): boolean {
    return this.#hasBad && !this.#hasNote;
  }

  addRecord(record: ReadRecord): void {
    if (record.kind === 'bad') this.#hasBad = true;
    if (record.kind !== 'note') return;
    this.#hasNote = true;
    if (record.origin !== undefined) this.origins.add(record.origin);
  }
}

/**
 * The version of how notes are read from files, which is a part of each stamp. Raise it in a release that reads other
 * notes from the same files: then no stamp of an earlier release matches, and the next sync reads every file once more.
 * Version 3 titles Markdown files outside of vaults by a heading in their first line.
 */
const stampVersion = 3;

/**
 * Returns how to read a group, with a stamp that changes with its files. A group that cannot be read has one bad
 * record. Returns undefined if a file was removed since the folder was listed.
 */
async function stampGroupIfPresent({
  path,
  files,
  read,
}: FileGroup): Promise<(Pick<FileGroup, 'read'> & Stamp) | undefined> {
  try {
    const states = await Promise.all(files.map(readEncodedFileStats));
    const state = states.length === 1 ? states[0] : Bun.hash.xxHash3(states.join());
    return { stamp: `v${stampVersion} ${state}`, read };
  } catch (error) {
    if (!(error instanceof NoteError)) throw error;
    if (getErrorCodeOrEmpty(error.cause) === 'ENOENT') return undefined;
    const problem = createBadRecord(path, error.message);
    return { stamp: error.message, read: async () => [problem] };
  }
}

interface Stamp {
  readonly stamp: string;
}

const readEncodedFileStats = async (file: string) =>
  encodeFileStats(await runExplainingFileErrors('read', file, () => stat(file)));

import type { ReadRecord } from './record.ts';
import type { Source } from './source.ts';

export interface NoteFormat {
  /** Its name for `--format`. */
  readonly name: string;
  readonly description: string;
  /** Whether a source looks like this format, by its file names and `head`, its first 64 KiB. Never throws. */
  recognizes(source: Source, head: string): boolean;
  /** Whether each file of a folder is read on its own. */
  readonly readsEachFile?: boolean;
  /** Whether its files may be beside any others. If there are texts beside them, each file is read in its own format. */
  readonly toleratesOtherFiles?: boolean;
  /** Throws `invalid` if nothing is readable. */
  read(source: Source): AsyncIterable<ReadRecord>;
}

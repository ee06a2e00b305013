import type { ReadRecord } from './record.ts';
import type { Source } from './source.ts';

/** A format says how the files of one program become records. formats.ts lists all formats. */
export interface NoteFormat {
  /** The name of the format for `--format`. */
  readonly name: string;
  readonly description: string;
  /** Whether a source looks like this format, by its file names and `head`, its first 64 KiB. Never throws. */
  recognizes(source: Source, head: string): boolean;
  /** Reads the notes of a source. Throws `invalid` if nothing is readable. */
  streamRecords(source: Source): AsyncIterable<ReadRecord>;
  /**
   * Whether a file with an ending of this format is tried before others recognize it by its content, as a text may
   * quote anything. Snippets in YAML, TOML and Markdown would be a text, or nothing, by their content.
   */
  readonly isKnownByEnding?: boolean;
  /** Whether each file of a folder is read on its own. */
  readonly readsEachFile?: boolean;
  /**
   * Whether its files may be beside any others. If there are texts beside them, each file is read in its own format.
   */
  readonly toleratesOtherFiles?: boolean;
  /** Whether its notes get the default category of the source, as its files name none. */
  readonly acceptsCategory?: boolean;
  /** Whether it asks the source when a file was created, which only a folder knows. */
  readonly readsFileTimes?: boolean;
}

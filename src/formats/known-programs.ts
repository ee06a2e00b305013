/** A program whose files we do not read, and what to export from it instead. */
interface KnownProgram {
  readonly program: string;
  /** A sentence without its end. */
  readonly advice: string;
  /** Whether a file is one of this program, by its path and its first 64 KiB as text. */
  readonly recognizes: (path: string, head: string) => boolean;
}

const knownPrograms: readonly KnownProgram[] = [
  {
    program: 'Evernote',
    advice: 'Import the .enex file into Obsidian with its Importer plugin or into Joplin, and import that as Markdown',
    recognizes: (path, head) => /\.enex$/i.test(path) || /^\ufeff?\s*(<[?!][^>]*>\s*)*<en-export\b/.test(head),
  },
];

export const findKnownProgram = (path: string, head: string): KnownProgram | undefined =>
  knownPrograms.find(({ recognizes }) => recognizes(path, head));

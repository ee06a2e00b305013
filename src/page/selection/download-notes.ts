/**
 * Saves notes as files that the import reads: one as Markdown, some as an archive of Markdown, more as lines of JSON.
 */
import type { Note } from '../../core/note.ts';
import { streamNoteBatchesAsNdjson } from '../../formats/json-formats.ts';
import { toMarkdownFile } from '../../formats/markdown-format.ts';
import { packStoredZip } from '../../formats/stored-zip.ts';
import { maxImported } from '../drop/import-limit.ts';

/** Saves a file with the notes, and returns its name. */
export async function downloadNotes(notes: readonly Note[]): Promise<string> {
  const [note] = notes;
  if (notes.length === 1 && note) return downloadAsMarkdown(note);
  const name = `notes-${new Date().toISOString().slice(0, 10)}`;
  if (notes.length > maxImported.files) return downloadAsNdjson(`${name}.ndjson`, notes);
  const files = notes.map((note) => {
    const { path, text } = toMarkdownFile(note);
    return { path, bytes: new TextEncoder().encode(text), modifiedAt: new Date(note.updatedAt) };
  });
  return downloadFile(`${name}.zip`, packStoredZip(files), 'application/zip');
}

function downloadAsMarkdown(note: Note): string {
  const { path, text } = toMarkdownFile(note);
  return downloadFile(path.split('/').at(-1) ?? path, [text], 'text/markdown');
}

async function downloadAsNdjson(name: string, notes: readonly Note[]): Promise<string> {
  return downloadFile(name, await Array.fromAsync(streamNoteBatchesAsNdjson([notes])), 'application/x-ndjson');
}

function downloadFile(name: string, pieces: BlobPart[], type: string): string {
  const link = document.createElement('a');
  link.href = URL.createObjectURL(new Blob(pieces, { type }));
  link.download = name;
  link.click();
  setTimeout(() => URL.revokeObjectURL(link.href), 60_000);
  return name;
}

import type { NoteFormat } from './note-format.ts';
import type { Source } from './source.ts';

/** What a source was found to be. */
export type Recognition =
  /** `source` is what the format reads: for a folder with nothing but one folder in it, that one. */
  | { readonly kind: 'format'; readonly format: NoteFormat; readonly source: Source }
  /** A program whose files we do not read; `advice` is a sentence that says what to export instead. */
  | { readonly kind: 'known program'; readonly program: string; readonly advice: string }
  /** `description` is a noun, such as "a JSON object with the keys a, b". */
  | { readonly kind: 'unknown'; readonly description: string };

/** Says what a source is if no format reads it, as a sentence without its end. */
export function formatRejection(recognition: Exclude<Recognition, { kind: 'format' }>): string {
  return recognition.kind === 'known program'
    ? `It is an export of ${recognition.program}, which is not read. ${recognition.advice}`
    : `It is ${recognition.description}, which no format reads`;
}

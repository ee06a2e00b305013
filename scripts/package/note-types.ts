/** The types of a note without zod, for the package. */
import type * as domain from '../../src/core/note.ts';

const plain = <Type>() => ({}) as { [Key in keyof Type]: Type[Key] };

export const Note = plain<domain.Note>();
export const NoteDraft = plain<domain.NoteDraft>();
export const NoteHead = plain<domain.NoteHead>();
export const NoteFilter = plain<domain.NoteFilter>();
export const NotePatch = plain<domain.NotePatch>();
export const Origin = plain<domain.Origin>();
export const PortableNote = plain<domain.PortableNote>();

/** The types of a note without zod, for the package. */
import type * as domain from '../../src/core/note.ts';

const expandType = <Type>() => ({}) as { [Key in keyof Type]: Type[Key] };

export const Note = expandType<domain.Note>();
export const NoteDraft = expandType<domain.NoteDraft>();
export const NoteHead = expandType<domain.NoteHead>();
export const NoteFilter = expandType<domain.NoteFilter>();
export const NotePatch = expandType<domain.NotePatch>();
export const Origin = expandType<domain.Origin>();
export const PortableNote = expandType<domain.PortableNote>();

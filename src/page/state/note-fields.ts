import { draftFields } from '../../core/enums.ts';
import type { NoteDraft, NotePatch } from '../../core/note.ts';
import { changedFields } from '../../core/versions.ts';

/** The fields that differ from `before`. */
export const patchOf = (fields: NoteDraft, before: NoteDraft): NotePatch =>
  Object.fromEntries(changedFields(fields, before).map((name) => [name, fields[name]]));

/** Whether data from storage has all fields of a note, as strings. */
export const hasNoteFields = <Value extends Partial<Record<keyof NoteDraft, unknown>>>(
  value: Value | null | undefined,
): value is Value & NoteDraft => draftFields.every((name) => typeof value?.[name] === 'string');

import { valueFields } from '../core/enums.ts';
import { isObject } from '../core/json/json.ts';
import type { Note } from '../core/note.ts';
import { type CreatedNote, type MergeResult, mergeOutcomes, type NoteOrigin } from '../core/store.ts';
import { createUnexpectedBodyError } from './service-response.ts';

const timestamp = /^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z$/;

/** Matches all values of category, group and color, also those that a later version of the service may add. */
const fieldValue = /^[a-z][a-z\d-]*$/;

/**
 * Returns the note after checking its fields, as any program may have sent it. Throws `unavailable` if it is no note.
 * Fields and values that only a later version of the service knows stay as they are.
 */
export function parseResponseNote(note: Note): Note {
  const { id, title, content, archived, createdAt, updatedAt } = note ?? {};
  const isValid =
    Number.isSafeInteger(id) &&
    [title, content, createdAt, updatedAt].every(isText) &&
    [createdAt, updatedAt].every((text) => timestamp.test(text)) &&
    valueFields.every((name) => isText(note[name]) && fieldValue.test(note[name])) &&
    typeof archived === 'boolean';
  if (!isValid) throw createUnexpectedBodyError(200);
  return note;
}

/** Creates the check of a merge's response, which has a result for each of `count` notes. */
export const createMergeResponseGuard =
  (count: number) =>
  (body: unknown): body is { readonly results: readonly MergeResult[] } =>
    isObject(body) &&
    Array.isArray(body['results']) &&
    body['results'].length === count &&
    body['results'].every(isMergeResult);

const isMergeResult = (result: unknown): result is MergeResult =>
  isObject(result) &&
  mergeOutcomes.some((outcome) => outcome === result['outcome']) &&
  (result['id'] === undefined || Number.isSafeInteger(result['id']));

export const isNoteOriginArray = (body: unknown): body is NoteOrigin[] =>
  Array.isArray(body) && body.every(isNoteOrigin);

const isNoteOrigin = (origin: unknown): boolean =>
  isObject(origin) && Number.isSafeInteger(origin['id']) && isText(origin['key']) && isText(origin['taken']);

export const isCreatedNoteArray = (body: unknown): body is CreatedNote[] =>
  Array.isArray(body) && body.every(isCreatedNote);

const isCreatedNote = (note: unknown): boolean =>
  isObject(note) &&
  Number.isSafeInteger(note['id']) &&
  [note['titleStart'], note['category'], note['createdAt']].every(isText);

const isText = (value: unknown): boolean => typeof value === 'string';

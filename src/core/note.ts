import * as z from 'zod/mini';
import { categories, colors, draftFields, groups } from './enums.ts';
import { createInvalidError } from './error.ts';
import * as message from './error-messages.ts';
import type { Fields } from './json/json.ts';

export { categories, colors, draftFields, groups };

/** A non-empty text that every store keeps byte for byte: PostgreSQL cannot hold NUL, UTF-8 no unpaired surrogates. */
const nonEmptyStorableTextSchema = (field: string) =>
  z.string({ error: message.emptyText(field) }).check(
    z.minLength(1, { error: message.emptyText(field), abort: true }),
    z.refine((value) => value.isWellFormed() && !value.includes('\0'), { error: message.formatUnstorableText(field) }),
  );

const oneOf = <const Values extends readonly string[]>(field: string, values: Values) =>
  z.enum(values, { error: message.notOneOf(field, values) });

const fields = {
  title: nonEmptyStorableTextSchema('title'),
  content: nonEmptyStorableTextSchema('content'),
  category: oneOf('category', categories),
  group: oneOf('group', groups),
  color: oneOf('color', colors),
} satisfies Record<(typeof draftFields)[number], z.ZodMiniType>;

const invalidTime = (field: string) => `Invalid ${field}. Must be a time like 2026-01-31T12:00:00.000Z`;
const timeTooLate = (field: string) => `Invalid ${field}. Must be before the year 9999`;
const timesReversed = 'Invalid updatedAt. Must not be before createdAt';
const invalidOrigin = 'Invalid origin. Must hold key and taken, as an export writes them';

const timestampSchema = (field: string) => z.iso.datetime({ precision: 3, error: invalidTime(field) });

export const Note = z.object({
  id: z.int().check(z.positive()),
  ...fields,
  archived: z.boolean(),
  createdAt: timestampSchema('createdAt'),
  updatedAt: timestampSchema('updatedAt'),
});
export type Note = z.infer<typeof Note>;

/** What a list shows of a note. */
export type NoteHead = Omit<Note, 'content' | 'createdAt'>;

/** The highest id a merge accepts: leaves enough ids above it for all later notes. */
const maxId = 2 ** 48;
const idError = message.idOutOfRange(maxId);

/** Below year 9999: every write raises `updatedAt`, and years must keep four digits. */
const portableTimeSchema = (field: string) =>
  timestampSchema(field).check(z.refine((time) => time < '9999', { error: timeTooLate(field) }));

/** Whether a value is a time that a note from another store may have been created at. */
export const isPortableTime = (value: unknown): value is string =>
  portableTimeSchema('createdAt').safeParse(value).success;

/** In UTF-16 units. PostgreSQL cannot index longer keys. */
export const maxKeyLength = 500;

/** Hashes of title and content, three fields, and the time of the source if it has its own. */
const takenPattern = /^[\da-f]{32} [\da-f]{32}( [a-z-]{1,20}){3}( [\dT:.Z-]{24})?$/;

/** Where a note comes from: the unique key of its source, and what was last imported (see formats/origin.ts). */
export const Origin = z.object(
  {
    key: nonEmptyStorableTextSchema('origin').check(z.maxLength(maxKeyLength, invalidOrigin)),
    taken: z.string(invalidOrigin).check(z.regex(takenPattern, invalidOrigin)),
  },
  invalidOrigin,
);
export type Origin = z.infer<typeof Origin>;

/** A note from another store. One without an id gets a new one. */
export const PortableNote = z
  .object({
    id: z.exactOptional(z.int({ error: idError }).check(z.minimum(1, idError), z.maximum(maxId, idError))),
    ...fields,
    archived: z.boolean({ error: message.notOneOf('archived', ['true', 'false']) }),
    createdAt: portableTimeSchema('createdAt'),
    updatedAt: portableTimeSchema('updatedAt'),
    origin: z.exactOptional(Origin),
  })
  .check(z.refine(({ createdAt, updatedAt }) => createdAt <= updatedAt, timesReversed));
export type PortableNote = z.infer<typeof PortableNote>;

const portableFields = [...draftFields, 'archived', 'createdAt', 'updatedAt'] as const;

/** Parses an exported note. Ignores unknown fields. Throws `invalid`. */
export function parsePortableNote(body: Fields): PortableNote {
  const missing = portableFields.filter((field) => isNullOrUndefined(body[field]));
  if (missing.length > 0) throw createInvalidError(message.missingFields(missing));
  return parseBySchemaOrThrowInvalid(PortableNote, body);
}

/** The body that creates a note. */
export const NoteDraft = z.object(fields);
export type NoteDraft = z.infer<typeof NoteDraft>;

/** Parses a draft from a request body. Ignores fields that the service owns or does not know. Throws `invalid`. */
export function parseDraft(body: Fields): NoteDraft {
  const missing = draftFields.filter((field) => isNullOrUndefined(body[field]));
  if (missing.length > 0) throw createInvalidError(message.missingFields(missing));
  return parseBySchemaOrThrowInvalid(NoteDraft, body);
}

/** An update: changes the fields that are present. */
export const NotePatch = z.object({
  title: z.exactOptional(fields.title),
  content: z.exactOptional(fields.content),
  category: z.exactOptional(fields.category),
  group: z.exactOptional(fields.group),
  color: z.exactOptional(fields.color),
});
export type NotePatch = z.infer<typeof NotePatch>;

/** Parses an update of note `id`; the body must have the same id. Throws `invalid`. */
export function parsePatchAndAssertId(body: Fields, id: number): NotePatch {
  if (isNullOrUndefined(body['id'])) throw createInvalidError(message.missingFields(['id']));
  if (body['id'] !== id) throw createInvalidError(message.idMismatch);
  return parseBySchemaOrThrowInvalid(NotePatch, body);
}

const isNullOrUndefined = (value: unknown) => value === undefined || value === null;

function parseBySchemaOrThrowInvalid<Schema extends z.ZodMiniType>(schema: Schema, input: Fields): z.infer<Schema> {
  const result = schema.safeParse(input);
  if (result.success) return result.data;
  throw createInvalidError(result.error.issues[0]?.message ?? 'Must be a JSON object');
}

/** Selects notes that meet all conditions; without conditions, all notes. */
export interface NoteFilter {
  readonly category?: Note['category'];
  readonly group?: Note['group'];
  readonly archived?: boolean;
}

/** Equal for filters that select the same notes. */
export const encodeFilterKey = ({ archived, category, group }: NoteFilter) => `${archived}.${category}.${group}`;

/** The HTTP entity tag of a note: its `updatedAt`, which rises with every write. */
export const formatEntityTag = (note: Note) => `"${note.updatedAt}"`;

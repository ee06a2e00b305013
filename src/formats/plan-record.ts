/**
 * This module decides what an import does with a record. It only computes: `Importer` reads the values, and does what
 * was decided.
 */
import { draftFields, type Note, type Origin, type PortableNote } from '../core/note.ts';
import { hasSameDraftFields, pickDraftFields } from '../core/versions.ts';
import type { NoteRecord } from './record.ts';

/**
 * What the store has that a record may be of. An importer reads no more of it than the decision needs.
 *
 * A fingerprint is what an origin stores as `taken`: hashes of title and text, category, group, color, and the time of
 * the source if it states one. It tells whether a source has changed without a copy of its text.
 */
export interface Known {
  /** The origin for the record's note; undefined if it gets none. */
  readonly origin?: Origin | undefined;
  /** The fingerprint of the same source when it was imported last. */
  readonly lastFingerprint?: string | undefined;
  /** The note of the same source. It is read only if the source has changed since. */
  readonly source?: KnownSource | undefined;
  /** A note with the same title, content, category and time of creation. */
  readonly duplicate?: Duplicate | undefined;
  /** A note that would be a duplicate if it had not the title that an earlier version of Notes gave the record. */
  readonly formerDuplicate?: Duplicate | undefined;
  /** The stored note with the id of the record. It is set once the store has rejected the note of the record. */
  readonly stored?: Pick<Note, 'createdAt' | 'updatedAt'> | undefined;
  /** Whether this import has given a later state of the record's note a new id. */
  readonly hasRenumberedLaterState?: boolean;
}

export interface KnownSource {
  readonly storedNote: Note;
  /**
   * The fingerprint of the note as it is now. `Known.lastFingerprint` begins with it unless somebody edited the note.
   */
  readonly noteFingerprint: string;
  /** Whether the note or its history has the fields of the record. It is read only if the record is the older state. */
  readonly isRecordStored: boolean;
}

export interface Duplicate {
  /**
   * The stored note. It is missing if the note may not follow the record from now on, because another source owns it,
   * or if this import adds it.
   */
  readonly note?: Note | undefined;
}

/** Says what to do with a record, and in a sentence why. */
export type ImportAction = { readonly because: string } /** `id` is that of the stored note, if it is known. */ & (
  | { readonly do: 'count'; readonly as: 'unchanged' | 'versions' | 'left'; readonly id?: number | undefined }
  | { readonly do: 'leave out' }
  /** Adds a note without id. */
  | { readonly do: 'add' | 'renumber'; readonly note: PortableNote }
  /** Merges a note with its id: the store then has the newer state of it. */
  | { readonly do: 'merge' | 'retitle'; readonly note: PortableNote }
  /** Merges a stored note, and an older state of it, which goes to the history. */
  | { readonly do: 'add version'; readonly note: PortableNote; readonly version: Note }
);

/**
 * Decides what to do with a record: the first case that fits. The store decides about states with the same id. If it
 * rejects the note of a record, the record is planned once more, with the stored note as `known.stored`.
 *
 * Example: a session of ten messages was imported as note 7, and somebody corrected a word of note 7. Now the session
 * has twelve messages. `known.lastFingerprint` is that of the ten messages, so the source has changed. `known.source`
 * is note 7, and its `noteFingerprint`, that of the corrected text, says that the note was edited. If that was later
 * than the twelfth message, note 7 stays, with the new origin, and the twelve messages become a version: `add version`.
 * If it was earlier, the twelve messages become the note, and the store puts the corrected text into the history:
 * `merge`.
 */
export function planRecord(record: NoteRecord, known: Known): ImportAction {
  const { note } = record;
  const { origin, lastFingerprint, source, duplicate, formerDuplicate, stored } = known;
  if (stored !== undefined) return planRecordRejectedByStore(record, stored, known);
  if (origin !== undefined && lastFingerprint === origin.taken)
    return createUnchangedAction('Its source has not changed');
  if (origin !== undefined && lastFingerprint !== undefined && source !== undefined) {
    return planRecordOfChangedSource(record, { ...source, origin, lastFingerprint });
  }
  if (formerDuplicate?.note !== undefined) {
    return {
      do: 'retitle',
      note: copyWithOriginIfAny(copyWithTitleAndNextMillisecond(formerDuplicate.note, note.title), origin),
      because: retitledReason,
    };
  }
  if (origin !== undefined && duplicate?.note !== undefined) {
    return { do: 'merge', note: { ...duplicate.note, origin }, because: 'A note with its text gets the origin' };
  }
  if (note.id !== undefined)
    return { do: 'merge', note: copyWithOriginIfAny(note, origin), because: 'It has an id of its own' };
  if (duplicate !== undefined) return createUnchangedAction('Another note has its text', duplicate.note?.id);
  return { do: 'add', note: copyWithOriginIfAny(note, origin), because: 'It is new' };
}

interface ChangedSource extends KnownSource {
  readonly origin: Origin;
  readonly lastFingerprint: string;
}

/**
 * Whether the plan of a record depends on its duplicates, as the record may become a new note, or belong to a
 * duplicate.
 */
export function planDependsOnDuplicates(
  { note }: NoteRecord,
  { origin, lastFingerprint, stored, hasRenumberedLaterState }: Known,
): boolean {
  if (stored !== undefined) return stored.createdAt !== note.createdAt && !hasRenumberedLaterState;
  return lastFingerprint === undefined && (note.id === undefined || origin !== undefined);
}

/**
 * Decides about a record whose source was imported before. Of two states the newer is the note, the other a version.
 */
function planRecordOfChangedSource({ note, isDated, formerTitle }: NoteRecord, source: ChangedSource): ImportAction {
  const { storedNote, origin, lastFingerprint, noteFingerprint, isRecordStored } = source;
  if (isDated && isOutdatedSourceState(note, storedNote, lastFingerprint)) {
    if (isRecordStored) return createUnchangedAction('The history has this older state');
    return {
      do: 'add version',
      note: storedNote,
      version: createVersionOfOlderState(storedNote, note),
      because: 'It is an older state',
    };
  }
  // An earlier version of Notes titled the note in another way. Unless somebody changed the title, the note gets the
  // new one.
  const isNamedAnew = formerTitle !== undefined && storedNote.title !== note.title;
  const hasImportedTitle = getFingerprintTitleHash(noteFingerprint) === getFingerprintTitleHash(lastFingerprint);
  const renamedNote =
    isNamedAnew && hasImportedTitle ? copyWithTitleAndNextMillisecond(storedNote, note.title) : storedNote;
  const lastFingerprintWithNewTitle =
    formerTitle === undefined ? lastFingerprint : replaceTitleHashFromFingerprint(lastFingerprint, origin.taken);
  if (lastFingerprintWithNewTitle === origin.taken && renamedNote !== storedNote) {
    return { do: 'retitle', note: { ...renamedNote, origin }, because: retitledReason };
  }
  if (lastFingerprintWithNewTitle === origin.taken || hasSameDraftFields(renamedNote, note)) {
    return { do: 'merge', note: { ...renamedNote, origin }, because: 'The note has what its source has now' };
  }
  const isEdited = !lastFingerprintWithNewTitle.startsWith(
    renamedNote === storedNote ? noteFingerprint : replaceTitleHashFromFingerprint(noteFingerprint, origin.taken),
  );
  if (isEdited && note.updatedAt <= renamedNote.updatedAt) {
    const version = createVersionOfOlderState(renamedNote, note);
    return { do: 'add version', note: { ...renamedNote, origin }, version, because: 'The note was edited later' };
  }
  const updatedAt = Math.max(Date.parse(note.updatedAt), Date.parse(renamedNote.updatedAt) + 1);
  const changed = { ...renamedNote, ...pickDraftFields(note), updatedAt: new Date(updatedAt).toISOString(), origin };
  return { do: 'merge', note: changed, because: 'Its source has changed' };
}

/** Decides about a record with an id whose note the store has rejected. */
function planRecordRejectedByStore(
  record: NoteRecord,
  stored: NonNullable<Known['stored']>,
  known: Known,
): ImportAction {
  const { id, ...note } = record.note;
  if (stored.createdAt !== note.createdAt) {
    if (known.hasRenumberedLaterState)
      return { do: 'leave out', because: 'an earlier version of a note that was given a new id' };
    if (known.duplicate !== undefined)
      return createUnchangedAction('Another note has its text', known.duplicate.note?.id);
    return { do: 'renumber', note, because: 'Another note has its id, and distinct notes are never merged' };
  }
  if (stored.updatedAt > note.updatedAt)
    return { do: 'count', as: 'versions', id, because: 'The stored note is newer' };
  const edited = tryCreateNoteOfEditedFile(record);
  if (edited !== undefined) return { do: 'merge', note: edited, because: 'Its file was edited since' };
  const because = 'the source has another text but the same updatedAt (raise it there to import it)';
  return { do: 'count', as: 'left', id, because };
}

/**
 * Creates the note of a file that somebody edited without changing `updatedAt` in its front matter. The note gets the
 * change time of the file as its `updatedAt`, at least one millisecond later than before, so that the store replaces
 * the stored note. Undefined if the file contains several notes: its change time does not say which of the notes was
 * edited.
 *
 * Example: the front matter has `updatedAt: 10:00`, as the stored note has, and the file was saved at 11:30. The note
 * gets 11:30. If a copy set the time of the file back to 9:00, the note gets 10:00:00.001.
 */
function tryCreateNoteOfEditedFile({ note, fileTime }: NoteRecord): PortableNote | undefined {
  if (fileTime === undefined) return undefined;
  const next = new Date(Date.parse(note.updatedAt) + 1).toISOString();
  return { ...note, updatedAt: fileTime > next ? fileTime : next };
}

const createUnchangedAction = (because: string, id?: number): ImportAction => ({
  do: 'count',
  as: 'unchanged',
  id,
  because,
});

const retitledReason = 'Its file is titled by another rule now than when it was imported';

const copyWithOriginIfAny = (note: PortableNote, origin: Origin | undefined): PortableNote =>
  origin === undefined ? note : { ...note, origin };

/** Raises `updatedAt` by a millisecond, so that the note stays in its place, and its history has the former title. */
const copyWithTitleAndNextMillisecond = (note: Note, title: string): Note => ({
  ...note,
  title,
  updatedAt: new Date(Date.parse(note.updatedAt) + 1).toISOString(),
});

/** Whether a state of the source is older than the last one that was imported, or shorter at the same time. */
export function isOutdatedSourceState(sourceState: PortableNote, storedNote: Note, lastFingerprint: string): boolean {
  const last = getFingerprintTimeOrEmpty(lastFingerprint);
  return (
    sourceState.updatedAt < last ||
    (sourceState.updatedAt === last && sourceState.content.length < storedNote.content.length)
  );
}

/** Creates a version of a stored note from an older state of its source. */
export function createVersionOfOlderState(storedNote: Note, sourceState: PortableNote): Note {
  const before = Math.min(Date.parse(sourceState.updatedAt), Date.parse(storedNote.updatedAt) - 1);
  const updatedAt = new Date(Math.max(before, Date.parse(storedNote.createdAt))).toISOString();
  return { ...storedNote, ...pickDraftFields(sourceState), updatedAt };
}

/** Returns the time of the source at the end of a fingerprint. It is empty if the source stated none. */
const getFingerprintTimeOrEmpty = (fingerprint: string) => fingerprint.split(' ')[draftFields.length] ?? '';

/** The hash of the title begins a fingerprint. */
const getFingerprintTitleHash = (fingerprint: string) => fingerprint.slice(0, fingerprint.indexOf(' '));

/** Replaces the hash of the title by that of another fingerprint. */
const replaceTitleHashFromFingerprint = (fingerprint: string, other: string) =>
  getFingerprintTitleHash(other) + fingerprint.slice(fingerprint.indexOf(' '));

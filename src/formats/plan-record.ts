/** What an import does with a record. It is decided here, of values alone; `Importer` reads them, and does it. */
import { draftFields, type Note, type Origin, type PortableNote } from '../core/note.ts';
import { hasSameFields, pickDraft } from '../core/versions.ts';
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
  /** The note of the same source; read if the source has changed since. */
  readonly source?: KnownSource | undefined;
  /** A note with the same title, content, category and time of creation. */
  readonly twin?: Twin | undefined;
  /** Such a note under the title that an earlier version of Notes gave the record. */
  readonly formerTwin?: Twin | undefined;
  /** Set once the store has left the record: the stored note with its id. */
  readonly stored?: Pick<Note, 'createdAt' | 'updatedAt'> | undefined;
  /** Whether this import has given a later state of the record's note a new id. */
  readonly hasRenumberedLaterState?: boolean;
}

export interface KnownSource {
  readonly note: Note;
  /** That of the note as it is now. `Known.lastFingerprint` begins with it unless somebody edited the note. */
  readonly noteFingerprint: string;
  /** Whether the note or its history has the fields of the record; read if the record is the older state. */
  readonly isRecordStored: boolean;
}

export interface Twin {
  /** Read if it may follow the record from now on: no other source owns it. */
  readonly note?: Note | undefined;
}

/** What to do with a record, and a sentence why. */
export type ImportAction = { readonly because: string } & (
  | { readonly do: 'count'; readonly as: 'unchanged' | 'versions' | 'left' }
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
 * leaves the note of a record, the record is planned once more, with the stored note as `known.stored`.
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
  const { origin, lastFingerprint, source, twin, formerTwin, stored } = known;
  if (stored !== undefined) return planLeftRecord(record, stored, known);
  if (origin !== undefined && lastFingerprint === origin.taken)
    return createUnchangedAction('Its source has not changed');
  if (origin !== undefined && lastFingerprint !== undefined && source !== undefined) {
    return planChangedSource(record, { ...source, origin, lastFingerprint });
  }
  if (formerTwin?.note !== undefined) {
    return {
      do: 'retitle',
      note: addOriginIfAny(retitleAndRaiseTime(formerTwin.note, note.title), origin),
      because: retitledReason,
    };
  }
  if (origin !== undefined && twin?.note !== undefined) {
    return { do: 'merge', note: { ...twin.note, origin }, because: 'A note with its text gets the origin' };
  }
  if (note.id !== undefined)
    return { do: 'merge', note: addOriginIfAny(note, origin), because: 'It has an id of its own' };
  if (twin !== undefined) return createUnchangedAction('Another note has its text');
  return { do: 'add', note: addOriginIfAny(note, origin), because: 'It is new' };
}

interface ChangedSource extends KnownSource {
  readonly origin: Origin;
  readonly lastFingerprint: string;
}

/**
 * Whether the notes with the text of a record matter for its plan: if it may become a new note, or get one of theirs.
 */
export function dependsOnTwins(
  { note }: NoteRecord,
  { origin, lastFingerprint, stored, hasRenumberedLaterState }: Known,
): boolean {
  if (stored !== undefined) return stored.createdAt !== note.createdAt && !hasRenumberedLaterState;
  return lastFingerprint === undefined && (note.id === undefined || origin !== undefined);
}

/**
 * Decides about a record whose source was imported before. Of two states the newer is the note, the other a version.
 */
function planChangedSource({ note, isDated, formerTitle }: NoteRecord, source: ChangedSource): ImportAction {
  const { note: ours, origin, lastFingerprint, noteFingerprint, isRecordStored } = source;
  if (isDated && isOlderSourceState(note, ours, lastFingerprint)) {
    if (isRecordStored) return createUnchangedAction('The history has this older state');
    return { do: 'add version', note: ours, version: createOlderVersion(ours, note), because: 'It is an older state' };
  }
  // An earlier version of Notes titled the note in another way. Unless somebody changed the title, the note gets the
  // new one.
  const isNamedAnew = formerTitle !== undefined && ours.title !== note.title;
  const hasImportedTitle = getTitleHash(noteFingerprint) === getTitleHash(lastFingerprint);
  const titled = isNamedAnew && hasImportedTitle ? retitleAndRaiseTime(ours, note.title) : ours;
  const lastWithTitle = formerTitle === undefined ? lastFingerprint : replaceTitleHash(lastFingerprint, origin.taken);
  if (lastWithTitle === origin.taken && titled !== ours) {
    return { do: 'retitle', note: { ...titled, origin }, because: retitledReason };
  }
  if (lastWithTitle === origin.taken || hasSameFields(titled, note)) {
    return { do: 'merge', note: { ...titled, origin }, because: 'The note has what its source has now' };
  }
  const isEdited = !lastWithTitle.startsWith(
    titled === ours ? noteFingerprint : replaceTitleHash(noteFingerprint, origin.taken),
  );
  if (isEdited && note.updatedAt <= titled.updatedAt) {
    const version = createOlderVersion(titled, note);
    return { do: 'add version', note: { ...titled, origin }, version, because: 'The note was edited later' };
  }
  const updatedAt = Math.max(Date.parse(note.updatedAt), Date.parse(titled.updatedAt) + 1);
  const changed = { ...titled, ...pickDraft(note), updatedAt: new Date(updatedAt).toISOString(), origin };
  return { do: 'merge', note: changed, because: 'Its source has changed' };
}

/** Decides about a record with an id that the store has left. */
function planLeftRecord(record: NoteRecord, stored: NonNullable<Known['stored']>, known: Known): ImportAction {
  const { id: _, ...note } = record.note;
  if (stored.createdAt !== note.createdAt) {
    if (known.hasRenumberedLaterState)
      return { do: 'leave out', because: 'an earlier version of a note that was given a new id' };
    if (known.twin !== undefined) return createUnchangedAction('Another note has its text');
    return { do: 'renumber', note, because: 'Another note has its id, and distinct notes are never merged' };
  }
  if (stored.updatedAt > note.updatedAt) return { do: 'count', as: 'versions', because: 'The stored note is newer' };
  const edited = tryCreateNoteOfEditedFile(record);
  if (edited !== undefined) return { do: 'merge', note: edited, because: 'Its file was edited since' };
  const because = 'the source has another text but the same updatedAt (raise it there to import it)';
  return { do: 'count', as: 'left', because };
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

const createUnchangedAction = (because: string): ImportAction => ({ do: 'count', as: 'unchanged', because });

const retitledReason = 'It is titled by its file now, and was not when it was imported';

const addOriginIfAny = (note: PortableNote, origin: Origin | undefined): PortableNote =>
  origin === undefined ? note : { ...note, origin };

/** Raises `updatedAt` by a millisecond, so that the note stays in its place, and its history has the former title. */
const retitleAndRaiseTime = (note: Note, title: string): Note => ({
  ...note,
  title,
  updatedAt: new Date(Date.parse(note.updatedAt) + 1).toISOString(),
});

/** Whether a state of the source is older than the last one that was imported, or shorter at the same time. */
export function isOlderSourceState(theirs: PortableNote, ours: Note, lastFingerprint: string): boolean {
  const last = findSourceTime(lastFingerprint);
  return theirs.updatedAt < last || (theirs.updatedAt === last && theirs.content.length < ours.content.length);
}

/** Creates a version of a note, of an older state of its source. */
export function createOlderVersion(ours: Note, theirs: PortableNote): Note {
  const before = Math.min(Date.parse(theirs.updatedAt), Date.parse(ours.updatedAt) - 1);
  const updatedAt = new Date(Math.max(before, Date.parse(ours.createdAt))).toISOString();
  return { ...ours, ...pickDraft(theirs), updatedAt };
}

/** Finds the time of the source at the end of a fingerprint; empty if the source stated none. */
const findSourceTime = (fingerprint: string) => fingerprint.split(' ')[draftFields.length] ?? '';

/** The hash of the title begins a fingerprint. */
const getTitleHash = (fingerprint: string) => fingerprint.slice(0, fingerprint.indexOf(' '));

/** Replaces the hash of the title by that of another fingerprint. */
const replaceTitleHash = (fingerprint: string, other: string) =>
  getTitleHash(other) + fingerprint.slice(fingerprint.indexOf(' '));

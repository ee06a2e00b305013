import { createInvalidError } from './error.ts';
import { missingFields } from './error-messages.ts';
import { type Fields, isObject } from './json/json.ts';

/** The pinned notes, archived ones too. */
export interface Pins {
  /** At most `maxPins` ids of notes, each once, in the order in which they are shown. */
  readonly ids: readonly number[];
  /** Identifies this list of ids: it is their entity tag without quotes. */
  readonly revision: string;
}

/** Stores which notes are pinned. */
export interface PinStore {
  /** Reads the ids of the pinned notes, and their revision. */
  readPins(): Promise<Pins>;

  /**
   * Replaces all pins, durably, and returns them. With `ifMatch`, their revision must be one of these, or the write
   * fails with `conflict`. Fails with `invalid` if there is no note with one of the ids.
   */
  replacePins(ids: readonly number[], ifMatch?: readonly string[]): Promise<Pins>;
}

export const maxPins = 100;

export const pinsChanged = 'The pins have changed since they were read';
export const formatPinnedNoteNotFound = (id: number) => `Invalid ids. Note with ID ${id} not found`;
const invalidPins = `Invalid ids. Must be an array of at most ${maxPins} ids of notes`;

/** Parses `{"ids": […]}` in a request body, and ignores other fields. Throws `invalid`. */
export function parsePinsFromBody({ ids }: Fields): readonly number[] {
  if (ids === undefined || ids === null) throw createInvalidError(missingFields(['ids']));
  if (!isIdArray(ids) || ids.length > maxPins) throw createInvalidError(invalidPins);
  const repeated = ids.find((id, index) => ids.indexOf(id) !== index);
  if (repeated !== undefined) throw createInvalidError(`Invalid ids. Must not contain ${repeated} twice`);
  return ids;
}

/** Whether a response of the service is `{"ids": […]}`. */
export const isPinsResponse = (body: unknown): body is Pick<Pins, 'ids'> => isObject(body) && isIdArray(body['ids']);

const isIdArray = (value: unknown): value is readonly number[] =>
  Array.isArray(value) && value.every((id) => Number.isSafeInteger(id) && id > 0);

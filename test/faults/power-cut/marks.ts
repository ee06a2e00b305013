/** What clients send, are answered and read: lines of JSON in a file of the recorded folder. */
import type { Note } from '../../../src/core/note.ts';

export const marksFile = 'marks';

/** A state of the note with this title; the first creates it. */
export interface State {
  readonly title: string;
  /** Rises with each state that has another content. */
  readonly version: number;
  readonly archived: boolean;
}

/** States that one request stores, all or none; that it has stored, by its answer; or that a read showed. */
export interface Mark {
  readonly kind: 'sent' | 'answered' | 'read';
  readonly states: readonly State[];
}

export const isSameState = (one: State, other: State) =>
  one.version === other.version && one.archived === other.archived;

/** The content of a version, of about `length` characters. */
export function createContent({ title, version }: State, length: number): string {
  const words = `${version} of ${title} `;
  return words.repeat(1 + length / words.length);
}

/** The state that a note is in. `version` is NaN if its content is not that of one version. */
export function parseState({ title, content, archived }: Note): State {
  const version = Number.parseInt(content, 10);
  const isWhole = content === createContent({ title, version, archived }, content.length - 1);
  return { title, version: isWhole ? version : Number.NaN, archived };
}

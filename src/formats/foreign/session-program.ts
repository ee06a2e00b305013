import type { Fields } from '../../core/json/json.ts';
import type { Turn } from './transcript.ts';

/** The meaning of a session line: turns, a title, or the kind of a line outside of the conversation. */
export type SessionLine =
  | { readonly turns: readonly Turn[] }
  /** Set by the user: overrides the program's title. */
  | { readonly title: string }
  | { readonly programTitle: string }
  | { readonly leftOut: string }
  /** Nothing of the session is of the user. */
  | { readonly isSubagent: true };

/** Reads the sessions of one program. */
export interface SessionProgram {
  /** Begins the keys of origins. */
  readonly name: string;
  /** Whether a line is one of this program, and of no other. */
  recognizesLine(line: Fields): boolean;
  createReader(): SessionReader;
}

/** Reads the lines of a session in order. */
export interface SessionReader {
  /** The id of the session in a line; empty if it states none. */
  findSessionIdOrEmpty(line: Fields): string;
  interpretLine(line: Fields): SessionLine;
  /** What the program shows of the turns of all lines. */
  selectShownTurns(turns: readonly Turn[]): FinishedSession;
}

export interface FinishedSession {
  readonly turns: readonly Turn[];
  /** How many turns of a kind are left out because of later lines. */
  readonly leftOut?: ReadonlyMap<string, number>;
}

import type { Fields } from '../../../core/json/json.ts';
import type { Turn } from './transcript.ts';

/** What a line of a session means: turns, a title, or the kind of a line outside of the conversation. */
export type InterpretedLine =
  | { readonly turns: readonly Turn[] }
  /** The user has set this title, which overrides the title of the program. */
  | { readonly title: string }
  | { readonly programTitle: string }
  | { readonly leftOut: string }
  /** Nothing of the session is of the user. */
  | { readonly isSubagent: true };

/** A program whose sessions are files of lines, each a JSON object. */
export interface SessionProgram {
  /** The name with which the keys of origins begin. */
  readonly name: string;
  /** Whether a line is one of this program, and of no other. */
  recognizesLine(line: Fields): boolean;
  createInterpreter(): SessionInterpreter;
}

/** Finds out what the lines of one session mean. It remembers earlier lines, as some repeat or withdraw others. */
export interface SessionInterpreter {
  /** Returns the id of the session that a line states, or an empty text. */
  getSessionIdOfLineOrEmpty(line: Fields): string;
  /** Says what a line means. The lines of a session have to come in order, each once. */
  interpretNextLine(line: Fields): InterpretedLine;
  /** Selects the turns that the program shows, after the last line, and counts the others by kind. */
  selectShownTurns(turns: readonly Turn[]): ShownTurns;
}

export interface ShownTurns {
  readonly turns: readonly Turn[];
  /** How many turns of a kind are left out because of later lines. */
  readonly leftOut?: ReadonlyMap<string, number>;
}

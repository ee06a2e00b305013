import { ConfigError } from '../../config.ts';
import { NoteError } from '../../core/error.ts';
import { messageOf } from '../../core/tools/thrown.ts';
import { Interrupted } from '../exit-code.ts';

/** Extends the message of an error with the path where the text is kept. */
export function keptIn(path: string, error: unknown): Error {
  const place = `Your text is kept in ${path}`;
  const options = { cause: error };
  if (error instanceof Interrupted) return new Interrupted(place, options);
  const text = `${messageOf(error)}. ${place}`;
  if (error instanceof NoteError) return error.reworded(text);
  return error instanceof ConfigError ? new ConfigError(text, options) : new Error(text, options);
}

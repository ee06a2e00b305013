import { type Command, InvalidArgumentError } from 'commander';
import type { NoteFlags } from '../../flag-types.ts';
import { addFilterFlags, addStoreFlags, parsePositiveInteger } from '../../flags.ts';
import type { Io } from '../../io.ts';
import type { FindFlags } from '../../notes/find-or-pick-note.ts';

export interface ShowFlags extends NoteFlags, FindFlags {
  readonly raw?: boolean;
  readonly copy?: boolean;
  readonly version?: number;
  readonly pager?: boolean;
  readonly set?: ReadonlyMap<string, string>;
}

/** Adds the flags that name a note and values for it. */
export const addShowAndCopyFlags = (command: Command, io: Io): Command =>
  addStoreFlags(
    addFilterFlags(command, io)
      .option('--set <name=value>', 'replace {{name}} with a value; may be repeated', parseAndAddValuePair)
      .option('--version <number>', 'an earlier version, by its number in "notes history"', parsePositiveInteger)
      .option('--pick', 'always pick it from a list'),
  );

/** Throws `InvalidArgumentError` if the text is not a pair. */
function parseAndAddValuePair(
  pair: string,
  values: ReadonlyMap<string, string> = new Map(),
): ReadonlyMap<string, string> {
  const [, name, value] = /^([^=]+)=(.*)$/s.exec(pair) ?? [];
  if (name === undefined || value === undefined) throw new InvalidArgumentError('It must be name=value.');
  return new Map(values).set(name.trim(), value);
}

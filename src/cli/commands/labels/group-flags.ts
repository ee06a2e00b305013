import type { Command } from 'commander';
import { groups } from '../../../domain/enums.ts';
import { NoteError } from '../../../domain/error.ts';
import { groupCalled } from '../../../domain/labels/labels.ts';
import * as message from '../../../domain/message.ts';
import type { Io } from '../../io.ts';
import { openNotes } from '../../notes/open.ts';

const groupFlags = ['group', 'whereGroup'] as const;

const isValue = (text: string) => groups.some((group) => group === text);

/** Puts the values of groups in the place of their labels, in the flags of a command. Throws `invalid` for what is neither. */
export async function resolveGroups(command: Command, io: Io): Promise<void> {
  const flags: Readonly<Record<string, string>> = command.opts();
  const named = groupFlags.filter((name) => flags[name] !== undefined && !isValue(flags[name]));
  if (named.length === 0) return;
  await using store = await openNotes(io, flags);
  const labels = await store.labels();
  for (const name of named) {
    const group = groupCalled(flags[name] ?? '', labels);
    const known = groups.flatMap((value) => [value, labels[value]]).filter((name) => name !== null);
    if (group === undefined) throw new NoteError('invalid', message.notOneOf('group', known));
    command.setOptionValue(name, group);
  }
}

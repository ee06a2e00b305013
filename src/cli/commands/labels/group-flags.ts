import type { Command } from 'commander';
import { groups } from '../../../domain/enums.ts';
import { groupNamed } from '../../../domain/labels/named-groups.ts';
import type { Io } from '../../io.ts';
import { openNotes } from '../../notes/open.ts';

const groupFlags = ['group', 'whereGroup'] as const;

const isValue = (text: string) => groups.some((group) => group === text);

/** Replaces labels by the values of their groups in the flags of a command. Throws `invalid` if a flag is neither. */
export async function resolveGroups(command: Command, io: Io): Promise<void> {
  const flags: Readonly<Record<string, string>> = command.opts();
  const named = groupFlags.filter((name) => flags[name] !== undefined && !isValue(flags[name]));
  if (named.length === 0) return;
  await using store = await openNotes(io, flags);
  for (const name of named) {
    command.setOptionValue(name, await groupNamed(flags[name] ?? '', store));
  }
}

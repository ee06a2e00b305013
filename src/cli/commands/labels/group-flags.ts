import type { Command } from 'commander';
import { groupNamed } from '../../../domain/labels/named-groups.ts';
import type { Io } from '../../io.ts';
import { labelsOf } from '../../notes/find.ts';

/** Replaces labels by the values of their groups in the flags of a command. Throws `invalid` if a flag is neither. */
export async function resolveGroups(command: Command, io: Io): Promise<void> {
  const flags: Readonly<Record<string, string>> = command.opts();
  for (const name of ['group', 'whereGroup']) {
    const given = flags[name];
    if (given !== undefined) command.setOptionValue(name, await groupNamed(given, labelsOf({ flags, io })));
  }
}

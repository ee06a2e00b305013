import { ConfigError } from '../../config.ts';
import { groups } from '../../core/enums.ts';
import { groupCalled, type Labels, parseLabels } from '../../core/labels.ts';
import { type NoteFlags, withExamples, withStoreFlags } from '../flags.ts';
import type { AddCommand, Io } from '../io.ts';
import { openNotes, openOrCreateNotes } from '../notes/open.ts';
import { printable } from '../terminal/style.ts';

export const addLabels: AddCommand = (program, io, run) => {
  const command = program
    .command('labels [group=label...]')
    .summary('show the labels of the groups, or set them')
    .description('show the labels of the groups, or set some of them; a group without a label is called by its value')
    .option('--json', 'as JSON');
  withExamples(withStoreFlags(command), [
    ['notes labels', 'the labels of all five'],
    ['notes labels first=Work "second=At home"', ''],
    ['notes labels first=', 'removes its label'],
    ['notes list -g work', 'a label stands for its group'],
  ]).action(
    run(async (pairs: string[], flags: NoteFlags) => {
      await using store = await (pairs.length === 0 ? openNotes : openOrCreateNotes)(io, flags);
      const labels = await store.labels();
      print(pairs.length === 0 ? labels : await store.setLabels(parseLabels(changed(labels, pairs))), flags, io);
    }),
  );
};

const anyGroup = `one of ${groups.join(', ')}`;

/** Returns the labels with the given changes. Throws `ConfigError` if one is not a pair. */
function changed(labels: Labels, pairs: readonly string[]): Record<string, string | null> {
  const given = pairs.map((pair) => {
    const [, name = '', label = ''] = /^([^=]*)=(.*)$/s.exec(pair) ?? [];
    const group = groupCalled(name, labels);
    if (group === undefined) throw new ConfigError(`"${pair}" must be <group>=<label>, where <group> is ${anyGroup}`);
    return [group, label.trim() || null];
  });
  return { ...labels, ...Object.fromEntries(given) };
}

/** Prints tab-separated lines unless stdout is a terminal. The second field is empty for a group without a label. */
function print(labels: Labels, { json = false }: NoteFlags, { stdout }: Io): void {
  const lines = groups.map((group) => {
    const label = printable(labels[group] ?? '');
    return stdout.isTTY ? `${group.padEnd(8)}${label}`.trimEnd() : `${group}\t${label}`;
  });
  stdout.write(json ? `${JSON.stringify(labels)}\n` : `${lines.join('\n')}\n`);
}

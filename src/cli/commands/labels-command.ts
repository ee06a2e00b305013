import { ConfigError } from '../../config.ts';
import { groups } from '../../core/enums.ts';
import { findGroup, type Labels, parseLabels } from '../../core/group-labels.ts';
import type { NoteFlags } from '../flag-types.ts';
import { addExamples, addStoreFlags } from '../flags.ts';
import type { DefineCommand, Io } from '../io.ts';
import { openNotes, openOrCreateNotes } from '../notes/open-notes.ts';
import { toPrintableLine } from '../terminal/printable-text.ts';

export const defineLabelsCommand: DefineCommand = (program, io, run) => {
  const command = program
    .command('labels [group=label...]')
    .summary('show the labels of the groups, or set them')
    .description('show the labels of the groups, or set some of them; a group without a label is called by its value')
    .option('--json', 'as JSON');
  addExamples(addStoreFlags(command), [
    ['notes labels', 'the labels of all five'],
    ['notes labels first=Work "second=At home"', ''],
    ['notes labels first=', 'removes its label'],
    ['notes list -g work', 'a label stands for its group'],
  ]).action(
    run(async (pairs: string[], flags: NoteFlags) => {
      await using store = await (pairs.length === 0 ? openNotes : openOrCreateNotes)(io, flags);
      const labels = await store.labels();
      printGroupLabels(
        pairs.length === 0 ? labels : await store.setLabels(parseLabels(applyLabelPairs(labels, pairs))),
        flags,
        io,
      );
    }),
  );
};

const groupNames = `one of ${groups.join(', ')}`;

/** Returns the labels with the changes of pairs such as `first=Work`. Throws `ConfigError` for what is no pair. */
function applyLabelPairs(labels: Labels, pairs: readonly string[]): Record<string, string | null> {
  const changes = pairs.map((pair) => {
    const [, name = '', label = ''] = /^([^=]*)=(.*)$/s.exec(pair) ?? [];
    const group = findGroup(name, labels);
    if (group === undefined) throw new ConfigError(`"${pair}" must be <group>=<label>, where <group> is ${groupNames}`);
    return [group, label.trim() || null];
  });
  return { ...labels, ...Object.fromEntries(changes) };
}

/** Prints tab-separated lines unless stdout is a terminal. The second field is empty for a group without a label. */
function printGroupLabels(labels: Labels, { json = false }: NoteFlags, { stdout }: Io): void {
  const lines = groups.map((group) => {
    const label = toPrintableLine(labels[group] ?? '');
    return stdout.isTTY ? `${group.padEnd(8)}${label}`.trimEnd() : `${group}\t${label}`;
  });
  stdout.write(json ? `${JSON.stringify(labels)}\n` : `${lines.join('\n')}\n`);
}

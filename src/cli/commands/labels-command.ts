import { ConfigError } from '../../config/config.ts';
import { categories, groups } from '../../core/enums.ts';
import {
  findByValueOrLabel,
  type LabelChanges,
  type Labels,
  parseLabelChangesFromBody,
} from '../../core/value-labels.ts';
import type { NoteFlags } from '../flag-types.ts';
import { addStoreFlags, prependExamplesToHelp } from '../flags.ts';
import type { Io, RegisterCommand } from '../io.ts';
import { openNoteStoreOrEmptyDefault, openOrCreateNoteStore } from '../notes/open-note-store.ts';
import { toPrintableLine } from '../terminal/printable-text.ts';

export const registerLabelsCommand: RegisterCommand = (program, io, run) => {
  const command = program
    .command('labels [value=label...]')
    .summary('show the labels of groups and categories, or set them')
    .description(
      'show the labels of groups and categories, or set some of them; what has no label is called by its value',
    )
    .option('--json', 'as JSON');
  prependExamplesToHelp(addStoreFlags(command), [
    ['notes labels', 'all labels'],
    ['notes labels first=Work "second=At home"', ''],
    ['notes labels css=Styles', 'a category'],
    ['notes labels first=', 'removes its label'],
    ['notes list -g work -c styles', 'a label stands for its value'],
  ]).action(
    run(async (pairs: string[], flags: NoteFlags) => {
      await using store = await (pairs.length === 0 ? openNoteStoreOrEmptyDefault : openOrCreateNoteStore)(io, flags);
      const labels = await store.labels();
      printLabels(pairs.length === 0 ? labels : await store.setLabels(parseLabelPairs(labels, pairs)), flags, io);
    }),
  );
};

const labelledValues = [...groups, ...categories] as const;
const valueWidth = Math.max(...labelledValues.map((value) => value.length));

/**
 * Parses pairs such as `first=Work` as changes of these labels. Throws `ConfigError` for what is no pair, and `invalid`
 * for a label that breaks a rule. Categories that no pair names are left out, as older services have no labels for
 * them.
 */
function parseLabelPairs(labels: Labels, pairs: readonly string[]): LabelChanges {
  const changes = pairs.map((pair) => {
    const [, name = '', label = ''] = /^([^=]*)=(.*)$/s.exec(pair) ?? [];
    const value = findByValueOrLabel('group', name, labels) ?? findByValueOrLabel('category', name, labels);
    if (value !== undefined) return [value, label.trim() || null];
    throw new ConfigError(`"${pair}" must be <value>=<label>, where <value> is one of ${labelledValues.join(', ')}`);
  });
  const ofGroups = groups.map((group) => [group, labels[group]]);
  return parseLabelChangesFromBody(Object.fromEntries([...ofGroups, ...changes]));
}

/** Prints tab-separated lines unless stdout is a terminal. The second field is empty for a value without a label. */
function printLabels(labels: Labels, { json = false }: NoteFlags, { stdout }: Io): void {
  const lines = labelledValues.map((value) => {
    const label = toPrintableLine(labels[value] ?? '');
    return stdout.isTTY ? `${value.padEnd(valueWidth + 2)}${label}`.trimEnd() : `${value}\t${label}`;
  });
  stdout.write(json ? `${JSON.stringify(labels)}\n` : `${lines.join('\n')}\n`);
}

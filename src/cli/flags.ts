import { type Command, InvalidArgumentError, Option } from 'commander';
import { colors, draftDefaults, fieldValues } from '../core/enums.ts';
import type { LabelledField } from '../core/value-labels.ts';
import type { Io } from './io.ts';

type Row = readonly [text: string, meaning: string];

/** Prepends examples to the help of a command. */
export const prependExamplesToHelp = (command: Command, examples: readonly Row[]): Command =>
  command.addHelpText('before', formatTwoColumnSection('Examples:', examples));

/** Formats rows of texts and their meanings below a heading. */
export function formatTwoColumnSection(heading: string, rows: readonly Row[]): string {
  const width = Math.max(...rows.map(([text, meaning]) => (meaning === '' ? 0 : text.length)));
  const lines = rows.map(([text, meaning]) => `  ${text.padEnd(width)}  ${meaning}`.trimEnd());
  return `${[heading, ...lines].join('\n')}\n`;
}

/** Parses the value of a flag as a whole number of at least 1. Throws `InvalidArgumentError`. */
export function parsePositiveInteger(text: string): number {
  if (!/^[1-9]\d{0,8}$/.test(text)) throw new InvalidArgumentError('It must be a whole number, 1 or more.');
  return Number(text);
}

/** Adds the flags that name a service or a database. */
export const addStoreFlags = (command: Command): Command =>
  addDatabaseFlag(command.option('--url <url>', 'use the service at this address (NOTES_URL)'));

/** Adds the flag for commands that need the database itself. */
export const addDatabaseFlag = (command: Command): Command =>
  command.option('--db <database>', 'use this database: a file, or any value of DATABASE_URL (DATABASE_URL)');

/** Creates an option for values separated by commas, which may be repeated. */
const createChoiceListOption = (flags: string, description: string, values: readonly string[]): Option =>
  new Option(flags, description).choices(values).argParser((text, before: readonly string[] = []) => {
    const typed = text.split(',');
    if (typed.every((value) => values.includes(value))) return [...before, ...typed];
    throw new InvalidArgumentError(`Allowed choices are ${values.join(', ')}.`);
  });

/** Adds an option with values of a field or their labels; when the action runs, it holds values. */
const addOptionThatResolvesLabels = (command: Command, io: Io, field: LabelledField, option: Option): Command =>
  command.addOption(option).hook('preAction', async () => {
    if (command.getOptionValue(option.attributeName()) === undefined) return;
    const { resolveLabelsToValuesAndSetOption } = await import('./notes/label-option.ts');
    await resolveLabelsToValuesAndSetOption(command, option, field, io);
  });

/** Adds an option with one value of a field, or its label. */
const addFieldValueOption = (command: Command, io: Io, field: LabelledField, flags: string, help: string): Command =>
  addOptionThatResolvesLabels(
    command,
    io,
    field,
    new Option(flags, help).choices(fieldValues[field]).argParser(String), // which accepts labels too
  );

/** Adds an option with values of a field or their labels, separated by commas. The option may be repeated. */
export const addValueListOption = (
  command: Command,
  io: Io,
  field: LabelledField,
  flags: string,
  help: string,
): Command =>
  addOptionThatResolvesLabels(
    command,
    io,
    field,
    new Option(flags, help)
      .choices(fieldValues[field])
      .argParser((text, before: readonly string[] = []) => [...before, text]),
  );

/** Adds the flags for category and group to a command. */
export function addCategoryAndGroupFilterFlags(command: Command, io: Io): Command {
  addValueListOption(command, io, 'category', '-c, --category <categories>', 'only of these categories');
  addValueListOption(command, io, 'group', '-g, --group <groups>', 'only of these groups');
  return command;
}

/** Adds all flags that select notes to a command. */
export const addFilterFlags = (command: Command, io: Io): Command =>
  addCategoryAndGroupFilterFlags(command, io)
    .addOption(createChoiceListOption('--color <colors>', 'only of these colors', colors))
    .addOption(new Option('--archived', 'only archived notes').conflicts('all'))
    .addOption(new Option('-a, --all', 'archived notes too'));

/** Adds the flags for these fields to a command. */
export function addCategoryGroupAndColorFlags(command: Command, io: Io, showsDefaults: boolean): Command {
  const help = (name: keyof typeof draftDefaults) =>
    `its ${name}${showsDefaults ? ` (else ${draftDefaults[name]})` : ''}`;
  addFieldValueOption(command, io, 'category', '-c, --category <category>', help('category'));
  addFieldValueOption(command, io, 'group', '-g, --group <group>', help('group'));
  return command.addOption(new Option('--color <color>', help('color')).choices(colors));
}

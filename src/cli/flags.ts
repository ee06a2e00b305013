import { type Command, InvalidArgumentError, Option } from 'commander';
import { categories, colors, draftDefaults, groups } from '../core/enums.ts';
import type { Io } from './io.ts';

type Row = readonly [text: string, meaning: string];

/** Prepends examples to the help of a command. */
export const addExamples = (command: Command, examples: readonly Row[]): Command =>
  command.addHelpText('before', formatTwoColumns('Examples:', examples));

/** Formats rows of texts and their meanings below a heading. */
export function formatTwoColumns(heading: string, rows: readonly Row[]): string {
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
export const createListOption = (flags: string, description: string, values: readonly string[]): Option =>
  new Option(flags, description).choices(values).argParser((text, before: readonly string[] = []) => {
    const typed = text.split(',');
    if (typed.every((value) => values.includes(value))) return [...before, ...typed];
    throw new InvalidArgumentError(`Allowed choices are ${values.join(', ')}.`);
  });

/** Adds an option with groups or their labels; when the action runs, it holds groups. */
export const addLabelResolvingGroupOption = (command: Command, io: Io, option: Option): Command =>
  command.addOption(option).hook('preAction', async () => {
    if (command.getOptionValue(option.attributeName()) === undefined) return;
    const { replaceLabelsInGroupOption } = await import('./notes/select-notes.ts');
    await replaceLabelsInGroupOption(command, option, io);
  });

/** Creates an option for `addLabelResolvingGroupOption`, for values separated by commas, which may be repeated. */
export const createGroupsOption = (flags: string, description: string): Option =>
  new Option(flags, description).choices(groups).argParser((text, before: readonly string[] = []) => [...before, text]);

/** Adds the flags for category and group to a command. */
export const addCategoryAndGroupFlags = (command: Command, io: Io): Command =>
  addLabelResolvingGroupOption(
    command.addOption(createListOption('-c, --category <categories>', 'only of these categories', categories)),
    io,
    createGroupsOption('-g, --group <groups>', 'only of these groups'),
  );

/** Adds all flags that select notes to a command. */
export const addFilterFlags = (command: Command, io: Io): Command =>
  addCategoryAndGroupFlags(command, io)
    .addOption(createListOption('--color <colors>', 'only of these colors', colors))
    .addOption(new Option('--archived', 'only archived notes').conflicts('all'))
    .addOption(new Option('-a, --all', 'archived notes too'));

/** Adds the flags for these fields to a command. */
export function addDraftFlags(command: Command, io: Io, showsDefaults: boolean): Command {
  const help = (name: keyof typeof draftDefaults) =>
    `its ${name}${showsDefaults ? ` (else ${draftDefaults[name]})` : ''}`;
  command.addOption(new Option('-c, --category <category>', help('category')).choices(categories));
  addLabelResolvingGroupOption(
    command,
    io,
    new Option('-g, --group <group>', help('group')).choices(groups).argParser(String),
  );
  return command.addOption(new Option('--color <color>', help('color')).choices(colors));
}

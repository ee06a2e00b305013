import { type Command, InvalidArgumentError, Option } from 'commander';
import { categories, colors, draftDefaults, groups } from '../core/enums.ts';
import type { Note, NoteDraft } from '../core/note.ts';
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

/** Orders of a list: by the last change or by creation, the newest first; or by title. */
export const sortOrders = ['updated', 'created', 'title'] as const;
export type SortOrder = (typeof sortOrders)[number];

/** Flags that select the store a command works on. */
export interface StoreFlags {
  /** Address of a running service. */
  readonly url?: string;
  /** A file, or a value of `DATABASE_URL`. */
  readonly db?: string;
}

/** Flags that many commands on notes have. */
export interface NoteFlags extends StoreFlags {
  /** Whether to print JSON. */
  readonly json?: boolean;
  /** Whether to change notes without asking. */
  readonly yes?: boolean;
}

/** Adds the flags that name a service or a database. */
export const addStoreFlags = (command: Command): Command =>
  addDatabaseFlag(command.option('--url <url>', 'use the service at this address (NOTES_URL)'));

/** Adds the flag for commands that need the database itself. */
export const addDatabaseFlag = (command: Command): Command =>
  command.option('--db <database>', 'use this database: a file, or any value of DATABASE_URL (DATABASE_URL)');

/** Flags that select notes: each passes any of its values. Archived notes are excluded unless asked for. */
export interface FilterFlags {
  readonly category?: readonly Note['category'][];
  readonly group?: readonly Note['group'][];
  readonly color?: readonly Note['color'][];
  readonly archived?: boolean | undefined;
  readonly all?: boolean;
}

/** An option that takes values separated by commas, and may be repeated. */
export const createListOption = (flags: string, description: string, values: readonly string[]): Option =>
  new Option(flags, description).choices(values).argParser((text, before: readonly string[] = []) => {
    const given = text.split(',');
    if (given.every((value) => values.includes(value))) return [...before, ...given];
    throw new InvalidArgumentError(`Allowed choices are ${values.join(', ')}.`);
  });

/** Adds an option with groups or their labels; when the action runs, it holds groups. */
export const addGroupOption = (command: Command, io: Io, option: Option): Command =>
  command.addOption(option).hook('preAction', async () => {
    if (command.getOptionValue(option.attributeName()) === undefined) return;
    const { resolveGroupOption } = await import('./notes/select-notes.ts');
    await resolveGroupOption(command, option, io);
  });

/** An option for `withGroups` that takes values separated by commas, and may be repeated. */
export const createGroupsOption = (flags: string, description: string): Option =>
  new Option(flags, description).choices(groups).argParser((text, before: readonly string[] = []) => [...before, text]);

/** Adds the flags for category and group to a command. */
export const addCategoryAndGroupFlags = (command: Command, io: Io): Command =>
  addGroupOption(
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

export type DraftFlags = Partial<Pick<NoteDraft, 'category' | 'group' | 'color'>>;

/** Adds the flags for these fields to a command. */
export function addDraftFlags(command: Command, io: Io, showsDefaults: boolean): Command {
  const help = (name: keyof typeof draftDefaults) =>
    `its ${name}${showsDefaults ? ` (else ${draftDefaults[name]})` : ''}`;
  command.addOption(new Option('-c, --category <category>', help('category')).choices(categories));
  addGroupOption(command, io, new Option('-g, --group <group>', help('group')).choices(groups).argParser(String));
  return command.addOption(new Option('--color <color>', help('color')).choices(colors));
}

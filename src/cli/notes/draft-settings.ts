import { type Command, Option } from 'commander';
import { ConfigError, type Environment } from '../../config.ts';
import { categories, colors, groups } from '../../domain/enums.ts';
import type { NoteDraft } from '../../domain/note.ts';
import { asGiven } from './filter.ts';

type Choices = Pick<NoteDraft, 'category' | 'group' | 'color'>;

/** Flags, variables and defaults for the fields of a new note. */
const draftSettings = {
  category: { flag: '-c, --category <category>', variable: 'NOTES_CATEGORY', values: categories, fallback: 'notes' },
  group: { flag: '-g, --group <group>', variable: 'NOTES_GROUP', values: groups, fallback: 'first' },
  color: { flag: '--color <color>', variable: 'NOTES_COLOR', values: colors, fallback: 'neutral' },
} as const;

/** Adds the flags for these fields to a command. */
export function withChoices(command: Command, showsDefaults: boolean): Command {
  for (const [name, { flag, variable, values, fallback }] of Object.entries(draftSettings)) {
    const help = showsDefaults ? `its ${name} (${variable}, else ${fallback})` : `its ${name}`;
    const option = new Option(flag, help).choices(values);
    command.addOption(name === 'group' ? option.argParser(asGiven) : option);
  }
  return command;
}

/** Returns the values given by flags, else by the environment, else the defaults. Throws `ConfigError`. */
export function chosen(env: Environment, flags: Partial<Choices>): Choices {
  const choose = <const Value extends string>(
    given: Value | undefined,
    { variable, values, fallback }: { variable: string; values: readonly Value[]; fallback: Value },
  ): Value => {
    if (given !== undefined) return given;
    const text = env[variable] || fallback;
    const value = values.find((allowed) => allowed === text);
    if (value === undefined) throw new ConfigError(`${variable} must be one of ${values.join(', ')}, not "${text}"`);
    return value;
  };
  return {
    category: choose(flags.category, draftSettings.category),
    group: choose(flags.group, draftSettings.group),
    color: choose(flags.color, draftSettings.color),
  };
}

import { type Command, Option } from 'commander';
import { categories, colors, draftDefaults, groups } from '../../core/enums.ts';
import type { NoteDraft } from '../../core/note.ts';
import { identity } from './filter.ts';

export { draftDefaults };

export type DraftFlags = Partial<Pick<NoteDraft, 'category' | 'group' | 'color'>>;

/** Adds the flags for these fields to a command. */
export function withDraftFlags(command: Command, showsDefaults: boolean): Command {
  const help = (name: keyof typeof draftDefaults) =>
    `its ${name}${showsDefaults ? ` (else ${draftDefaults[name]})` : ''}`;
  return command
    .addOption(new Option('-c, --category <category>', help('category')).choices(categories))
    .addOption(new Option('-g, --group <group>', help('group')).choices(groups).argParser(identity))
    .addOption(new Option('--color <color>', help('color')).choices(colors));
}

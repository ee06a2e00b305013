import type { Command, Option } from 'commander';

export const shells = ['bash', 'zsh', 'fish'] as const;
export type Shell = (typeof shells)[number];

/** Words that can follow `notes`, taken from the command tree. */
export interface CommandWords {
  /** Its name, then its aliases. */
  readonly names: readonly string[];
  readonly description: string;
  readonly options: readonly OptionWords[];
  /** Values of its first argument; `notes` means ids of notes. */
  readonly argument: readonly string[] | 'notes' | 'files';
}

export interface OptionWords {
  /** `-c` and `--category`, or one of them. */
  readonly flags: readonly string[];
  readonly description: string;
  /** Its value: `none`, one of these words, a file, or any text. */
  readonly value: readonly string[] | 'none' | 'file' | 'text';
}

/** Commands that take the id of an existing note. */
const onNotes: readonly string[] = ['show', 'edit', 'archive', 'unarchive', 'history', 'revert'];

export function wordsOf(program: Command): readonly CommandWords[] {
  const help = program.createHelp();
  return help.visibleCommands(program).map((command) => ({
    names: [command.name(), ...command.aliases()],
    description: command.summary(),
    options: help.visibleOptions(command).map(optionWords),
    argument: command.name() === 'help' ? program.commands.map((other) => other.name()) : argumentOf(command),
  }));
}

function argumentOf(command: Command): CommandWords['argument'] {
  if (onNotes.includes(command.name())) return 'notes';
  const [first] = command.registeredArguments;
  if (first !== undefined && isFile(first.name())) return 'files';
  return first?.argChoices ?? [];
}

function optionWords({ short, long, description, flags, argChoices }: Option): OptionWords {
  const [, name] = /[<[]([^\]>]+)[\]>]/.exec(flags) ?? [];
  return {
    flags: [short, long].filter((flag) => flag !== undefined),
    description: firstSentence(description),
    value: name === undefined ? 'none' : (argChoices ?? (isFile(name) ? 'file' : 'text')),
  };
}

const isFile = (name: string) => /^(file|folder|path|store|source|target|backup)/.test(name);

/** Shells show one short line. */
const firstSentence = (text: string) => text.split(/[\n;]|\. /, 1)[0] ?? '';

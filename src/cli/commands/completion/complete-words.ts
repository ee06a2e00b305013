import type { Command, Option } from 'commander';
import type { NoteHead } from '../../../core/note.ts';
import { NoteArgument } from '../../notes/note-argument.ts';

/** What can stand for the last word. `ids` are shown with the titles of their notes; the shell finds `files` itself. */
interface Completion {
  readonly kind: 'words' | 'ids' | 'files';
  readonly choices: readonly (readonly [value: string, meaning: string])[];
}

const files: Completion = { kind: 'files', choices: [] };

const createCompletionOfWords = (choices: Completion['choices']): Completion => ({ kind: 'words', choices });

export type Named = Pick<NoteHead, 'id' | 'title'>;

type ReadNewest = (archived: boolean) => Promise<readonly Named[]>;

/** Completes the last of the words that follow `notes`. */
export async function completeWords(
  program: Command,
  [name = '', ...others]: readonly string[],
  readNewest: ReadNewest,
): Promise<Completion> {
  if (others.length === 0)
    return name.startsWith('-') ? completeFlagName(program, name) : completeCommandName(program, name);
  const command = program.commands.find((one) => [one.name(), ...one.aliases()].includes(name));
  if (command === undefined) return createCompletionOfWords([]);
  const { operands, option, typed, start } = interpretTypedWords(command, others);
  if (option !== undefined) return completeOptionValue(option, typed, start);
  if (typed.startsWith('-')) return completeFlagName(command, typed);
  if (command.name() === 'help') return completeCommandName(program, typed);
  const [argument] = command.registeredArguments;
  if (argument instanceof NoteArgument)
    return completeNoteIdOrTitle(await readNewest(argument.isArchived), operands, typed);
  if (argument !== undefined && isFileArgumentName(argument.name())) return files;
  return createCompletionOfWords(filterByPrefix(argument?.argChoices ?? [], typed).map((value) => [value, '']));
}

interface ParsedWords {
  readonly operands: readonly string[];
  /** The option whose value is typed. */
  readonly option?: Option;
  readonly typed: string;
  /** What comes before the typed value in the same word: `--category=`. */
  readonly start: string;
}

/**
 * Splits the words after a command; the last one is being typed. `--flag=value` may be one word, or three, as bash
 * splits it. `undo -c css,n` gives the operand `undo`, the option `-c`, and `css,n` as typed.
 */
function interpretTypedWords(command: Command, words: readonly string[]): ParsedWords {
  const findOption = (word: string) =>
    command.options.find(({ short, long, flags }) => /[<[]/.test(flags) && [short, long].includes(word));
  const operands: string[] = [];
  let option: Option | undefined;
  for (const word of words.slice(0, -1)) {
    if (word === '=') continue;
    const isValue = option !== undefined;
    option = isValue ? undefined : findOption(word);
    if (!isValue && option === undefined && !word.startsWith('-')) operands.push(word);
  }
  const last = words.at(-1) ?? '';
  const [start = '', flag = ''] = /^(--[\w-]+)=/.exec(last) ?? [];
  const openOption = option ?? findOption(flag);
  const typed = last === '=' ? '' : last.slice(start.length);
  return { operands, typed, start, ...(openOption && { option: openOption }) };
}

const filterByPrefix = (values: readonly string[], typed: string) => values.filter((value) => value.startsWith(typed));

function completeCommandName(program: Command, typed: string): Completion {
  const named = program.createHelp().visibleCommands(program);
  const choices = named.flatMap((one) =>
    filterByPrefix([one.name(), ...one.aliases()], typed).map((name) => [name, one.summary()] as const),
  );
  return createCompletionOfWords(choices);
}

function completeFlagName(command: Command, typed: string): Completion {
  const options = command.createHelp().visibleOptions(command);
  const choices = options.flatMap(({ short = '', long = '', description }) =>
    filterByPrefix([short, long].filter(Boolean), typed).map(
      (flag) => [flag, cutAtSentenceEndOrSemicolon(description)] as const,
    ),
  );
  return createCompletionOfWords(choices);
}

/** Returns the text up to the first semicolon, sentence or line end, since shells show one short line. */
const cutAtSentenceEndOrSemicolon = (text: string) => text.split(/[\n;]|\. /, 1)[0] ?? '';

/** Completes the last of the values that commas separate. */
function completeOptionValue({ argChoices, flags }: Option, typed: string, start: string): Completion {
  const [, name = ''] = /[<[]([^\]>]+)[\]>]/.exec(flags) ?? [];
  if (argChoices === undefined) return isFileArgumentName(name) ? files : createCompletionOfWords([]);
  const before = typed.slice(0, typed.lastIndexOf(',') + 1);
  return createCompletionOfWords(
    filterByPrefix(argChoices, typed.slice(before.length)).map((value) => [start + before + value, '']),
  );
}

const isFileArgumentName = (name: string) => /^(file|folder|path|database|source|target|backup)/.test(name);

/**
 * Completes the argument that names a note. Digits become the ids that begin with them. Words become the titles that
 * begin with them; as a shell replaces only the last word, a choice is the part of the title from that word on. For the
 * words `undo t`, the title `Undo the last commit` gives the choice `the last commit`.
 */
function completeNoteIdOrTitle(notes: readonly Named[], operands: readonly string[], typed: string): Completion {
  if (operands.length === 0 && /^\d*$/.test(typed)) {
    const found = notes.filter(({ id }) => String(id).startsWith(typed));
    return { kind: 'ids', choices: found.map(({ id, title }) => [String(id), replaceControlsByBlanks(title)]) };
  }
  const line = [...operands, typed].join(' ').toLowerCase();
  const titles = notes.map(({ title }) => title).filter((title) => title.toLowerCase().startsWith(line));
  const choices = titles.filter((title) => replaceControlsByBlanks(title) === title);
  return createCompletionOfWords([...new Set(choices)].map((title) => [title.slice(line.length - typed.length), '']));
}

/** Replaces the control characters of a title, which would break a line. */
const replaceControlsByBlanks = (title: string) => title.replace(/[\p{Cc}\p{Cf}\u2028\u2029]/gu, ' ');

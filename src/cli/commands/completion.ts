import { Argument, type Command, type Option } from 'commander';
import type { NoteHead } from '../../core/note.ts';
import { withExamples } from '../flags.ts';
import type { AddCommand, Io } from '../io.ts';
import { findNotes } from '../notes/filter.ts';
import { openNotes } from '../notes/open.ts';

export const shells = ['bash', 'zsh', 'fish'] as const;
export type Shell = (typeof shells)[number];

export const addCompletion: AddCommand = (program, io, run) => {
  const command = program
    .command('completion')
    .summary('print a completion script for a shell')
    .description('print a script that makes a shell complete commands, options and their values, ids and titles')
    .addArgument(new Argument('<shell>').choices(shells));
  withExamples(command, [
    ['eval "$(notes completion bash)"', 'in ~/.bashrc'],
    ['eval "$(notes completion zsh)"', 'in ~/.zshrc, after compinit'],
    ['notes completion fish | source', 'in ~/.config/fish/config.fish'],
  ]).action(run(async (shell: Shell) => void io.stdout.write(scripts[shell])));
};

/** Called by the scripts with the words of a line up to the cursor. */
export const addComplete: AddCommand = (program, io, run) => {
  program
    .command('complete', { hidden: true })
    .argument('[words...]')
    .action(
      run(async ([, ...words]: string[]) => {
        const { kind, choices } = await completionOf(program, words, (archived) => newestIn(io, archived));
        const lines = choices.map(([value, meaning]) => `${value}\t${meaning}\n`);
        io.stdout.write(`${kind}\n${lines.join('')}`);
      }),
    );
};

/** What can stand for the last word. `ids` are shown with the titles of their notes; the shell finds `files` itself. */
interface Completion {
  readonly kind: 'words' | 'ids' | 'files';
  readonly choices: readonly (readonly [value: string, meaning: string])[];
}

const files: Completion = { kind: 'files', choices: [] };
const wordsOf = (choices: Completion['choices']): Completion => ({ kind: 'words', choices });

type Named = Pick<NoteHead, 'id' | 'title'>;
type ReadNewest = (archived: boolean) => Promise<readonly Named[]>;

/** Commands that take an existing note. */
const onNotes: readonly string[] = ['show', 'copy', 'edit', 'archive', 'unarchive', 'history', 'revert'];

/** Completes the last of the words that follow `notes`. */
export async function completionOf(
  program: Command,
  [name = '', ...others]: readonly string[],
  newest: ReadNewest,
): Promise<Completion> {
  if (others.length === 0) return name.startsWith('-') ? flagsOf(program, name) : commandsOf(program, name);
  const command = program.commands.find((one) => [one.name(), ...one.aliases()].includes(name));
  if (command === undefined) return wordsOf([]);
  const { operands, option, typed, start } = parsed(command, others);
  if (option !== undefined) return valuesOf(option, typed, start);
  if (typed.startsWith('-')) return flagsOf(command, typed);
  if (command.name() === 'help') return commandsOf(program, typed);
  if (onNotes.includes(command.name())) return notesFor(await newest(name === 'unarchive'), operands, typed);
  const [argument] = command.registeredArguments;
  if (argument !== undefined && isFile(argument.name())) return files;
  return wordsOf(begun(argument?.argChoices ?? [], typed).map((value) => [value, '']));
}

interface Parsed {
  readonly operands: readonly string[];
  /** The option whose value is typed. */
  readonly option?: Option;
  readonly typed: string;
  /** What comes before the typed value in the same word: `--category=`. */
  readonly start: string;
}

/** Splits the words after a command. Takes `--flag=value` as one word, or as three, as bash splits it. */
function parsed(command: Command, words: readonly string[]): Parsed {
  const optionOf = (word: string) =>
    command.options.find(({ short, long, flags }) => /[<[]/.test(flags) && [short, long].includes(word));
  const operands: string[] = [];
  let option: Option | undefined;
  for (const word of words.slice(0, -1)) {
    if (word === '=') continue;
    const isValue = option !== undefined;
    option = isValue ? undefined : optionOf(word);
    if (!isValue && option === undefined && !word.startsWith('-')) operands.push(word);
  }
  const last = words.at(-1) ?? '';
  const [start = '', flag = ''] = /^(--[\w-]+)=/.exec(last) ?? [];
  const given = option ?? optionOf(flag);
  const typed = last === '=' ? '' : last.slice(start.length);
  return { operands, typed, start, ...(given && { option: given }) };
}

const begun = (values: readonly string[], typed: string) => values.filter((value) => value.startsWith(typed));

function commandsOf(program: Command, typed: string): Completion {
  const named = program.createHelp().visibleCommands(program);
  const choices = named.flatMap((one) =>
    begun([one.name(), ...one.aliases()], typed).map((name) => [name, one.summary()] as const),
  );
  return wordsOf(choices);
}

function flagsOf(command: Command, typed: string): Completion {
  const options = command.createHelp().visibleOptions(command);
  const choices = options.flatMap(({ short = '', long = '', description }) =>
    begun([short, long].filter(Boolean), typed).map((flag) => [flag, firstSentence(description)] as const),
  );
  return wordsOf(choices);
}

/** Shells show one short line. */
const firstSentence = (text: string) => text.split(/[\n;]|\. /, 1)[0] ?? '';

/** Completes the last of the values that commas separate. */
function valuesOf({ argChoices, flags }: Option, typed: string, start: string): Completion {
  const [, name = ''] = /[<[]([^\]>]+)[\]>]/.exec(flags) ?? [];
  if (argChoices === undefined) return isFile(name) ? files : wordsOf([]);
  const before = typed.slice(0, typed.lastIndexOf(',') + 1);
  return wordsOf(begun(argChoices, typed.slice(before.length)).map((value) => [start + before + value, '']));
}

const isFile = (name: string) => /^(file|folder|path|database|source|target|backup)/.test(name);

/** Ids for digits, or else the rests of titles that begin with the words. */
function notesFor(notes: readonly Named[], operands: readonly string[], typed: string): Completion {
  if (operands.length === 0 && /^\d*$/.test(typed)) {
    const found = notes.filter(({ id }) => String(id).startsWith(typed));
    return { kind: 'ids', choices: found.map(({ id, title }) => [String(id), inLine(title)]) };
  }
  const line = [...operands, typed].join(' ').toLowerCase();
  const titles = notes.map(({ title }) => title).filter((title) => title.toLowerCase().startsWith(line));
  const choices = titles.filter((title) => inLine(title) === title);
  return wordsOf([...new Set(choices)].map((title) => [title.slice(line.length - typed.length), '']));
}

/** A title without controls, which would break a line. */
const inLine = (title: string) => title.replace(/[\p{Cc}\p{Cf}\u2028\u2029]/gu, ' ');

const maxNotes = 500;

/** Without notes, or if they cannot be read, there is nothing to complete. */
async function newestIn(io: Io, archived: boolean): Promise<readonly Named[]> {
  try {
    await using store = await openNotes(io, {});
    const found =
      store.newestHeads?.({ archived, limit: maxNotes }) ?? findNotes(store, [], { archived, limit: maxNotes });
    return (await found).notes;
  } catch {
    return [];
  }
}

const scripts = {
  bash: `# In ~/.bashrc: eval "$(notes completion bash)"
_notes() {
  local IFS=$'\\n' word=\${COMP_WORDS[COMP_CWORD]} words=("\${COMP_WORDS[@]:0:COMP_CWORD+1}")
  local kind= value meaning values=() lines=()
  while IFS=$'\\t' read -r value meaning; do
    if [[ -z $kind ]]; then kind=$value; continue; fi
    lines+=("$value  \${meaning:0:60}")
    if [[ $word != [\\"\\']* ]]; then printf -v value %q "$value"; fi
    values+=("$value")
  done < <(command notes complete -- "\${words[@]//[\\\\\\"\\']/}" 2>/dev/null)
  if [[ $kind == files ]]; then
    compopt -o filenames 2>/dev/null
    COMPREPLY=($(compgen -f -- "$word"))
  elif [[ $kind == ids && \${#values[@]} -gt 1 && $COMP_TYPE != 37 ]]; then
    compopt -o nosort 2>/dev/null
    COMPREPLY=("\${lines[@]}") # bash inserts only their common prefix
  else
    COMPREPLY=("\${values[@]}")
  fi
}
complete -F _notes notes
`,
  zsh: `#compdef notes
# In ~/.zshrc, behind compinit: eval "$(notes completion zsh)"
_notes() {
  local -a lines=("\${(@f)$(command notes complete -- "\${(@Q)words[1,CURRENT]}" 2>/dev/null)}") choices
  local line
  if [[ $lines[1] == files ]]; then _files; return; fi
  for line in "\${(@)lines[2,-1]}"; do
    choices+=("\${\${line%%$'\\t'*}//:/\\\\:}:\${line#*$'\\t'}")
  done
  _describe -V notes choices
}
if [[ $funcstack[1] == _notes ]]; then _notes "$@"; else compdef _notes notes; fi
`,
  fish: `# In ~/.config/fish/config.fish: notes completion fish | source
function _notes_complete
  set -l lines (command notes complete -- (commandline -opc) (commandline -ct | string unescape) 2>/dev/null)
  if test "$lines[1]" = files
    __fish_complete_path (commandline -ct)
  else
    printf '%s\\n' $lines[2..]
  end
end
complete -c notes -f -k -a '(_notes_complete)'
`,
} as const satisfies Record<Shell, string>;

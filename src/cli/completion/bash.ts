import type { CommandWords, OptionWords } from './words.ts';

/** The completion for bash, from 3.2 on. */
export const bashCompletion = (
  commands: readonly CommandWords[],
): string => `# In ~/.bashrc: eval "$(notes completion bash)"
_notes() {
  local IFS=$'\\n' word=\${COMP_WORDS[COMP_CWORD]} before=\${COMP_WORDS[COMP_CWORD-1]} command= words= i
  # --flag=value comes as three words
  if [[ $before == = ]]; then before=\${COMP_WORDS[COMP_CWORD-2]}; fi
  if [[ $word == = ]]; then word=; fi
  for ((i = 1; i < COMP_CWORD; i++)); do
    if [[ \${COMP_WORDS[i]} != -* ]]; then command=\${COMP_WORDS[i]}; break; fi
  done
  case "$command $before" in
${commands.flatMap(optionCases).join('\n')}
  esac
  case $command in
    '') words=${wordList(commands.flatMap(({ names }) => names))} ;;
${commands.map(commandCase).join('\n')}
  esac
  COMPREPLY=($(compgen -W "$words" -- "$word"))
}
_notes_files() { compopt -o filenames 2>/dev/null; COMPREPLY=($(compgen -f -- "$1")); }
complete -F _notes notes
`;

const wordList = (words: readonly string[]) => `$'${words.join('\\n')}'`;

const optionCases = ({ names, options }: CommandWords): string[] =>
  options
    .filter(({ value }) => value !== 'none')
    .map(({ flags, value }) => {
      const patterns = names.flatMap((name) => flags.map((flag) => `'${name} ${flag}'`));
      return `    ${patterns.join('|')}) ${offerOf(value)}return ;;`;
    });

function offerOf(value: OptionWords['value']): string {
  if (value === 'file') return '_notes_files "$word"; ';
  if (typeof value === 'string') return '';
  return `COMPREPLY=($(compgen -W ${wordList(value)} -- "$word")); `;
}

function commandCase({ names, options, argument }: CommandWords): string {
  const flags = wordList(options.flatMap((option) => option.flags));
  const isFlag = `if [[ $word == -* ]]; then words=${flags}`;
  const other = argument === 'files' ? '_notes_files "$word"; return' : `words=${argumentWords(argument)}`;
  return `    ${names.join('|')}) ${isFlag}; else ${other}; fi ;;`;
}

/** Ids alone would tell a person nothing: words of a title are typed instead. */
const argumentWords = (argument: CommandWords['argument']) =>
  typeof argument === 'string' ? "''" : wordList(argument);

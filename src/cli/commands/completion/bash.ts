import type { CommandWords, OptionWords } from './words.ts';

/** Completion for bash 3.2 and later. */
export const bashCompletion = (
  commands: readonly CommandWords[],
): string => `# In ~/.bashrc: eval "$(notes completion bash)"
_notes() {
  local IFS=$'\\n' word=\${COMP_WORDS[COMP_CWORD]} before=\${COMP_WORDS[COMP_CWORD-1]} command= words= i
  # bash splits --flag=value into three words
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
_notes_ids() {
  local word=$1 id title ids=() lines=()
  shift
  if [[ $word == *[!0-9]* ]]; then return; fi
  while IFS=$'\\t' read -r id title _; do
    if [[ $id == "$word"* ]]; then ids+=("$id"); lines+=("$id  \${title:0:60}"); fi
  done < <(command notes list --limit 500 "$@" 2>/dev/null)
  if [[ \${#ids[@]} -gt 1 && $COMP_TYPE != 37 ]]; then
    compopt -o nosort 2>/dev/null
    COMPREPLY=("\${lines[@]}") # bash inserts only their common prefix
  else
    COMPREPLY=("\${ids[@]}")
  fi
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
  return `    ${names.join('|')}) ${isFlag}; else ${argumentOffer(argument, names)}; fi ;;`;
}

function argumentOffer(argument: CommandWords['argument'], names: readonly string[]): string {
  if (argument === 'files') return '_notes_files "$word"; return';
  if (argument !== 'notes') return `words=${wordList(argument)}`;
  return `_notes_ids "$word"${names.includes('unarchive') ? ' --archived' : ''}; return`;
}

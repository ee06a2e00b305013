import { inShell } from '../../../core/tools/text.ts';
import type { CommandWords, OptionWords } from './words.ts';

/** Completion for zsh, to evaluate after compinit or to save as `_notes` in fpath. */
export const zshCompletion = (commands: readonly CommandWords[]): string => `#compdef notes
# In ~/.zshrc, behind compinit: eval "$(notes completion zsh)"
_notes() {
  local state line
  local -a commands=(
${commands.flatMap(described).join('\n')}
  )
  _arguments -C '(- *)'{-h,--help}'[display help]' '(- *)'{-V,--version}'[output the version]' '1: :->command' '*:: :->rest'
  case $state in
    command) _describe command commands ;;
    rest)
      case $words[1] in
${commands.map(commandCase).join('\n')}
      esac ;;
  esac
}
_notes_ids() {
  local -a ids=("\${(@f)$(command notes list --limit 500 "$@" 2>/dev/null | cut -f 1,2 | sed 's/:/\\\\:/g' | tr '\\t' :)}")
  _describe note ids
}
if [[ $funcstack[1] == _notes ]]; then _notes "$@"; else compdef _notes notes; fi
`;

const described = ({ names, description }: CommandWords): string[] =>
  names.map((name) => `    ${inShell(`${name}:${description.replaceAll(':', '\\:')}`)}`);

function commandCase({ names, options, argument }: CommandWords): string {
  const specs = [...options.flatMap(optionSpecs), `*: :${actionOf(argument, names)}`];
  return `        ${names.join('|')}) _arguments ${specs.map(inShell).join(' ')} ;;`;
}

/** Returns the specifications of an option. A text value completes to nothing. */
function optionSpecs({ flags, description, value }: OptionWords): string[] {
  const help = `[${description.replace(/[[\]\\:]/g, '\\$&')}]`;
  const action = value === 'none' ? '' : `: :${typeof value === 'string' ? textAction[value] : `(${value.join(' ')})`}`;
  const assigned = (flag: string) => (value !== 'none' && flag.startsWith('--') ? `${flag}=` : flag);
  return flags.map((flag) => `(${flags.join(' ')})${assigned(flag)}${help}${action}`);
}

const textAction = { file: '_files', text: ' ', none: '' } as const;

/** The leading blank keeps `_arguments` from passing arguments of its own to a function. */
function actionOf(argument: CommandWords['argument'], names: readonly string[]): string {
  if (argument === 'notes') return names.includes('unarchive') ? ' _notes_ids --archived' : ' _notes_ids';
  if (argument === 'files') return '_files';
  return argument.length > 0 ? `(${argument.join(' ')})` : ' ';
}

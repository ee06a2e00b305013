import { Argument } from 'commander';
import { prependExamplesToHelp } from '../../flags.ts';
import type { RegisterCommand } from '../../io.ts';
import { type Shell, shells } from './completion-scripts.ts';

export const registerWidgetCommand: RegisterCommand = (program, io, run) => {
  const command = program
    .command('widget')
    .summary('print a script that puts notes on the prompt (Ctrl+G)')
    .description(
      'print a script for a shell: Ctrl+G searches commands for what stands on the prompt, and puts the picked one ' +
        'there without running it; Alt+G inserts any note. "notes last" needs it too',
    )
    .addArgument(new Argument('<shell>').choices(shells));
  prependExamplesToHelp(command, [
    ['eval "$(notes widget bash)"', 'in ~/.bashrc'],
    ['eval "$(notes widget zsh)"', 'in ~/.zshrc'],
    ['notes widget fish | source', 'in ~/.config/fish/config.fish'],
  ]).action(run(async (shell: Shell) => void io.stdout.write(widgets[shell])));
};

const pickCommandNote = 'show --pick --category bash-commands';
const pickAnyNote = 'show --pick';

/** Creates the function `notes` for bash and zsh. The code `reading` assigns the `$at`-th last command to `line`. */
const createShellWrapperFunction = (reading: string) => `function notes {
  if [[ $1 != last ]]; then command notes "$@"; return; fi
  local at line=
  for at in {1..20}; do
    ${reading}
    if [[ $line != *"notes last"* ]]; then break; fi
    line=
  done
  NOTES_LAST_COMMAND=$line command notes "$@"
}
`;

/**
 * Shell code that binds Ctrl+G to search commands for the line and replace it, and Alt+G to insert any note at the
 * cursor. The shell takes a picked text as typed, without running it, even if it has several lines; final line breaks
 * are dropped. The line is unchanged if no note is picked. `notes last` gets the last command other than itself in an
 * environment variable, as all users can see arguments.
 */
const widgets = {
  bash: `# In ~/.bashrc: eval "$(notes widget bash)"
_notes_replace() {
  local picked
  picked=$(command notes ${pickCommandNote} -- "$READLINE_LINE") || return 0
  READLINE_LINE=$picked
  READLINE_POINT=\${#picked}
}
_notes_insert() {
  local picked
  picked=$(command notes ${pickAnyNote}) || return 0
  READLINE_LINE=\${READLINE_LINE:0:READLINE_POINT}$picked\${READLINE_LINE:READLINE_POINT}
  READLINE_POINT=$((READLINE_POINT + \${#picked}))
}
for _notes_map in emacs-standard vi-insert; do
  bind -m "$_notes_map" -x '"\\C-g": _notes_replace'
  bind -m "$_notes_map" -x '"\\eg": _notes_insert'
done
unset _notes_map
${createShellWrapperFunction(`line=$(fc -ln -$at -$at 2>/dev/null)
    line=\${line#"\${line%%[![:space:]]*}"}`)}`,
  zsh: `# In ~/.zshrc: eval "$(notes widget zsh)"
notes-replace() {
  local picked
  if picked=$(command notes ${pickCommandNote} -- "$BUFFER" <$TTY); then BUFFER=$picked CURSOR=$#picked; fi
  zle reset-prompt
}
notes-insert() {
  local picked
  if picked=$(command notes ${pickAnyNote} <$TTY); then LBUFFER+=$picked; fi
  zle reset-prompt
}
zle -N notes-replace
zle -N notes-insert
for _notes_map in emacs viins; do
  bindkey -M $_notes_map '^G' notes-replace
  bindkey -M $_notes_map '^[g' notes-insert
done
unset _notes_map
${createShellWrapperFunction(`line=\${history[$((HISTCMD - at))]}`)}`,
  fish: `# In ~/.config/fish/config.fish: notes widget fish | source
function _notes_put
  set -l picked (command notes $argv[2..] | string collect)
  test -n "$picked"; and commandline $argv[1] -- $picked
  commandline -f repaint
end
for _notes_map in default insert
  bind -M $_notes_map \\cg '_notes_put -r ${pickCommandNote} -- (commandline)'
  bind -M $_notes_map \\eg '_notes_put -i ${pickAnyNote}'
end
set -e _notes_map
function notes
  if test "$argv[1]" != last; command notes $argv; return; end
  set -l line
  for line in $history[1..20]
    string match -q '*notes last*' -- $line; or break
    set line
  end
  NOTES_LAST_COMMAND=(string collect -- $line) command notes $argv
end
`,
} as const satisfies Record<Shell, string>;

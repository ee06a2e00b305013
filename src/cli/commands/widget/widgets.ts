import type { Shell } from '../completion/words.ts';

const commands = 'show --pick --category bash-commands';
const all = 'show --pick';

/** A function for bash and zsh. `reading` assigns the `$at`-th last command to `line`. */
const wrapper = (reading: string) => `function notes {
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
 * Shell code that binds Ctrl+G to insert a command at the cursor, and Alt+G any note. The shell inserts it as typed
 * text without running it, even if it has several lines; final line breaks are dropped. The input line is unchanged if
 * no note is picked. `notes last` gets the last command other than itself in an environment variable, as all users can
 * see arguments.
 */
export const widgets = {
  bash: `# In ~/.bashrc: eval "$(notes widget bash)"
_notes_pick() {
  local picked
  picked=$(command notes "$@") || return 0
  READLINE_LINE=\${READLINE_LINE:0:READLINE_POINT}$picked\${READLINE_LINE:READLINE_POINT}
  READLINE_POINT=$((READLINE_POINT + \${#picked}))
}
for _notes_map in emacs-standard vi-insert; do
  bind -m "$_notes_map" -x '"\\C-g": _notes_pick ${commands}'
  bind -m "$_notes_map" -x '"\\eg": _notes_pick ${all}'
done
unset _notes_map
${wrapper(`line=$(fc -ln -$at -$at 2>/dev/null)
    line=\${line#"\${line%%[![:space:]]*}"}`)}`,
  zsh: `# In ~/.zshrc: eval "$(notes widget zsh)"
_notes_pick() {
  local picked
  if picked=$(command notes "$@" <$TTY); then LBUFFER+=$picked; fi
  zle reset-prompt
}
notes-pick-command() { _notes_pick ${commands} }
notes-pick-note() { _notes_pick ${all} }
zle -N notes-pick-command
zle -N notes-pick-note
for _notes_map in emacs viins; do
  bindkey -M $_notes_map '^G' notes-pick-command
  bindkey -M $_notes_map '^[g' notes-pick-note
done
unset _notes_map
${wrapper(`line=\${history[$((HISTCMD - at))]}`)}`,
  fish: `# In ~/.config/fish/config.fish: notes widget fish | source
function _notes_pick
  set -l picked (command notes $argv | string collect)
  test -n "$picked"; and commandline -i -- $picked
  commandline -f repaint
end
for _notes_map in default insert
  bind -M $_notes_map \\cg '_notes_pick ${commands}'
  bind -M $_notes_map \\eg '_notes_pick ${all}'
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

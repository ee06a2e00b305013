export const shells = ['bash', 'zsh', 'fish'] as const;

export type Shell = (typeof shells)[number];

export const scripts = {
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

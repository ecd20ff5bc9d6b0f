import { quote } from '../../base/shown.ts';

/** The flag by which the scripts ask the program; behind it, the words of the command line up to the cursor. */
export const ASK = '--get-completions';

/**
 * What makes each shell ask the program, by the name of the shell. The program answers one word a line, or `:files`
 * for the names of files. An error of the program is no answer: nothing is printed into a line that is being typed.
 */
const SCRIPTS = {
  bash: `# Completion of solar-exporter for bash: source it, or put it into
# ~/.local/share/bash-completion/completions/solar-exporter
_solar_exporter() {
  local IFS=$'\\n'
  COMPREPLY=($("$1" ${ASK} "\${COMP_WORDS[@]:1:COMP_CWORD}" 2>/dev/null))
  if [ "\${COMPREPLY[0]}" = :files ]; then
    COMPREPLY=()
    compopt -o default
  fi
}
complete -F _solar_exporter solar-exporter
`,
  zsh: `#compdef solar-exporter
# Completion of solar-exporter for zsh: source it behind compinit, or put it as _solar-exporter into
# a folder of $fpath
_solar_exporter() {
  local -a found
  found=("\${(@f)$("$words[1]" ${ASK} "\${(@)words[2,CURRENT]}" 2>/dev/null)}")
  if [[ $found[1] == :files ]]; then
    compset -P '--*='
    _files
  else
    compadd -- \${found:#}
  fi
}
if [[ $zsh_eval_context[-1] == loadautofunc ]]; then
  _solar_exporter "$@"
else
  compdef _solar_exporter solar-exporter
fi
`,
  fish: `# Completion of solar-exporter for fish: put it into ~/.config/fish/completions/solar-exporter.fish
function __solar_exporter_words
    set -l typed (commandline -ct)
    set -l words (commandline -opc)
    set -l found ($words[1] ${ASK} $words[2..-1] "$typed" 2>/dev/null)
    if test "$found[1]" = :files
        __fish_complete_path $typed
    else
        printf '%s\\n' $found
    end
end
complete -c solar-exporter -f -a '(__solar_exporter_words)'
`,
} as const;

/** The shells that have a script. */
export const SHELLS: readonly string[] = Object.keys(SCRIPTS);

/** Returns the script of a shell, or says what is wrong with what was asked. */
export function completionScript(
  shell: string | undefined,
): { readonly answer: string } | { readonly problem: string } {
  if (shell !== undefined && Object.hasOwn(SCRIPTS, shell))
    return { answer: SCRIPTS[shell as keyof typeof SCRIPTS] };
  const accepted = `accepted: ${SHELLS.join(', ')}`;
  if (shell === undefined) return { problem: `completion: names no shell; ${accepted}` };
  return { problem: `completion: ${quote(shell)} is no shell that has a script; ${accepted}` };
}

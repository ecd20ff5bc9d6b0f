import { type Flag, FLAG_BY_NAME, isYesOrNo } from './flags.ts';

/** The flag by which the scripts ask the program; behind it, the words of the command line up to the cursor. */
export const ASK = '--get-completions';

/** What is answered instead of words where the name of a file is wanted: the shell knows its files itself. */
const FILES = ':files';

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
  if [ "\${COMPREPLY[0]}" = ${FILES} ]; then
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
  if [[ $found[1] == ${FILES} ]]; then
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
    if test "$found[1]" = ${FILES}
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

/** Returns the script of a shell; undefined for a shell that has none. */
export function completionScript(shell: string): string | undefined {
  return Object.hasOwn(SCRIPTS, shell) ? SCRIPTS[shell as keyof typeof SCRIPTS] : undefined;
}

/**
 * Lists the values that may stand in the place of the last word, which is typed in part; undefined where no value can
 * stand. It looks only at the table of options: a key pressed in a shell reads no configuration, asks
 * no service and shows no secret.
 *
 * @param words - the words behind the name of the program. Bash makes words of their own of `=` and what is around it.
 */
export function valuesFor(words: readonly string[]): readonly string[] | undefined {
  const [, name = '', sign = '', typed = ''] =
    /(?:^| )--(\S+?)( ?= ?| )(\S*)$/.exec(words.slice(-3).join(' ')) ?? [];
  const flag = FLAG_BY_NAME.get(name);
  const current = words.at(-1) ?? '';
  if (words.at(-2) === 'completion' && !current.startsWith('-'))
    return SHELLS.filter((shell) => shell.startsWith(current));
  // A yes or no takes its value behind `=` only.
  if (flag === undefined || (isYesOrNo(flag) && sign === ' ')) return undefined;
  const prefix = current.startsWith('--') ? `--${name}=` : '';
  return valuesOf(flag, typed)
    .filter((value) => value === FILES || value.startsWith(typed))
    .map((value) => (value === FILES ? value : prefix + value));
}

/** The values of a flag, as far as they can be listed. */
function valuesOf({ option }: Flag, typed: string): readonly string[] {
  if (option === undefined) return [];
  const { choices, kind } = option;
  if (choices !== undefined) return choices;
  if (kind === 'boolean') return ['true', 'false'];
  if (kind === 'durationOrAuto') return ['auto'];
  // Hundreds of names would only push what was typed off the screen.
  if (kind === 'timeZone') return typed === '' ? [] : Intl.supportedValuesOf('timeZone');
  return kind === 'path' || kind === 'textFile' ? [FILES] : [];
}

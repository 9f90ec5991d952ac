import { quoteWord } from '../../protocol/text/quoteWord.ts';
import { type CommandSpec, commandPaths, type FlagSpec, type Values } from './spec.ts';

/**
 * Generates the completion script for bash (3.2 and later, without the bash-completion package). bash also splits
 * `$words` at `=`, so a flag's value always follows its name.
 */
export function bashCompletion(root: CommandSpec): string {
  const commands = commandPaths(root);
  return `# bash completion for clawdcode: put this into ~/.bashrc
#   eval "$(clawdcode completion bash)"

_clawdcode() {
  local cur prev word at command='' flags='' takes=''
  cur=\${COMP_WORDS[COMP_CWORD]}
  prev=\${COMP_WORDS[COMP_CWORD-1]}
  [[ $cur == '=' ]] && cur=''
  [[ $prev == '=' ]] && prev=\${COMP_WORDS[COMP_CWORD-2]}
  COMPREPLY=()
  for ((at = 1; at < COMP_CWORD; at++)); do
    word=\${COMP_WORDS[at]}
    case "$command/$word" in
${commands
  .filter(({ path }) => path.length > 0)
  .map(({ path }) => {
    const word = `${path.slice(0, -1).join(' ')}/${path.at(-1)}`;
    // A subcommand must be the first argument, and its own subcommands must directly follow it.
    return `      ${quoteWord(word)}) ((at == ${path.length})) && command=${quoteWord(path.join(' '))} ;;`;
  })
  .join('\n')}
    esac
  done
  case "$command $prev" in
${commands
  .flatMap(({ path, spec }) =>
    spec.flags.filter(({ values }) => values !== undefined).map((flag) => valueCase(path, flag)),
  )
  .join('\n')}
  esac
  case "$command" in
${commands.map(({ path, spec }) => commandCase(path, spec)).join('\n')}
  esac
  if [[ $cur == -* ]]; then
    _clawdcode_words "$flags"
  elif [[ -n $takes ]]; then
    \${takes%% *} "\${takes#* }"
  fi
}

# Words that start with what was typed.
_clawdcode_words() {
  local IFS=$' \\t\\n'
  COMPREPLY=($(compgen -W "$1" -- "$cur"))
}

# Without compopt (bash 3.2) a name is inserted verbatim, so it is quoted: a file's name must not run as code.
_clawdcode_paths() {
  local path home isQuoted=1
  type compopt >/dev/null 2>&1 && isQuoted=0 && compopt -o filenames 2>/dev/null
  while IFS= read -r path; do
    home=''
    [[ $path == '~/'* ]] && { home='~/'; path=\${path:2}; }
    ((isQuoted)) && path=$(printf '%q' "$path")
    COMPREPLY+=("$home$path")
  done < <(compgen "$1" -- "$cur")
}

# Ids, or titles if no id matches.
_clawdcode_sessions() {
  local id title typed
  typed=$(printf '%s' "$cur" | tr -d '"\\\\'"'" | tr '[:upper:]' '[:lower:]')
  while IFS=$'\\t' read -r id title; do
    [[ $id == "$cur"* ]] && COMPREPLY+=("$id")
  done < <(clawdcode completion sessions 2>/dev/null)
  ((\${#COMPREPLY[@]} > 0)) && return
  while IFS=$'\\t' read -r id title; do
    if [[ $(printf '%s' "$title" | tr '[:upper:]' '[:lower:]') == "$typed"* ]]; then
      COMPREPLY+=("$(printf '%q' "$title")")
    fi
  done < <(clawdcode completion sessions 2>/dev/null)
}

complete -o default -F _clawdcode clawdcode
`;
}

/** Completes the value of a flag. If the value is optional, flags are offered, too. */
function valueCase(path: readonly string[], { names, values, isOptional }: FlagSpec): string {
  const pattern = names.map((name) => quoteWord(`${path.join(' ')} ${name}`)).join(' | ');
  const give = giveOf(values) ?? ':';
  return isOptional
    ? `    ${pattern}) [[ $cur == -* ]] || { ${give}; return; } ;;`
    : `    ${pattern}) ${give}; return ;;`;
}

function commandCase(path: readonly string[], { flags, argument, subcommands }: CommandSpec): string {
  const names = flags.flatMap((flag) => flag.names).filter((name) => name.startsWith('--'));
  const words = subcommands.map(({ name }) => name).join(' ');
  const begin = `    ${quoteWord(path.join(' '))}) flags=${quoteWord(names.join(' '))}`;
  if (words !== '')
    return `${begin}; ((COMP_CWORD == ${path.length + 1})) && takes=${quoteWord(`_clawdcode_words ${words}`)} ;;`;
  return `${begin} takes=${quoteWord((giveOf(argument) ?? '').replaceAll("'", ''))} ;;`;
}

/** Returns the shell command that completes such values; undefined if bash's own file names do. */
function giveOf(values: Values | undefined): string | undefined {
  switch (values?.type) {
    case 'choices':
      return `_clawdcode_words ${quoteWord(values.words.join(' '))}`;
    case 'sessions':
      return '_clawdcode_sessions';
    case 'files':
      return '_clawdcode_paths -f';
    case 'directories':
      return '_clawdcode_paths -d';
    default:
      return undefined;
  }
}

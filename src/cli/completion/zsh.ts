import { quoteWord } from '../../protocol/text/quoteWord.ts';
import { type CommandSpec, commandPaths, type FlagSpec, type Values } from './spec.ts';

/** Generates the completion script for zsh: one function per command, all based on `_arguments`. */
export function zshCompletion(root: CommandSpec): string {
  return `#compdef clawdcode
# zsh completion for clawdcode: keep it as a file _clawdcode in a folder of $fpath, or put this into ~/.zshrc
#   source <(clawdcode completion zsh)

${commandPaths(root)
  .map(({ path, spec }) => commandFunction(path, spec))
  .join('\n\n')}

_clawdcode_sessions() {
  local -a sessions
  local id title
  while IFS=$'\\t' read -r id title; do
    sessions+=("\${id//:/\\\\:}:$title")
  done < <(clawdcode completion sessions 2>/dev/null)
  _describe -V session sessions
}

if [[ $zsh_eval_context[-1] == loadautofunc ]]; then
  _clawdcode "$@"
else
  compdef _clawdcode clawdcode
fi
`;
}

function commandFunction(path: readonly string[], { flags, argument, subcommands }: CommandSpec): string {
  const specs = flags.flatMap(flagSpecs);
  const name = functionOf(path);
  if (subcommands.length === 0) {
    const arguments_ = argument === undefined ? [] : [quoteWord(`*: :${action(argument)}`)];
    return `${name}() {\n  _arguments -s -S ${[...specs, ...arguments_].join(' \\\n    ')}\n}`;
  }
  const rest =
    argument === undefined
      ? ''
      : ` || _arguments -s -S ${[...specs, quoteWord(`*: :${action(argument)}`)].join(' \\\n    ')}`;
  return `${name}() {
  # A subcommand has to be the first argument.
  if ((CURRENT > 2)); then
    case $words[2] in
${subcommands
  .map(
    (below) =>
      `      ${below.name}) shift words; ((CURRENT--)); ${functionOf([...path, below.name])}; return ;;`,
  )
  .join('\n')}
    esac
  else
    local -a subcommands
    subcommands=(
${subcommands.map((below) => `      ${quoteWord(`${below.name}:${below.description}`)}`).join('\n')}
    )
    [[ $PREFIX == -* ]] || _describe subcommand subcommands
  fi
  ${rest === '' ? `_arguments -s -S ${specs.join(' \\\n    ')}` : rest.slice(4)}
}`;
}

function functionOf(path: readonly string[]): string {
  return ['_clawdcode', ...path].join('_');
}

function flagSpecs({ names, description, values, isOptional }: FlagSpec): readonly string[] {
  const about = `[${description.replace(/[\\[\]:]/g, '\\$&')}]`;
  const value = values === undefined ? '' : `${isOptional ? '::' : ':'} :${action(values)}`;
  return names.map((name) => {
    const others = names.length > 1 ? `(${names.join(' ')})` : '';
    const joins = values !== undefined && name.startsWith('--') ? '=' : '';
    return quoteWord(`${others}${name}${joins}${about}${value}`);
  });
}

function action(values: Values): string {
  switch (values.type) {
    case 'choices':
      return `(${values.words.join(' ')})`;
    case 'sessions':
      return '_clawdcode_sessions';
    case 'files':
      return '_files';
    case 'directories':
      return '_files -/';
    case 'anything':
      return ' ';
  }
}

/** What is known of the builtins of bash, dash and zsh beyond what single commands do with files. Pure. */
import type { Node } from 'web-tree-sitter';

/**
 * Builtins after which a word may mean something else: they set variables, options, aliases or functions, or read
 * commands from elsewhere. `set` is one unless it only makes the shell stricter; `set -x` shows the values of variables.
 */
const changing =
  /^(?:\.|source|alias|unalias|autoload|bind|bindkey|builtin|command|compctl|coproc|declare|disable|emulate|enable|exec|export|float|fc|functions|getln|getopts|hash|hashinfo|history|integer|let|local|mapfile|noglob|nocorrect|popd|pushd|print|pushln|read|readarray|readonly|rehash|repeat|foreach|sched|select|set|setopt|shift|shopt|strftime|sysread|trap|typeset|unfunction|unhash|unset|unsetopt|vared|wait|zcompile|zformat|zle|zmodload|zparseopts|zregexparse|zstat|zstyle|zsystem)$/;

/** `set -e`, `set -euo pipefail`: the shell gives up earlier. */
export const isStricter = (args: readonly (string | null)[]): boolean =>
  args.length > 0 &&
  /^(?:(?:[-+][eu]+)(?: [-+][eu]+)*(?: -[eu]*o pipefail)?|[-+][eu]*o pipefail(?: [-+][eu]+)*)$/.test(
    args.map((word) => word ?? '?').join(' '),
  );

/** Whether a command may change what later words mean. */
export function changesShell(argv: readonly (string | null)[]): boolean {
  const [name, ...args] = argv;
  if (name === 'set') return !isStricter(args);
  if (name === 'wait') return args.some((word) => !/^\d+$/.test(word ?? ''));
  if (name === 'command') return !/^-[vV]$/.test(args[0] ?? '');
  if (name === 'printf') return args[0] == null || args[0].startsWith('-');
  return name == null || changing.test(name);
}

/** Commands whose output is one plain word, without blanks or wildcards, or numbers. */
const plain =
  /^\$\(\s*(?:pwd|whoami|hostname|nproc|date(?: \+[%\w-]+)?|date -I|uname(?: -[a-z])?|arch|git rev-parse (?:--short |--abbrev-ref |--show-toplevel ?)?(?:HEAD)?|id -[ug]n?)\s*\)$/;

/** Whether what a substitution prints is split or expanded by no shell. */
export const printsPlainly = (node: Node, source: string): boolean =>
  plain.test(source.slice(node.startIndex, node.endIndex));

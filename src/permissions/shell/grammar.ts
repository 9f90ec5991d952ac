/** Facts about individual nodes of the shell's grammar. */

import type { Node } from 'web-tree-sitter';
import { isPlainVariable } from './assignments.ts';
import { wordTypes } from './word.ts';

/** Nodes that contain statements but run nothing themselves. */
export const statements = new Set([
  'list',
  'pipeline',
  'subshell',
  'compound_statement',
  'negated_command',
  'if_statement',
  'elif_clause',
  'else_clause',
  'for_statement',
  'while_statement',
  'do_group',
  'case_statement',
  'case_item',
  'function_definition',
]);
/**
 * True for `((`, which bash and zsh read as arithmetic, where even single quotes do not stop `$(…)` from running. After
 * `!` the grammar sees two subshells, as dash does.
 */
export const isArithmetic = (subshell: string): boolean => /^\((?:\\\n)*\(/.test(subshell);

/** Nodes whose content may run more than once. */
export const repeating = new Set(['for_statement', 'while_statement', 'function_definition']);
/** Statements whose content may or may not have run. */
export const conditional = new Set([
  'if_statement',
  'for_statement',
  'while_statement',
  'case_statement',
  'function_definition',
]);
/** Reserved words, which are not commands; a command with such a name was misparsed. */
export const reserved =
  /^(?:coproc|!|\{|\}|\[\[|\]\]|\(|if|then|elif|else|fi|for|select|in|do|done|while|until|case|esac|function|[A-Za-z_]\w*\+?=.*)$/s;

interface RedirectNode {
  readonly operator: string;
  readonly target: Node;
  /** More words, which belong to the command. */
  readonly rest: readonly Node[];
}

/** Parses a redirection; undefined for an unknown kind. `tokens.ts` has checked its descriptors. */
export function readRedirect(node: Node): RedirectNode | undefined {
  let operator = '';
  const words: Node[] = [];
  for (const child of node.children) {
    if (!child.isNamed) operator = child.type;
    else if (wordTypes.has(child.type)) words.push(child);
    else if (child.type !== 'file_descriptor') return undefined;
  }
  const [target, ...rest] = words;
  return target && { operator, target, rest };
}

/** The effect of a redirection on its target; undefined for an unknown kind. The target of `>&` is 1 or 2. */
export function redirectEffect(operator: string): 'reads' | 'writes' | 'nothing' | undefined {
  if (operator === '>&') return 'nothing';
  if (operator === '<') return 'reads';
  return ['>', '>>', '&>', '&>>'].includes(operator) ? 'writes' : undefined;
}

/**
 * True if a command's input may come from a redirection. The grammar assigns one at the end of a pipeline or list to the
 * whole, the shell to the last command, so those of enclosing statements are checked as well.
 */
export function redirectsInput(command: Node, source: string): boolean {
  const direct = command.children.filter((child) => child.type.endsWith('_redirect'));
  const around: Node[] = [];
  for (let node = command.parent; node !== null; node = node.parent)
    if (node.type === 'redirected_statement') around.push(...node.children);
  return [...direct, ...around].some((node) => isInput(node, source));
}

/** True for a redirection of standard input. */
export function isInput(node: Node, source: string): boolean {
  if (/^here(?:doc|string)_redirect$/.test(node.type)) return true;
  return node.type === 'file_redirect' && source.charAt(node.startIndex) === '<';
}

/** True for a redirection that gives a command something to read. */
export function suppliesInput(node: Node, source: string): boolean {
  const isEmpty = /^<\s*\/dev\/null$/.test(source.slice(node.startIndex, node.endIndex));
  return isInput(node, source) && !isEmpty;
}

/** The words and operators of `[ … ]` and `[[ … ]]` in order; undefined if it contains anything else. */
export function testLeaves(node: Node): readonly Node[] | undefined {
  const leaves: Node[] = [];
  const isProgram = node.children[0]?.type === '[';
  const collect = (inner: Node): boolean => {
    // To the shell this ends the words of `[`: `[ a|sh ]` starts `sh`.
    if (isProgram && !inner.isNamed && /[|&<>();]/.test(inner.type)) return false;
    if (/^(?:unary|binary|parenthesized|ternary|postfix)_expression$/.test(inner.type))
      return inner.children.every(collect);
    if (inner.isNamed && !wordTypes.has(inner.type)) return false;
    return leaves.push(inner) > 0;
  };
  return node.children.every(collect) ? leaves : undefined;
}

/** True if the text of a word depends on a variable; excludes command output. */
export function usesVariables(node: Node): boolean {
  if (node.type === 'command_substitution' || node.type === 'process_substitution') return false;
  if (node.type === 'expansion') return true;
  if (node.type === 'simple_expansion') return !/^\$[?#$!]$/.test(node.text);
  return node.children.some(usesVariables);
}

/**
 * Builtins after which a word may mean something else: they set variables, options, aliases or functions, or read
 * commands from elsewhere. Includes `set` unless it only makes the shell stricter; `set -x` shows the values of
 * variables.
 */
const changing =
  /^(?:\.|source|alias|unalias|autoload|bind|bindkey|builtin|command|compctl|coproc|declare|disable|emulate|enable|exec|export|float|fc|functions|getln|getopts|hash|hashinfo|history|integer|let|local|mapfile|noglob|nocorrect|popd|pushd|print|pushln|read|readarray|readonly|rehash|repeat|foreach|sched|select|set|setopt|shift|shopt|strftime|sysread|trap|typeset|unfunction|unhash|unset|unsetopt|vared|wait|zcompile|zformat|zle|zmodload|zparseopts|zregexparse|zstat|zstyle|zsystem)$/;

/** `set -e`, `set -euo pipefail`: the shell only stops earlier. */
export const isStricter = (args: readonly (string | null)[]): boolean =>
  args.length > 0 &&
  /^(?:(?:[-+][eu]+)(?: [-+][eu]+)*(?: -[eu]*o pipefail)?|[-+][eu]*o pipefail(?: [-+][eu]+)*)$/.test(
    args.map((word) => word ?? '?').join(' '),
  );

/** The variables that `read` fills, if it does nothing else. */
export function filledByRead([name, ...args]: readonly (string | null)[]): readonly string[] | undefined {
  if (name !== 'read') return undefined;
  const names = args.filter((word, at) => at > 0 || !/^-[rs]+$/.test(word ?? ''));
  const filled = names.filter((word) => word !== null && isPlainVariable(word)) as string[];
  return filled.length > 0 && filled.length === names.length ? filled : undefined;
}

/** True if a command may change the meaning of later words. */
export function changesShell(argv: readonly (string | null)[]): boolean {
  const [name, ...args] = argv;
  if (name === 'set') return !isStricter(args);
  if (name === 'wait') return args.some((word) => !/^\d+$/.test(word ?? ''));
  if (name === 'command') return !/^-[vV]$/.test(args[0] ?? '');
  if (name === 'printf') return args[0] == null || args[0].startsWith('-');
  return name == null || changing.test(name);
}

/** Commands whose output is one plain word, without spaces or wildcards, or numbers. */
const plain =
  /^\$\(\s*(?:pwd|whoami|hostname|nproc|date(?: \+[%\w-]+)?|date -I|uname(?: -[mnoprs])?|arch|git rev-parse (?:--short |--abbrev-ref |--show-toplevel ?)?(?:HEAD)?|id -[ug]n?)\s*\)$/;

/** True if no shell splits or expands the output of a substitution. */
export function printsPlainly(node: Node, source: string): boolean {
  const text = (of: Node): string => source.slice(of.startIndex, of.endIndex);
  if (plain.test(text(node))) return true;
  // `wc -l` prints only a number if it has no file: `$(wc -l < x)`, `$(… | wc -l)`.
  const [inner] = node.namedChildren;
  const isRead =
    inner?.type === 'redirected_statement' &&
    /^< ?[^\s<>&]+$/.test(inner.children.slice(1).map(text).join(' '));
  const last =
    inner?.type === 'pipeline' ? inner.namedChildren.at(-1) : isRead ? inner.children[0] : undefined;
  return node.namedChildCount === 1 && last?.type === 'command' && /^wc -[clmw]$/.test(text(last));
}

/** True if other commands run to give a word in the node. */
export const substitutes = (node: Node): boolean =>
  node.descendantsOfType(['command_substitution', 'process_substitution']).length > 0;

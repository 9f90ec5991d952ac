/** Splits a command line into statements that separate shells can run one after the other with the same effect. */
import type { Node } from 'web-tree-sitter';

/** A statement of the top level: a command, a pipeline or a subshell, with its redirections. */
export interface Statement {
  /** As written. */
  readonly text: string;
  /** True after `&&`: it runs only if the statement before it succeeded. */
  readonly isConditional: boolean;
}

/**
 * Returns the statements of the top level. Undefined if anything but `&&`, `;` and line breaks joins them, or if a
 * statement could change the state of the shell other than through a command.
 */
export function statementsOf(root: Node, source: string): readonly Statement[] | undefined {
  const found: { readonly first: Node; readonly end: number; readonly isConditional: boolean }[] = [];
  const add = (node: Node, end: number, isConditional: boolean): boolean => {
    const list = leadingList(node);
    if (list === undefined) {
      found.push({ first: node, end, isConditional });
      return separable.has(node.type);
    }
    const [left, operator, right] = list.children;
    return (
      left !== undefined &&
      right !== undefined &&
      operator?.type === '&&' &&
      add(left, left.endIndex, isConditional) &&
      add(right, end, true)
    );
  };
  const isPlain =
    !root.descendantsOfType('heredoc_redirect').some((one) => one !== null && isOutside(one)) &&
    root.children.every((child) =>
      child.isNamed
        ? child.type === 'comment' || add(child, child.endIndex, false)
        : separators.has(child.type),
    );
  if (!isPlain) return undefined;
  return found.map(({ first, end, isConditional }) => ({
    text: source.slice(first.startIndex, end),
    isConditional,
  }));
}

/**
 * The chain with which a statement begins. The grammar assigns a redirection after a chain, and a pipe after that, to the
 * whole chain, the shell to its last command.
 */
function leadingList(node: Node): Node | undefined {
  if (node.type === 'list') return node;
  const [first] = node.children;
  const isAround = node.type === 'redirected_statement' || node.type === 'pipeline';
  return isAround && first !== undefined ? leadingList(first) : undefined;
}

/** True unless a here-document ends within the statement: in `$(cat <<EOF …)`. */
const isOutside = ({ parent }: Node): boolean =>
  parent === null || (parent.type !== 'command_substitution' && isOutside(parent));

const separable = new Set(['command', 'pipeline', 'subshell', 'negated_command', 'redirected_statement']);
const separators = new Set([';', '\n']);

/** Which commands read a pipe, and from what. Pure. */
import type { Node } from 'web-tree-sitter';
import { redirectsInput } from './grammar.ts';
import { wordTypes } from './word.ts';

/**
 * True if a command certainly reads a pipe. In the background, or with a redirection, it may read /dev/null or a
 * terminal instead, and then programs such as rg search the folder.
 */
export function isPiped(nodes: readonly Node[], source: string): boolean {
  const command = commandOf(nodes);
  if (command === null || redirectsInput(command, source)) return false;
  let isBehind = false;
  for (let at = command; at.parent !== null; at = at.parent) {
    if (at.nextSibling?.type === '&') return false;
    isBehind ||= at.parent.type === 'pipeline' && at.previousSibling !== null;
  }
  return isBehind;
}

/** The words of the only command whose output a command reads; undefined if there are others, or none. */
export function wordsBeforePipe(nodes: readonly Node[], source: string): readonly Node[] | undefined {
  const command = commandOf(nodes);
  const before = command?.previousNamedSibling;
  if (command?.type !== 'command' || command.parent?.type !== 'pipeline' || before == null) return undefined;
  // `|&` also passes error messages, and a redirection replaces the pipe.
  if (command.previousSibling?.type !== '|' || redirectsInput(command, source)) return undefined;
  return plainWords(before, source);
}

/** The words of the only command in `$(…)`; undefined if there is anything else. */
export function wordsInside(substitution: Node, source: string): readonly Node[] | undefined {
  const [open, command, close] = substitution.children;
  if (substitution.childCount !== 3 || open?.type !== '$(' || close?.type !== ')') return undefined;
  return command == null ? undefined : plainWords(command, source);
}

/** The words of a command without assignments and redirections, other than one that drops error messages. */
function plainWords(node: Node, source: string): readonly Node[] | undefined {
  const text = (of: Node): string => source.slice(of.startIndex, of.endIndex);
  const [command, ...redirections] = node.type === 'redirected_statement' ? node.children : [node];
  if (command?.type !== 'command' || redirections.some((one) => !/^2> ?\/dev\/null$/.test(text(one))))
    return undefined;
  const isPlain = command.children.every(
    (child) => child.type === 'command_name' || wordTypes.has(child.type),
  );
  return isPlain
    ? command.children.flatMap((child) => (child.type === 'command_name' ? child.children : [child]))
    : undefined;
}

/** The command that has these words. */
function commandOf(nodes: readonly Node[]): Node | null {
  const first = nodes[0]?.parent ?? null;
  return first?.type === 'command_name' ? first.parent : first;
}

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
  if (command?.type !== 'command' || command.parent?.type !== 'pipeline' || before?.type !== 'command')
    return undefined;
  // `|&` also passes error messages, and a redirection replaces the pipe.
  if (command.previousSibling?.type !== '|' || redirectsInput(command, source)) return undefined;
  const isPlain = before.children.every(
    (child) => child.type === 'command_name' || wordTypes.has(child.type),
  );
  return isPlain
    ? before.children.flatMap((child) => (child.type === 'command_name' ? child.children : [child]))
    : undefined;
}

/** The command that has these words. */
function commandOf(nodes: readonly Node[]): Node | null {
  const first = nodes[0]?.parent ?? null;
  return first?.type === 'command_name' ? first.parent : first;
}

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

/** The words of each command of a pipeline, in order; empty = not known. */
export type PipelineWords = readonly (readonly Node[])[];

/** The commands whose output a command reads; undefined if it reads no pipe. */
export function wordsBeforePipe(nodes: readonly Node[], source: string): PipelineWords | undefined {
  const command = commandOf(nodes);
  return command?.type === 'command' ? wordsBefore(command, source) : undefined;
}

/** The commands whose output a statement reads; undefined if it reads no pipe. */
export function wordsBefore(statement: Node, source: string): PipelineWords | undefined {
  const { parent } = statement;
  if (parent?.type !== 'pipeline' || redirectsInput(statement, source)) return undefined;
  const at = parent.children.findIndex(({ id }) => id === statement.id);
  return at > 0 ? pipelineWords(parent.children.slice(0, at), source) : undefined;
}

/** The commands in `$(…)`; undefined if there is anything else than one pipeline. */
export function wordsInside(substitution: Node, source: string): PipelineWords | undefined {
  const [open, inner, close] = substitution.children;
  if (substitution.childCount !== 3 || open?.type !== '$(' || close?.type !== ')' || inner == null)
    return undefined;
  return pipelineWords(inner.type === 'pipeline' ? inner.children : [inner], source);
}

/** What passes `|&` is not known, since it includes error messages. */
function pipelineWords(children: readonly Node[], source: string): PipelineWords {
  return children.flatMap((child, at) => {
    if (!child.isNamed) return [];
    const isOutput = /^(?:\||)$/.test(children[at + 1]?.type ?? '');
    return [(isOutput ? plainWords(child, source) : undefined) ?? []];
  });
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

/** Variables that loops set, which their bodies and conditions may use in any iteration. Pure. */
import type { Node } from 'web-tree-sitter';
import { isPlainVariable } from './assignments.ts';
import { filledByRead } from './grammar.ts';
import { wordTypes, wordValue } from './word.ts';

/** Names of the variables that a loop sets, and in a command with the word `read` all others. */
export function assignedIn(node: Node, source: string): readonly string[] {
  return node.descendantsOfType(['variable_assignment', 'for_statement', 'command']).flatMap((inner) => {
    if (inner?.type === 'command') return readIn(inner, source);
    const name = inner?.childForFieldName(inner.type === 'for_statement' ? 'variable' : 'name');
    return name == null ? [] : [source.slice(name.startIndex, name.endIndex)];
  });
}

/** The variables that `while read …` has filled when the body of its loop runs. */
export function readBefore(body: Node, source: string): readonly string[] {
  const condition = body.previousNamedSibling;
  if (condition?.type !== 'command' || body.parent?.children[0]?.type !== 'while') return [];
  const words = condition.namedChildren.filter((child) => child.type !== 'variable_assignment');
  return filledByRead(words.map((word) => source.slice(word.startIndex, word.endIndex))) ?? [];
}

function readIn(command: Node, source: string): readonly string[] {
  const nodes = command.children.flatMap((child) =>
    child.type === 'command_name' ? child.children : [child],
  );
  const words = nodes.map((node) => (wordTypes.has(node.type) ? wordValue(node, source) : null));
  return words.includes('read') ? words.flatMap((word) => (word && isPlainVariable(word) ? [word] : [])) : [];
}

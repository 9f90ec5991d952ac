/** Variables that loops set, which their bodies and conditions may use in any iteration. Pure. */
import type { Node } from 'web-tree-sitter';
import { isPlainVariable } from './assignments.ts';
import { filledByRead } from './grammar.ts';
import { type PipelineWords, wordsBefore } from './pipes.ts';
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
interface ReadBefore {
  readonly names: readonly string[];
  /** If there is only one variable: the commands that printed the line in it. */
  readonly lines?: PipelineWords;
}

export function readBefore(body: Node, source: string): ReadBefore {
  const condition = body.previousNamedSibling;
  const loop = body.parent;
  if (condition?.type !== 'command' || loop?.children[0]?.type !== 'while') return { names: [] };
  const text = (node: Node): string => source.slice(node.startIndex, node.endIndex);
  const words = condition.namedChildren.filter((child) => child.type !== 'variable_assignment').map(text);
  const names = filledByRead(words) ?? [];
  const isLine = /^(?:IFS= )?read(?: -r)? \w+$/.test(text(condition));
  const lines = isLine && leavesInput(body, names[0] ?? '', source) ? wordsBefore(loop, source) : undefined;
  return { names, ...(lines && { lines }) };
}

/** Programs that read no input, whatever their words. */
const inputless = /^(?:echo|printf|basename|dirname|ls|stat|test|\[|:|true|false)$/;
/** Programs that read no input if they have a file after these words. */
const beforeFile: Readonly<Record<string, RegExp>> = {
  ...Object.fromEntries(['cat', 'md5sum', 'sha256sum', 'wc'].map((name) => [name, /^(?:-[A-Za-z]+ )*$/])),
  ...Object.fromEntries(['head', 'tail'].map((name) => [name, /^(?:-n? ?\+?\d+ )?$/])),
  ...Object.fromEntries(
    ['egrep', 'fgrep', 'grep', 'jq', 'rg', 'sed'].map((name) => [
      name,
      /^(?:-[A-Za-z]+ )*(?!-)(?:'[^']*'|"[^"$`\\]*"|[\w./,-]+) $/,
    ]),
  ),
};

/**
 * True if no command in the body of a loop reads its input: the next line could begin anywhere. With another value, such as
 * `-`, the variable could be the input itself.
 */
function leavesInput(body: Node, variable: string, source: string): boolean {
  if (assignedIn(body, source).includes(variable)) return false;
  return body.descendantsOfType('command').every((command) => {
    if (command === null) return false;
    if (isBehindPipe(command, body)) return true;
    const [name = '', ...args] = command.children.map((node) => source.slice(node.startIndex, node.endIndex));
    if (inputless.test(name)) return true;
    const words = Object.hasOwn(beforeFile, name) ? beforeFile[name] : undefined;
    const isFile = [`$${variable}`, `"$${variable}"`].includes(args.pop() ?? '');
    return isFile && words?.test(args.map((word) => `${word} `).join('')) === true;
  });
}

/** True if a command reads a pipe in this part of the command line. */
function isBehindPipe(command: Node, within: Node): boolean {
  for (let at = command; at.parent !== null && at.id !== within.id; at = at.parent)
    if (at.parent.type === 'pipeline' && at.previousSibling !== null) return true;
  return false;
}

function readIn(command: Node, source: string): readonly string[] {
  const nodes = command.children.flatMap((child) =>
    child.type === 'command_name' ? child.children : [child],
  );
  const words = nodes.map((node) => (wordTypes.has(node.type) ? wordValue(node, source) : null));
  return words.includes('read') ? words.flatMap((word) => (word && isPlainVariable(word) ? [word] : [])) : [];
}

/**
 * Detects constructs that the grammar and the shell are known to interpret differently. In doubt the command is not
 * understood.
 */
import type { Node } from 'web-tree-sitter';
import { wordTypes } from './word.ts';

/** A line continuation is allowed only between words: next to one, the shell joins two words. */
const blanks = /^(?:[ \t\n]|(?<=[ \t])\\\n|\\\n(?=[ \t]))*$/;
/** Nodes whose text is data: their white space belongs to no node. */
const opaque = new Set(['string', 'heredoc_body', 'comment', 'expansion', 'arithmetic_expansion']);

/** True if everything in the source belongs to some node, so that nothing was skipped. */
export function hasOnlyBlanksBetween(root: Node, source: string): boolean {
  if (!blanks.test(source.slice(0, root.startIndex)) || !blanks.test(source.slice(root.endIndex)))
    return false;
  return covered(root, source);
}

/** The text that a leaf may have at most. The grammar sometimes includes a line end in a word. */
const leaves: Readonly<Record<string, RegExp>> = {
  raw_string: /^'[^']*'$/,
  ansi_c_string: /^\$'(?:[^'\\]|\\.)*'$/s,
  comment: /^#[^\n]*$/,
  string_content: /^(?:[^"\\`$]|\$(?![\w({[])|\\.)*$/s,
};
const opaqueLeaves = new Set(['heredoc_body', 'heredoc_content', 'heredoc_start', 'heredoc_end']);
const bareLeaf = /^(?:[^\s;&|<>()'"`\\]|\\.)*$/s;

function leafIsPlain(node: Node, source: string): boolean {
  const text = source.slice(node.startIndex, node.endIndex);
  // Directly before other text, a brace begins an expansion and a keyword is part of a name.
  if (!node.isNamed) return !/^(?:\{|!|[a-z]+)$/.test(text) || keywordEnds(node, source);
  return opaqueLeaves.has(node.type) || (leaves[node.type] ?? bareLeaf).test(text);
}

const keywordEnds = (node: Node, source: string): boolean =>
  /^(?:expansion|brace_expression)$/.test(node.parent?.type ?? '') ||
  /^(?:$|[\s;&|()<>])/.test(source.slice(node.endIndex, node.endIndex + 1));

function covered(node: Node, source: string): boolean {
  const { children } = node;
  if (children.length === 0) return leafIsPlain(node, source);
  if (!opaque.has(node.type)) {
    let end = node.startIndex;
    let named = false;
    for (const child of children) {
      if (child.startIndex > end && !gapIsBlank(node, source.slice(end, child.startIndex))) return false;
      // Two adjacent words without a blank are one word to the shell.
      if (named && child.startIndex === end && child.isNamed && isGlued(node, child)) return false;
      end = Math.max(end, child.endIndex);
      named = child.isNamed && child.endIndex > child.startIndex;
    }
    if (end < node.endIndex && !blanks.test(source.slice(end, node.endIndex))) return false;
  }
  return children.every((child) => covered(child, source));
}

/** Nodes in which even a blank is a lost character, and nodes that a line end should have ended. */
const seamless = new Set(['concatenation', 'simple_expansion', 'variable_assignment', 'subscript']);
const onOneLine = new Set([
  'command',
  'declaration_command',
  'unset_command',
  'variable_assignments',
  'file_redirect',
  'herestring_redirect',
  'redirected_statement',
  'test_command',
]);

const isGlued = (parent: Node, child: Node): boolean =>
  parent.type !== 'concatenation' && (wordTypes.has(child.type) || child.type === 'command_name');

function gapIsBlank(node: Node, gap: string): boolean {
  if (seamless.has(node.type) || !blanks.test(gap)) return false;
  return !(onOneLine.has(node.type) && /(?<!\\)\n/.test(gap));
}

/** Arithmetic evaluates the values of variables, and array subscripts run commands: numbers only. */
export const arithmeticIsPlain = (text: string): boolean => /^\$\(\([\d\s+*/%()<>=!&|^~?:-]*\)\)$/.test(text);

/** `${!x}`, `${x@P}` run or access something that is not visible here; `${x:=y}` assigns; `${x:i}` evaluates. */
export function expansionIsPlain(node: Node, text: string): boolean {
  return (
    !/^\$\{#?\w+:[^-+]/.test(text) &&
    node.children.every(
      (child) =>
        child.type !== 'subscript' && !/^(?:[!@=]|:=)/.test(child.type) && !(child.isNamed && child.isError),
    )
  );
}

/** Here-documents: the delimiter is plain, there is one per line, and the document ends where the shell ends it. */
export function heredocsEndWhereTheySay(root: Node, source: string): boolean {
  const heredocs = root.descendantsOfType('heredoc_redirect').filter((node) => node !== null);
  const rows = new Set(heredocs.map((node) => node.startPosition.row));
  return rows.size === heredocs.length && heredocs.every((node) => endsWhereItSays(node, source));
}

/** A line of double-quoted text without expansions. A backslash at its end would join it with the next. */
const isOnlyText = (line: string): boolean => !/`|\$[\w({['"@*#?$!=~^+-]|\\$/.test(line);

function endsWhereItSays(node: Node, source: string): boolean {
  const [start, end] = ['heredoc_start', 'heredoc_end'].map((type) =>
    node.children.find((child) => child.type === type),
  );
  if (start === undefined || end === undefined) return false;
  const match = /^(['"]?)([A-Za-z_]\w*)\1$/.exec(source.slice(start.startIndex, start.endIndex));
  const delimiter = match?.[2];
  if (delimiter === undefined) return false;
  const tabs = node.children[0]?.type === '<<-' || node.children.some((child) => child.type === '<<-');
  const headerEnd = source.indexOf('\n', start.endIndex);
  const lines = source.slice(headerEnd + 1).split('\n');
  const last = lines.findIndex((line) => (tabs ? line.replace(/^\t+/, '') : line) === delimiter);
  if (headerEnd === -1 || last === -1) return false;
  // The shell treats an unquoted body as double-quoted text, the grammar as plain text: so it must not contain
  // expansions.
  if (match?.[1] === '' && !lines.slice(0, last).every(isOnlyText)) return false;
  const row = start.startPosition.row + 1 + last;
  return end.startPosition.row === row && source.slice(end.startIndex, end.endIndex) === delimiter;
}

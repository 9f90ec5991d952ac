/**
 * Detects constructs that the grammar and the shell are known to interpret differently. In doubt the command is not
 * understood.
 */
import type { Node } from 'web-tree-sitter';

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

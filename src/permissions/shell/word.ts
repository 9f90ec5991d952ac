/** Determines the value of a shell word if the source alone tells it. Pure; one node of the tree at a time. */
import type { Node } from 'web-tree-sitter';

/** Node types that may appear in place of a word. */
export const wordTypes: ReadonlySet<string> = new Set([
  'word',
  'number',
  'raw_string',
  'string',
  'ansi_c_string',
  'translated_string',
  'concatenation',
  'simple_expansion',
  'expansion',
  'command_substitution',
  'process_substitution',
  'arithmetic_expansion',
  'brace_expression',
  'extglob_pattern',
  'regex',
  'variable_name',
  'test_operator',
]);

/** The word without quotes; null if only the shell can know. */
export function wordValue(node: Node, source: string): string | null {
  const text = source.slice(node.startIndex, node.endIndex);
  // Braces expand to several words; only the shell knows `~user`, `~+` and `~-`.
  if (node.type === 'concatenation' && bracesExpand(text)) return null;
  if (/^~[^/]/.test(text)) return null;
  return value(node, source);
}

/** `{a,b}` and `{1..3}`, but not `@{u}` or `stash@{0}..HEAD`. Errs on the side of true. */
function bracesExpand(text: string): boolean {
  const [open, close] = [text.indexOf('{'), text.lastIndexOf('}')];
  if (open === -1 || close < open) return false;
  if (text.slice(open, close).includes(',')) return true;
  return text.split('{').some((piece, index) => index > 0 && (piece.split('}')[0] ?? '').includes('..'));
}

function value(node: Node, source: string): string | null {
  const text = source.slice(node.startIndex, node.endIndex);
  switch (node.type) {
    case 'word':
      return /[`$(){}]/.test(text.replace(/\\./gs, '')) && !/^[{}]$/.test(text)
        ? null
        : text.replace(/\\\n/g, '').replace(/\\(.)/gs, '$1');
    case 'number':
    case 'variable_name':
    case 'test_operator':
      return node.childCount > 0 ? null : text;
    case 'raw_string':
      return text.slice(1, -1);
    case 'ansi_c_string':
      return text.includes('\\') ? null : text.slice(2, -1);
    case 'string':
      return stringValue(node, text, source);
    case 'concatenation':
      return join(node, source);
    case 'simple_expansion':
      // `$?`, `$#` and `$$` are always numbers; `$!` is empty if no job was started.
      return /^\$[?#$]$/.test(text) ? '0' : null;
    default:
      return null;
  }
}

function join(node: Node, source: string): string | null {
  let whole = '';
  let end = node.startIndex;
  for (const child of node.children) {
    const part = child.startIndex === end ? value(child, source) : null;
    if (part === null) return null;
    whole += part;
    end = child.endIndex;
  }
  return end === node.endIndex ? whole : null;
}

/** Uses the source between the quotes, since the tree omits white space. */
function stringValue(node: Node, text: string, source: string): string | null {
  let inner = text.slice(1, -1);
  for (const child of node.children) {
    if (child.type === '"' || child.type === 'string_content' || child.type === '$') continue;
    const known = value(child, source);
    if (known === null) return null;
    inner = inner.replace(source.slice(child.startIndex, child.endIndex), () => known);
  }
  return inner.replace(/\\\n/g, '').replace(/\\([\\"$`])/g, '$1');
}

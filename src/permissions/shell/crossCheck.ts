/**
 * Compares the grammar's tree with our own tokens: every token must be one node, and the tree must contain nothing else.
 * A command is understood only if both agree.
 */
import type { Node } from 'web-tree-sitter';
import { type Token, type Tokens, tokensOf } from './tokens.ts';
import { wordTypes } from './word.ts';

export function treeMatchesTokens(root: Node, source: string): boolean {
  const tokens = tokensOf(source);
  return tokens !== undefined && new Comparison(tokens, source).isEqual(root);
}

/** Nodes that cannot span lines, since a line feed would end them. */
const onOneLine = new Set([
  'command',
  'declaration_command',
  'unset_command',
  'variable_assignments',
  'file_redirect',
  'herestring_redirect',
  'test_command',
]);
const ofDocument = new Set(['heredoc_body', 'heredoc_content', 'heredoc_end']);

class Comparison {
  readonly #source: string;
  readonly #byStart = new Map<number, Token>();
  readonly #documents: Tokens['documents'];

  constructor({ tokens, documents }: Tokens, source: string) {
    this.#source = source;
    this.#documents = documents;
    for (const token of tokens) this.#byStart.set(token.start, token);
  }

  isEqual(root: Node): boolean {
    return this.#visit(root) && this.#byStart.size === 0;
  }

  #visit(node: Node): boolean {
    if (ofDocument.has(node.type))
      return this.#documents.some(({ start, end }) => start <= node.startIndex && node.endIndex <= end + 1);
    const token = this.#byStart.get(node.startIndex);
    if (token?.end === node.endIndex) return this.#matches(token, innermost(node));
    if (node.childCount === 0) return /^\n*$/.test(this.#source.slice(node.startIndex, node.endIndex));
    return this.#isOnOneLine(node) && node.children.every((child) => this.#visit(child));
  }

  #matches(token: Token, node: Node): boolean {
    this.#byStart.delete(token.start);
    switch (token.kind) {
      case 'comment':
        return node.type === 'comment';
      case 'descriptor':
        return node.type === 'file_descriptor';
      case 'operator':
        return !node.isNamed && node.type === this.#source.slice(token.start, token.end);
      default:
        return isWord(node, this.#source) && this.#inside(node);
    }
  }

  /** The substitutions of a word, from their first to their last character. */
  #inside(node: Node): boolean {
    if (!/^(?:command|process)_substitution$/.test(node.type))
      return node.children.every((child) => this.#inside(child));
    const commands = node.children.slice(1, -1);
    return commands.every((child) => this.#visit(child));
  }

  #isOnOneLine(node: Node): boolean {
    if (!onOneLine.has(node.type)) return true;
    return node.children.every((child, index) => {
      const end = node.children[index - 1]?.endIndex ?? child.startIndex;
      return !/(?<!\\)\n/.test(this.#source.slice(end, child.startIndex));
    });
  }
}

/** The innermost node with the same text: a program of one word is that word. */
function innermost(node: Node): Node {
  const [only, ...more] = node.children;
  const isSame = only?.startIndex === node.startIndex && only.endIndex === node.endIndex;
  return only !== undefined && isSame && more.length === 0 ? innermost(only) : node;
}

/** A word, an assignment, the delimiter of a here-document, or a reserved word such as `if`. */
const isWord = (node: Node, source: string): boolean =>
  node.isNamed
    ? wordTypes.has(node.type) || /^(?:variable_assignment|heredoc_start)$/.test(node.type)
    : node.type === source.slice(node.startIndex, node.endIndex);

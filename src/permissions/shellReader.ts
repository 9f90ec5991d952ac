/**
 * Collects the simple commands and redirections of one syntax tree. Every method answers whether it
 * understood what it saw; a node type that is not listed here is not understood.
 */
import type { Node } from 'web-tree-sitter';
import type { CommandPart, ParsedCommand } from './parsedCommand.ts';
import {
  arithmeticIsPlain,
  expansionIsPlain,
  hasOnlyBlanksBetween,
  heredocsEndWhereTheySay,
} from './shellChecks.ts';
import {
  isPlainVariable,
  readRedirect,
  redirectEffect,
  repeating,
  reserved,
  statements,
  testLeaves,
  usesVariables,
} from './shellGrammar.ts';
import { wordTypes, wordValue } from './shellWord.ts';
import { hidesCommand, innerScript, unwrap, type Words } from './wrappers.ts';

interface Place {
  readonly certain: boolean;
  readonly repeats: boolean;
}

type ReadScript = (script: string, into: CommandReader, depth: number) => boolean;

const maxDepth = 4;
/** More commands than anybody reads in a question. */
const maxParts = 500;
export class CommandReader {
  readonly #readScript: ReadScript;
  readonly #parts: CommandPart[] = [];
  readonly #writes: (string | null)[] = [];
  readonly #reads: (string | null)[] = [];
  readonly #mentions: string[] = [];
  #source = '';
  #depth = 0;
  #definesFunction = false;

  constructor(readScript: ReadScript) {
    this.#readScript = readScript;
  }

  result(): ParsedCommand {
    const moves = this.#parts.some(({ argv }) => /^(?:cd|pushd|popd)$/.test(argv[0] ?? ''));
    if ((moves && this.#definesFunction) || this.#parts.length > maxParts) return { ok: false };
    return {
      ok: true,
      parts: this.#parts,
      writes: this.#writes,
      reads: this.#reads,
      mentions: this.#mentions,
    };
  }

  readProgram(root: Node, source: string, depth: number): boolean {
    if (!hasOnlyBlanksBetween(root, source) || !heredocsEndWhereTheySay(root, source)) return false;
    const [outerSource, outerDepth] = [this.#source, this.#depth];
    [this.#source, this.#depth] = [source, depth];
    const single = root.namedChildren.filter((child) => child.type !== 'comment').length === 1;
    const understood = this.#all(root, { certain: single && depth === 0, repeats: depth > 0 });
    [this.#source, this.#depth] = [outerSource, outerDepth];
    return understood;
  }

  #all(node: Node, place: Place): boolean {
    return node.children.every((child) => this.#statement(child, place));
  }

  #statement(node: Node, place: Place): boolean {
    if (!node.isNamed || node.type === 'comment') return node.type !== '((' && node.type !== '$';
    if (node.type === 'command') return this.#command(node, place, []);
    if (node.type === 'redirected_statement') return this.#redirected(node, place);
    if (node.type === 'file_redirect') return this.#redirect(node, [])?.length === 0;
    if (node.type === 'test_command') return this.#test(node, place);
    if (node.type === 'declaration_command' || node.type === 'unset_command')
      return this.#declaration(node, place);
    if (node.type.startsWith('variable_assignment')) return this.#assignments(node, place);
    if (wordTypes.has(node.type)) {
      const mentions = node.parent?.type === 'for_statement' ? this.#mentions : undefined;
      return this.#word(node, place, mentions) !== undefined;
    }
    if (!statements.has(node.type)) return false;
    if (node.type === 'function_definition') this.#definesFunction = true;
    if (node.type === 'for_statement' && !this.#loopVariable(node, place)) return false;
    const chain =
      node.type === 'list' && node.children.every((child) => child.isNamed || child.type === '&&');
    return this.#all(node, {
      certain: place.certain && chain,
      repeats: place.repeats || repeating.has(node.type),
    });
  }

  /** A loop assigns as `x=…` does: `for PATH in ./bin; do ls; done` runs another `ls`. */
  #loopVariable(node: Node, place: Place): boolean {
    const variable = node.childForFieldName('variable');
    if (variable === null) return false;
    const name = this.#text(variable);
    return isPlainVariable(name) || this.#plain(variable, { argv: [], raw: [] }, [name], place);
  }

  #command(node: Node, place: Place, extra: readonly Node[]): boolean {
    const words: Node[] = [];
    const env: string[] = [];
    for (const child of node.children) {
      if (child.type === 'variable_assignment') {
        const name = this.#assignment(child, place);
        if (name === undefined) return false;
        env.push(name);
      } else if (child.type === 'file_redirect') {
        if (this.#redirect(child, [])?.length !== 0) return false;
      } else if (child.type === 'herestring_redirect') {
        if (!this.#herestring(child, place)) return false;
      } else if (child.type === 'command_name') words.push(...child.children);
      else words.push(child);
    }
    words.push(...extra);
    const text = [this.#text(node), ...extra.map((word) => this.#text(word))].join(' ');
    return this.#add(text, words, env, place);
  }

  #add(text: string, nodes: readonly Node[], env: readonly string[], place: Place): boolean {
    const argv: (string | null)[] = [];
    for (const node of nodes) {
      const word = wordTypes.has(node.type) ? this.#word(node, place) : undefined;
      if (word === undefined) return false;
      argv.push(word.value);
    }
    const full: Words = { argv, raw: nodes.map((node) => this.#text(node)) };
    const { words, envPrefix } = unwrap(full);
    const name = words.argv[0];
    if (name === undefined || name === null || name === '' || reserved.test(name) || hidesCommand(words))
      return false;
    const script = innerScript(words);
    if (script === null) return false;
    this.#parts.push({
      text,
      ...words,
      full: full.argv,
      fullRaw: full.raw,
      envPrefix: [...env, ...envPrefix],
      carrier: script !== undefined,
      variables: nodes.some(usesVariables),
      ...place,
    });
    if (script === undefined) return true;
    return this.#depth < maxDepth && this.#readScript(script, this, this.#depth + 1);
  }

  /** Walks what a word would run; undefined when it is not understood. */
  #word(node: Node, place: Place, mentions?: string[]): { readonly value: string | null } | undefined {
    if (!this.#substitutions(node, place)) return undefined;
    mentions?.push(this.#text(node));
    return { value: wordValue(node, this.#source) };
  }

  #substitutions(node: Node, place: Place): boolean {
    const inside: Place = { certain: false, repeats: place.repeats };
    const text = this.#text(node);
    switch (node.type) {
      case 'command_substitution':
        // Inside backticks a backslash means something else than the tree says.
        return !(text.startsWith('`') && text.includes('\\')) && this.#all(node, inside);
      case 'process_substitution':
        return this.#all(node, inside);
      case 'arithmetic_expansion':
        return arithmeticIsPlain(text);
      case 'expansion':
        return expansionIsPlain(node) && node.children.every((child) => this.#substitutions(child, inside));
      case '$':
        return node.parent?.type === 'string' || node.parent?.type === 'simple_expansion';
      case 'subscript':
      case 'array':
      case 'translated_string':
        return false;
      default:
        return node.children.every((child) => this.#substitutions(child, inside));
    }
  }

  #redirected(node: Node, place: Place): boolean {
    const body = node.childForFieldName('body');
    const extra: Node[] = [];
    for (const child of node.children) {
      if (body !== null && child.id === body.id) continue;
      const understood =
        child.type === 'file_redirect'
          ? this.#redirect(child, extra) !== undefined
          : child.type === 'heredoc_redirect'
            ? this.#heredoc(child, place, extra)
            : child.type === 'herestring_redirect' && this.#herestring(child, place);
      if (!understood) return false;
    }
    if (body === null) return extra.length === 0;
    if (body.type === 'command') return this.#command(body, { ...place, certain: false }, extra);
    return extra.length === 0 && this.#statement(body, { ...place, certain: false });
  }

  /** The words after the target, which belong to the command; the grammar counts them as targets. */
  #redirect(node: Node, extra: Node[]): readonly Node[] | undefined {
    const redirect = readRedirect(node, this.#source);
    if (redirect === undefined) return undefined;
    const { operator, target, rest } = redirect;
    if (target !== undefined) {
      const word = this.#word(target, { certain: false, repeats: false });
      const effect = word && redirectEffect(operator, word.value);
      if (word === undefined || effect === undefined) return undefined;
      if (effect === 'writes') this.#writes.push(word.value);
      if (effect === 'reads') this.#reads.push(word.value);
    }
    extra.push(...rest);
    return rest;
  }

  /** The word is what the command reads: one that only the shell knows may be a secret, as a file would be. */
  #herestring(node: Node, place: Place): boolean {
    const words = node.namedChildren.filter((child) => wordTypes.has(child.type));
    if (words.some((word) => wordValue(word, this.#source) === null)) this.#reads.push(null);
    return this.#all(node, place);
  }

  #heredoc(node: Node, place: Place, extra: Node[]): boolean {
    return node.children.every((child) => {
      if (!child.isNamed || child.type === 'heredoc_start' || child.type === 'heredoc_end') return true;
      if (child.type === 'heredoc_body') return this.#substitutions(child, place);
      if (child.type === 'file_redirect') return this.#redirect(child, extra) !== undefined;
      if (wordTypes.has(child.type)) return extra.push(child) > 0;
      return this.#statement(child, { ...place, certain: false });
    });
  }

  #test(node: Node, place: Place): boolean {
    const leaves = testLeaves(node);
    const understood = leaves?.every(
      (leaf) => !wordTypes.has(leaf.type) || this.#word(leaf, place) !== undefined,
    );
    if (leaves === undefined || !understood) return false;
    const raw = leaves.map((leaf) => this.#text(leaf));
    const argv = leaves.map((leaf, index) =>
      wordTypes.has(leaf.type) ? wordValue(leaf, this.#source) : (raw[index] ?? ''),
    );
    return this.#plain(node, { argv, raw }, [], place);
  }

  #declaration(node: Node, place: Place): boolean {
    const names = node.namedChildren.filter((child) => child.type === 'variable_assignment');
    const rest = node.namedChildren.filter((child) => child.type !== 'variable_assignment');
    if (names.some((child) => this.#assignment(child, place) === undefined)) return false;
    if (rest.some((child) => !wordTypes.has(child.type) || this.#word(child, place) === undefined))
      return false;
    const raw = node.children.map((child) => this.#text(child));
    return this.#plain(node, { argv: raw, raw }, [], place);
  }

  #assignments(node: Node, place: Place): boolean {
    const all = node.type === 'variable_assignments' ? node.namedChildren : [node];
    const names = all.map((child) => this.#assignment(child, place));
    if (names.some((name) => name === undefined)) return false;
    return this.#plain(node, { argv: [], raw: [] }, names as string[], place);
  }

  /** The variable's name; undefined when it is not a plain one. */
  #assignment(node: Node, place: Place): string | undefined {
    const name = node.childForFieldName('name');
    const value = node.childForFieldName('value');
    if (node.type !== 'variable_assignment' || name?.type !== 'variable_name') return undefined;
    if (value !== null && !(wordTypes.has(value.type) && this.#word(value, place, this.#mentions)))
      return undefined;
    return this.#text(name);
  }

  #plain(node: Node, words: Words, envPrefix: readonly string[], place: Place): boolean {
    this.#parts.push({
      text: this.#text(node),
      ...words,
      full: words.argv,
      fullRaw: words.raw,
      envPrefix,
      carrier: false,
      variables: usesVariables(node),
      ...place,
    });
    return true;
  }

  #text(node: Node): string {
    return this.#source.slice(node.startIndex, node.endIndex);
  }
}

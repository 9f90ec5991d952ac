/**
 * Collects the simple commands and redirections of one syntax tree. Every method returns whether it understood its
 * node; a node type that is not listed here is not understood.
 */
import type { Node } from 'web-tree-sitter';
import type { Argument, Pipeline } from './argument.ts';
import { type Assignment, isHarmlessAssignment, isPlainVariable } from './assignments.ts';
import { arithmeticIsPlain, expansionIsPlain, heredocsEndWhereTheySay } from './checks.ts';
import { treeMatchesTokens } from './crossCheck.ts';
import {
  changesShell,
  conditional,
  filledByRead,
  isArithmetic,
  isInput,
  printsPlainly,
  readRedirect,
  redirectEffect,
  repeating,
  reserved,
  statements,
  substitutes,
  suppliesInput,
  testLeaves,
  usesVariables,
} from './grammar.ts';
import { assignedIn, readBefore } from './loopVariables.ts';
import type { CommandPart, ParsedCommand } from './parsedCommand.ts';
import { isPiped, type PipelineWords, wordsBeforePipe, wordsInside } from './pipes.ts';
import { ShellState } from './ShellState.ts';
import { type Statement, statementsOf } from './sequence.ts';
import { type Piece, readPieces, type Span, wordTypes, wordValue } from './word.ts';
import {
  anything,
  combine,
  join,
  mayBeSecret,
  numbersOf,
  unknownText,
  type Variables,
} from './wordValues.ts';
import { changesDirectory } from './workingDirectory.ts';
import { ADDED, hidesCommand, innerScript, isShell, unwrap, unwrapRun, type Words } from './wrappers.ts';

interface Place {
  readonly certain: boolean;
  readonly isReached: boolean;
  readonly repeats: boolean;
  readonly hasInput: boolean;
  readonly writesTo?: readonly (string | null)[];
}

type ReadScript = (script: string, into: CommandReader, depth: number) => boolean;

/** A point at which nothing is known. */
const elsewhere: Place = { certain: false, isReached: false, repeats: false, hasInput: true };

const maxDepth = 4;
/** More commands than a user reads in an approval dialog, and more words, each of which may be a file. */
const maxParts = 500;
const maxWords = 1000;
export class CommandReader {
  readonly #readScript: ReadScript;
  readonly #parts: CommandPart[] = [];
  readonly #writes: (string | null)[] = [];
  readonly #reads: (string | null)[] = [];
  readonly #mentions: string[] = [];
  readonly #known: (readonly Argument[])[] = [];
  #topStatements: readonly Statement[] | undefined;
  #source = '';
  #depth = 0;
  #definesFunction = false;
  /**
   * True once something may have changed the meaning of words: a shell option, an alias, a variable set by a builtin.
   */
  #isOpaque = false;
  readonly #shell = new ShellState();
  #words = 0;
  /** True inside a script (`bash -c '…'`) whose shell has input. */
  #scriptHasInput = false;

  constructor(readScript: ReadScript) {
    this.#readScript = readScript;
  }

  /** The result if not everything was understood. */
  failed(): ParsedCommand {
    return { ok: false, ...(this.#known.length > 0 && { known: this.#known }) };
  }

  result(): ParsedCommand {
    const moves = this.#parts.some(({ argv }) => /^(?:cd|pushd|popd)$/.test(argv[0] ?? ''));
    if ((moves && this.#definesFunction) || this.#parts.length > maxParts) return { ok: false };
    const isKnown = !this.#isOpaque && !this.#definesFunction;
    return {
      ok: true,
      parts: this.#parts.map((part) => ({
        ...part,
        ...(!isKnown && { runs: null }),
        // A function may be called in a pipeline.
        ...(this.#definesFunction && { hasInput: true, isPiped: false }),
      })),
      writes: this.#writes,
      reads: this.#reads,
      mentions: this.#mentions,
      ...(this.#topStatements && { statements: this.#topStatements }),
    };
  }

  readProgram(root: Node, source: string, depth: number): boolean {
    if (!treeMatchesTokens(root, source) || !heredocsEndWhereTheySay(root, source)) return false;
    if (depth === 0) this.#topStatements = statementsOf(root, source);
    const [outerSource, outerDepth] = [this.#source, this.#depth];
    [this.#source, this.#depth] = [source, depth];
    const single = root.namedChildren.filter((child) => child.type !== 'comment').length === 1;
    const understood = this.#all(root, {
      certain: single && depth === 0,
      isReached: depth === 0,
      repeats: depth > 0,
      hasInput: this.#scriptHasInput,
    });
    [this.#source, this.#depth] = [outerSource, outerDepth];
    return understood;
  }

  #all(node: Node, place: Place): boolean {
    return node.children.every((child, index) => {
      if (node.type === 'while_statement' && child.type === 'do_group') this.#fillBefore(child);
      return this.#child(node, index, place);
    });
  }

  /** Sets what `while read …` has filled when the body of the loop runs. */
  #fillBefore(body: Node): void {
    const { names, lines } = readBefore(body, this.#source);
    const by = this.#onlyRuns(lines);
    this.#shell.fill(names, true, by);
  }

  /** One statement of several. One in the background or in a pipeline may or may not have set a variable. */
  #child(node: Node, index: number, place: Place): boolean {
    const { children } = node;
    const child = children[index] as Node;
    const isConcurrent = children[index + 1]?.type === '&' || node.type === 'pipeline';
    if (!isConcurrent) return this.#statement(child, place);
    const before = this.#shell.variables;
    const hasInput = place.hasInput || (node.type === 'pipeline' && index > 0);
    if (!this.#statement(child, { ...place, hasInput, certain: false, isReached: false })) return false;
    this.#shell.orElse(before);
    return true;
  }

  #statement(node: Node, place: Place): boolean {
    if (!node.isNamed || node.type === 'comment') return node.type !== '((' && node.type !== '$';
    if (node.type === 'command') return this.#command(node, place, []);
    if (node.type === 'redirected_statement') return this.#redirected(node, place);
    // Without a command zsh runs one of its own: NULLCMD or READNULLCMD.
    if (node.type === 'file_redirect') return false;
    if (node.type === 'test_command') return this.#test(node, place);
    if (node.type === 'declaration_command' || node.type === 'unset_command')
      return this.#declaration(node, place);
    if (node.type.startsWith('variable_assignment')) return this.#assignments(node, place);
    if (wordTypes.has(node.type)) {
      const mentions = node.parent?.type === 'for_statement' ? this.#mentions : undefined;
      // Patterns of `case` follow other rules, and run nothing that the grammar does not show.
      const pieces = node.parent?.type === 'case_item' ? [] : this.#pieces(node, false);
      if (pieces === undefined) return false;
      // Comparing a secret with patterns, or using it as one, reveals it.
      if (node.parent?.type === 'case_item' && namesSecret(node, this.#source, this.#shell.variables))
        this.#reads.push(null);
      const isCompared = node.parent?.type === 'case_statement';
      if (isCompared && this.#shell.values(pieces).some(({ type }) => type === 'secret'))
        this.#reads.push(null);
      return this.#word(node, place, mentions) !== undefined;
    }
    if (!statements.has(node.type) || (node.type === 'subshell' && isArithmetic(this.#text(node))))
      return false;
    if (node.type === 'function_definition') this.#definesFunction = true;
    const chain =
      node.type === 'list' && node.children.every((child) => child.isNamed || child.type === '&&');
    const inside = {
      certain: place.certain && chain,
      isReached: place.isReached && chain,
      repeats: place.repeats || repeating.has(node.type),
      hasInput: place.hasInput,
      ...(place.writesTo && { writesTo: place.writesTo }),
    };
    return this.#following(node, place, () => this.#branches(node, inside));
  }

  /** Updates the possible values of variables after a statement whose body runs once, repeatedly or not at all. */
  #following(node: Node, place: Place, read: () => boolean): boolean {
    const before = this.#shell.variables;
    if (repeating.has(node.type)) {
      this.#shell.forget(assignedIn(node, this.#source));
      if (node.type === 'for_statement' && !this.#loopVariable(node, place)) return false;
    }
    const start = this.#shell.variables;
    if (!read()) return false;
    if (node.type === 'subshell') this.#shell.restore(before);
    else if (conditional.has(node.type)) this.#shell.orElse(join(before, start));
    return true;
  }

  /**
   * Each branch starts with the variables as they are after the condition, or as earlier branches leave them: their
   * conditions have also run, and `;&` continues from one branch to the next.
   */
  #branches(node: Node, place: Place): boolean {
    if (node.type === 'list') return this.#list(node, place);
    if (!/^(?:if_statement|elif_clause|case_statement)$/.test(node.type)) return this.#all(node, place);
    let atStart = this.#shell.variables;
    let after: Variables | undefined;
    for (const [index, child] of node.children.entries()) {
      if (/^(?:elif_clause|else_clause|case_item)$/.test(child.type)) {
        after = after === undefined ? this.#shell.variables : join(after, this.#shell.variables);
        this.#shell.restore(join(atStart, after));
      }
      if (!this.#child(node, index, place)) return false;
      if (child.type === 'then') atStart = this.#shell.variables;
    }
    this.#shell.restore(
      join(atStart, after === undefined ? this.#shell.variables : join(after, this.#shell.variables)),
    );
    return true;
  }

  /** `a && b` and `a || b`: the second one follows the first, if it runs at all. */
  #list(node: Node, place: Place): boolean {
    return node.children.every((child, index) => {
      const before = this.#shell.variables;
      if (!this.#statement(child, { ...place, isReached: place.isReached && index === 0 })) return false;
      if (index > 0) this.#shell.orElse(before);
      return true;
    });
  }

  /** A loop assigns like `x=…`: `for PATH in ./bin; do ls; done` runs another `ls`. */
  #loopVariable(node: Node, place: Place): boolean {
    const variable = node.childForFieldName('variable');
    if (variable === null) return false;
    const name = this.#text(variable);
    const values: Argument[] = [];
    for (const word of node.childrenForFieldName('value')) {
      if (word === null) return false;
      const numbers = numbersOf(this.#text(word));
      if (numbers !== undefined) {
        values.push(...numbers.map((number): Argument => ({ type: 'text', text: number })));
        continue;
      }
      const pieces = this.#pieces(word, false);
      if (pieces === undefined) return false;
      const lists = this.#shell.alternatives(pieces);
      for (const value of lists?.flat() ?? [anything]) values.push(asLoopValue(value));
    }
    if (node.children.some((child) => child.type === 'select')) return false;
    // The number of iterations reveals something about a secret.
    if (values.some(({ type }) => type === 'secret')) this.#reads.push(null);
    const hasList = node.children.some((child) => child.type === 'in');
    this.#shell.assign(name, hasList ? values : [unknownText]);
    const set = { name, value: null };
    return isPlainVariable(name) || this.#plain(variable, { argv: [], raw: [] }, [set], place);
  }

  #command(node: Node, place: Place, extra: readonly Node[], document?: string): boolean {
    const words: Node[] = [];
    let inputText = document;
    const env: Assignment[] = [];
    const known = this.#writes.length;
    for (const child of node.children) {
      if (child.type === 'variable_assignment') {
        const set = this.#assignment(child, place);
        if (set === undefined) return false;
        env.push(set);
      } else if (child.type === 'file_redirect') {
        if (this.#redirect(child, [])?.length !== 0) return false;
      } else if (child.type === 'herestring_redirect') {
        if (!this.#herestring(child, place)) return false;
        inputText = this.#textOfString(child);
      } else if (child.type === 'command_name') words.push(...child.children);
      else words.push(child);
    }
    words.push(...extra);
    const text = [this.#text(node), ...extra.map((word) => this.#text(word))].join(' ');
    const hasInput = place.hasInput || node.children.some((child) => suppliesInput(child, this.#source));
    return this.#add(text, words, env, { ...this.#writing(known, place), hasInput }, inputText);
  }

  #add(
    text: string,
    nodes: readonly Node[],
    env: readonly Assignment[],
    place: Place,
    inputText: string | undefined,
  ): boolean {
    const argv: (string | null)[] = [];
    for (const node of nodes) {
      const word = wordTypes.has(node.type) ? this.#word(node, place) : undefined;
      if (word === undefined) return false;
      argv.push(word.value);
    }
    this.#words += argv.length;
    if (this.#parts.length > maxParts || this.#words > maxWords) return false;
    const full: Words = { argv, raw: nodes.map((node) => this.#text(node)) };
    const runs = this.#runs(nodes);
    if (runs === undefined) return false;
    const { words, envPrefix } = unwrap(full);
    const name = words.argv[0];
    const script = innerScript(words);
    if (name === null || script === null) this.#known.push(...(runs ?? []));
    // A wildcard in a script is first expanded to file names, which are then run as commands.
    const unwrapped = nodes.slice(nodes.length - words.argv.length + (words.raw.at(-1) === ADDED ? 1 : 0));
    const scriptEnd = isShell(name ?? '') ? words.argv.indexOf(script ?? null) : words.argv.length - 1;
    if (script != null && !unwrapped.slice(0, scriptEnd + 1).every((node) => this.#isConstant(node)))
      return false;
    if (name === undefined || name === null || name === '' || reserved.test(name) || hidesCommand(words))
      return false;
    if (script === null) return false;
    // In an inner script, words that have been read before may use it; in a loop, `assignedIn` has found it.
    const filled = this.#depth > 0 ? undefined : filledByRead(words.argv);
    if (filled !== undefined) this.#shell.fill(filled, false);
    else if (changesShell(words.argv)) this.#isOpaque = true;
    const input = this.#onlyRuns(wordsBeforePipe(nodes, this.#source));
    this.#parts.push({
      text,
      ...words,
      runs,
      ...(input && { input }),
      ...(inputText !== undefined && { inputText }),
      ...(isPiped(nodes, this.#source) && { isPiped: true }),
      full: full.argv,
      fullRaw: full.raw,
      envPrefix: [...env, ...envPrefix],
      carrier: script !== undefined && (name === 'eval' || isShell(name)),
      variables: nodes.some(usesVariables),
      ...place,
    });
    if (changesDirectory(words)) this.#shell.noteMove();
    if (script === undefined) return true;
    // `eval` continues in this shell; another shell knows only exported variables.
    const outer = this.#shell.variables;
    const isSame = name === 'eval';
    // `-x` would print every word, including the values of variables.
    if (words.argv.slice(1, -1).some((word) => /^-\w*x/.test(word ?? ''))) this.#isOpaque = true;
    if (!isSame) this.#shell.restore(new Map());
    const outerHasInput = this.#scriptHasInput;
    this.#scriptHasInput ||= place.hasInput;
    // The script may print its arguments as `$1`.
    const args = runs?.flat() ?? [anything];
    if (!isSame && args.some(({ type }) => type === 'secret')) this.#reads.push(null);
    const understood = this.#depth < maxDepth && this.#readScript(script, this, this.#depth + 1);
    if (!isSame) this.#shell.restore(outer);
    this.#scriptHasInput = outerHasInput;
    return understood;
  }

  /** True if a word is the same text in every shell, without expansions. */
  #isConstant(node: Node): boolean {
    const pieces = this.#pieces(node, false);
    const lists = pieces && this.#shell.alternatives(pieces);
    const [word] = lists?.length === 1 ? (lists[0] ?? []) : [];
    return word?.type === 'text' && word.text === wordValue(node, this.#source);
  }

  /** All possible argument lists; null = unknown, undefined = not understood. */
  #runs(nodes: readonly Node[]): CommandPart['runs'] | undefined {
    const lists: (readonly (readonly Argument[])[])[] = [];
    let isKnown = true;
    for (const node of nodes) {
      const pieces = this.#pieces(node, false);
      if (pieces === undefined) return undefined;
      const list = this.#shell.alternatives(pieces);
      if (list === undefined) isKnown = false;
      else lists.push(list);
    }
    const all = isKnown ? combine(lists) : undefined;
    const runs = all?.map((list) => unwrapRun(list.flat()));
    return runs?.every((run) => run !== undefined) ? runs.filter((run) => run !== undefined) : null;
  }

  /** The arguments in a pipeline; empty where there is not exactly one possibility. */
  #onlyRuns(commands: PipelineWords | undefined): Pipeline | undefined {
    return commands?.map((words) => {
      const runs = this.#runs(words);
      return runs?.length === 1 ? (runs[0] ?? []) : [];
    });
  }

  /** The pieces of a word; undefined if not understood. */
  #pieces(node: Node, assigned: boolean): Piece[] | undefined {
    const spans: Span[] = [];
    const collect = (inner: Node): void => {
      const [start, end] = [inner.startIndex - node.startIndex, inner.endIndex - node.startIndex];
      if (inner.type === 'command_substitution')
        spans.push({
          start,
          end,
          piece: printsPlainly(inner, this.#source) ? 'plain' : 'output',
          commands: this.#onlyRuns(wordsInside(inner, this.#source)),
        });
      else if (inner.type === 'process_substitution') {
        if (this.#text(inner).startsWith('<(')) spans.push({ start, end, piece: 'process' });
        else spans.push({ start, end, piece: 'output' });
      } else if (inner.type === 'arithmetic_expansion') {
        if (this.#text(inner).startsWith('$((')) spans.push({ start, end, piece: 'plain' });
      } else for (const child of inner.children) collect(child);
    };
    collect(node);
    return readPieces(this.#text(node), spans, assigned);
  }

  /** Processes the commands that a word would run; undefined if not understood. */
  #word(node: Node, place: Place, mentions?: string[]): { readonly value: string | null } | undefined {
    if (!this.#substitutions(node, place)) return undefined;
    mentions?.push(this.#text(node));
    return { value: wordValue(node, this.#source) };
  }

  #substitutions(node: Node, place: Place): boolean {
    const inside: Place = { ...place, certain: false, isReached: false };
    const text = this.#text(node);
    switch (node.type) {
      case 'command_substitution':
        // Inside backticks a backslash does not mean what the tree says.
        return !(text.startsWith('`') && text.includes('\\')) && this.#inSubshell(node, inside);
      case 'process_substitution':
        return this.#inSubshell(node, inside);
      case 'arithmetic_expansion':
        return arithmeticIsPlain(text);
      case 'expansion':
        return (
          expansionIsPlain(node, text) && node.children.every((child) => this.#substitutions(child, inside))
        );
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

  /** Assignments in a subshell have no effect afterwards. */
  #inSubshell(node: Node, place: Place): boolean {
    const before = this.#shell.variables;
    const understood = this.#all(node, place);
    this.#shell.restore(before);
    return understood;
  }

  #redirected(node: Node, place: Place): boolean {
    const body = node.childForFieldName('body');
    const extra: Node[] = [];
    const known = this.#writes.length;
    for (const child of node.children) {
      if (body !== null && child.id === body.id) continue;
      // The grammar gives the redirection to the whole chain, but its substitutions run last: after a `cd`, for example.
      if (body?.type === 'list' && substitutes(child)) return false;
      const understood =
        child.type === 'file_redirect'
          ? this.#redirect(child, extra) !== undefined
          : child.type === 'heredoc_redirect'
            ? this.#heredoc(child, place, extra)
            : child.type === 'herestring_redirect' && this.#herestring(child, place);
      if (!understood) return false;
    }
    if (body === null) return false;
    const hasInput = place.hasInput || node.children.some((child) => suppliesInput(child, this.#source));
    const inside = { ...this.#writing(known, place), hasInput, certain: false, isReached: false };
    const before = this.#shell.variables;
    const understood =
      body.type === 'command'
        ? this.#command(body, inside, extra, this.#documentOf(node))
        : extra.length === 0 && this.#statement(body, inside);
    // If the redirection fails, the command does not run.
    this.#shell.orElse(before);
    return understood;
  }

  /** The place of a command after whose redirections more files are written than the known ones. */
  #writing(known: number, place: Place): Place {
    const targets = this.#writes.slice(known);
    return targets.length === 0 ? place : { ...place, writesTo: [...(place.writesTo ?? []), ...targets] };
  }

  /** The words after the target belong to the command, although the grammar counts them as targets. */
  #redirect(node: Node, extra: Node[]): readonly Node[] | undefined {
    const redirect = readRedirect(node);
    if (redirect === undefined) return undefined;
    const { operator, target, rest } = redirect;
    const effect = redirectEffect(operator);
    const word = this.#word(target, elsewhere);
    const pieces = this.#pieces(target, false);
    if (word === undefined || effect === undefined || pieces === undefined) return undefined;
    // A word that shells interpret differently (`=x` in zsh) is unknown.
    const isKnown = this.#shell.alternatives(pieces) !== undefined;
    if (effect === 'writes')
      this.#writes.push(
        ...(word.value === null ? this.#shell.writtenFiles(pieces) : [isKnown ? word.value : null]),
      );
    if (effect === 'reads') this.#reads.push(...this.#shell.readFiles(word.value, pieces));
    extra.push(...rest);
    return rest;
  }

  /** The command reads the word. If its value is known only to the shell, it may be a secret, as in a file. */
  #herestring(node: Node, place: Place): boolean {
    const words = node.namedChildren.filter((child) => wordTypes.has(child.type));
    const all = words.map((word) => this.#pieces(word, true));
    if (all.some((pieces) => pieces === undefined)) return false;
    const values = all.flatMap((pieces) => this.#shell.values(pieces ?? []));
    if (values.some(({ type }) => type === 'secret')) this.#reads.push(null);
    return words.every((word) => this.#word(word, place) !== undefined);
  }

  #heredoc(node: Node, place: Place, extra: Node[]): boolean {
    return node.children.every((child) => {
      if (!child.isNamed || child.type === 'heredoc_start' || child.type === 'heredoc_end') return true;
      if (child.type === 'heredoc_body') return this.#substitutions(child, place);
      if (child.type === 'file_redirect') return this.#redirect(child, extra) !== undefined;
      if (wordTypes.has(child.type)) return extra.push(child) > 0;
      return this.#statement(child, { ...place, hasInput: true, certain: false, isReached: false });
    });
  }

  /** The text of the only redirection of input, if that is a here-document. It contains no expansions. */
  #documentOf(node: Node): string | undefined {
    const inputs = node.children.filter((child) => isInput(child, this.#source));
    const body = inputs[0]?.children.find((child) => child.type === 'heredoc_body');
    return inputs.length === 1 && body !== undefined ? this.#text(body) : undefined;
  }

  #textOfString(node: Node): string | undefined {
    const [word] = node.namedChildren.filter((child) => wordTypes.has(child.type));
    return (word && wordValue(word, this.#source)) ?? undefined;
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
    const lists: (readonly (readonly Argument[])[])[] = [];
    for (const [index, leaf] of leaves.entries()) {
      const pieces = wordTypes.has(leaf.type) ? this.#pieces(leaf, false) : [];
      if (pieces === undefined) return false;
      const list = wordTypes.has(leaf.type)
        ? this.#shell.alternatives(pieces)
        : [[{ type: 'text' as const, text: raw[index] ?? '' }]];
      lists.push(list ?? [[anything]]);
    }
    const runs = combine(lists)?.map((list) => list.flat()) ?? null;
    return this.#plain(node, { argv, raw }, [], place, runs);
  }

  #declaration(node: Node, place: Place): boolean {
    const names = node.namedChildren.filter((child) => child.type === 'variable_assignment');
    const rest = node.namedChildren.filter((child) => child.type !== 'variable_assignment');
    this.#isOpaque = true;
    if (names.some((child) => this.#assignment(child, place) === undefined)) return false;
    if (rest.some((child) => !wordTypes.has(child.type) || this.#word(child, place) === undefined))
      return false;
    const raw = node.children.map((child) => this.#text(child));
    return this.#plain(node, { argv: raw, raw }, [], place);
  }

  #assignments(node: Node, place: Place): boolean {
    const all = node.type === 'variable_assignments' ? node.namedChildren : [node];
    const env = all.map((child) => this.#assignment(child, place));
    if (env.some((set) => set === undefined)) return false;
    return this.#plain(node, { argv: [], raw: [] }, env as Assignment[], place);
  }

  /** undefined if it is not a plain assignment. */
  #assignment(node: Node, place: Place): Assignment | undefined {
    const name = node.childForFieldName('name');
    const value = node.childForFieldName('value');
    if (node.type !== 'variable_assignment' || name?.type !== 'variable_name') return undefined;
    const mentions = this.#isOnlyPassedOn(node, name, value) ? undefined : this.#mentions;
    if (value !== null && !(wordTypes.has(value.type) && this.#word(value, place, mentions)))
      return undefined;
    const pieces = value === null ? [] : this.#pieces(value, true);
    if (pieces === undefined) return undefined;
    // In dash `x+=/y` is the name of a program, which no variable can have.
    const isWhole = this.#text(node).startsWith(`${this.#text(name)}=`);
    const values: readonly Argument[] = isWhole
      ? value === null
        ? [{ type: 'text', text: '' }]
        : this.#shell.values(pieces)
      : [anything];
    const before = this.#shell.variables;
    this.#shell.assign(this.#text(name), values);
    // A value set for a single command is gone afterwards, except with some builtins of some shells.
    if (node.parent?.type === 'command') this.#shell.orElse(before);
    return {
      name: isWhole ? this.#text(name) : `${this.#text(name)}+`,
      value: value === null ? '' : wordValue(value, this.#source),
    };
  }

  /** `DEBUG=* npm test`: nothing expands the pattern, and the command itself does not use the variable. */
  #isOnlyPassedOn(node: Node, nameNode: Node, valueNode: Node | null): boolean {
    const name = this.#text(nameNode);
    const value = valueNode === null ? '' : wordValue(valueNode, this.#source);
    return (
      node.parent?.type === 'command' &&
      isHarmlessAssignment({ name, value }) &&
      this.#source.split(name).length === 2
    );
  }

  #plain(
    node: Node,
    words: Words,
    env: readonly Assignment[],
    place: Place,
    runs: CommandPart['runs'] = null,
  ): boolean {
    this.#parts.push({
      text: this.#text(node),
      ...words,
      runs,
      full: words.argv,
      fullRaw: words.raw,
      envPrefix: env,
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

/** One of the files or words that a value stands for. */
function asLoopValue(value: Argument): Argument {
  if (value.type === 'files') return { ...value, single: true };
  if (value.type !== 'output' || value.printed === undefined) return value;
  const { printed, ...text } = value;
  // zsh does not split the value of a variable.
  return value.loose && printed.use !== 'kept' ? { ...text, printed: { ...printed, use: 'word' } } : text;
}

/** True if a variable in the word may contain a secret. */
const namesSecret = (node: Node, source: string, variables: Variables): boolean =>
  node
    .descendantsOfType('variable_name')
    .some((name) => name !== null && mayBeSecret(source.slice(name.startIndex, name.endIndex), variables));

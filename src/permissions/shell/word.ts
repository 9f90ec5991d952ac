/** Determines the value of a shell word if that is known from the source alone. Pure; one node of the tree at a time. */
import type { Node } from 'web-tree-sitter';
import type { Pipeline } from './argument.ts';

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

/** The word without quotes; null if it is known only to the shell. */
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

/**
 * Splits the source of one shell word into pieces, by rules on which bash, dash and zsh agree. The grammar determines
 * where a word begins and ends; this file determines its meaning, and rejects what the three interpret differently.
 * Pure.
 */

export type Piece =
  /** Exactly this text; `quoted` means that the shell does not process it further. */
  | { readonly type: 'text'; readonly text: string; readonly quoted: boolean }
  /** `$name` or `${name}`. */
  | { readonly type: 'variable'; readonly name: string; readonly quoted: boolean }
  /** Text derived from a variable, such as `${name%.ts}`; `cut` if its length depends on the value. */
  | { readonly type: 'derived'; readonly name: string; readonly quoted: boolean; readonly cut: boolean }
  /** The output of a command, or a number: unknown text, but not a secret of the environment. */
  | {
      readonly type: 'output';
      readonly quoted: boolean;
      /** It is one word, or numbers, even without quotes. */
      readonly plain?: boolean;
      /** What prints it, if that is known. */
      readonly commands?: Pipeline;
    }
  /** `~` at the start of a word, alone or before a slash. */
  | { readonly type: 'tilde' }
  /** `{`, `,` and `}` without quotes. */
  | { readonly type: 'brace'; readonly text: '{' | ',' | '}' }
  /** Something harmless that the shells interpret differently. */
  | { readonly type: 'unknown' };

/** Stands for the path of `<(…)`. No argument can be equal to it, since none contains this character. */
export const OUTPUT_OF_COMMAND = '/dev/\u0002';

/** A part of the word that runs commands or calculates, by its position in the word's text. */
export interface Span {
  readonly start: number;
  readonly end: number;
  /** A path that stands for a process, or text that the shell generates. */
  readonly piece: 'process' | 'output' | 'plain';
  readonly commands?: Pipeline | undefined;
}

/** Allowed contents of `${…}`: a name, its length, or one operator with plain text on which the shells agree. */
const braced =
  /^\$\{(?:(#?)([A-Za-z_]\w*|[0-9]+|[?#])|([A-Za-z_]\w*)(:?[-+]|%%?|##?|\/\/?)[\w./*?@,%+ -]*)\}/;
/** A literal dollar sign: zsh also expands `$=x`, `$~x`, `$^x` and `$+x`. */
const isLoneDollar = (rest: string): boolean => /^\$(?:$|[\s./%,:;)|\]}"\\])/.test(rest);
/** After `$name` in zsh: `[` is a subscript, which is evaluated, and `:` begins a modifier. */
const modifier = /^:[aAcehlpPqQrstuxwWfFgs&]/;

/**
 * undefined if the word may run or access something that is not visible here. `spans` are in order and do not overlap.
 * `assigned`: the word is the value of an assignment.
 */
export function readPieces(text: string, spans: readonly Span[], assigned: boolean): Piece[] | undefined {
  const pieces: Piece[] = [];
  let quoted = false;
  let at = 0;
  const add = (piece: Piece): void => {
    const last = pieces.at(-1);
    if (piece.type === 'text' && last?.type === 'text' && last.quoted === piece.quoted)
      pieces[pieces.length - 1] = { ...last, text: last.text + piece.text };
    else pieces.push(piece);
  };
  while (at < text.length) {
    const rest = text.slice(at);
    const char = text.charAt(at);
    const span = spans.find(({ start }) => start === at);
    if (span !== undefined) {
      if (span.piece === 'process' && quoted) return undefined;
      add(
        span.piece === 'process'
          ? { type: 'text', text: OUTPUT_OF_COMMAND, quoted: true }
          : {
              type: 'output',
              quoted: quoted || span.piece === 'plain',
              ...(span.piece === 'plain' && { plain: true }),
              ...(span.commands && { commands: span.commands }),
            },
      );
      at = span.end;
    } else if (char === '$') {
      const variable = readDollar(rest, quoted);
      if (variable === undefined) return undefined;
      add(variable.piece);
      at += variable.length;
    } else if (char === '\\') {
      if (at + 1 >= text.length) return undefined;
      const next = text.charAt(at + 1);
      if (next !== '\n')
        add({ type: 'text', text: quoted && !/["\\$`]/.test(next) ? char + next : next, quoted: true });
      at += 2;
    } else if (char === '"') {
      quoted = !quoted;
      add({ type: 'text', text: '', quoted: true });
      at += 1;
    } else if (char === '`') return undefined;
    else if (quoted) {
      add({ type: 'text', text: char, quoted: true });
      at += 1;
    } else if (char === "'") {
      const end = text.indexOf("'", at + 1);
      if (end === -1) return undefined;
      add({ type: 'text', text: text.slice(at + 1, end), quoted: true });
      at = end + 1;
    } else if (/[\s;&|<>()]/.test(char)) return undefined;
    else {
      add(bare(char, text, at, pieces.at(-1), assigned));
      at += 1;
    }
  }
  return quoted ? undefined : pieces;
}

function bare(char: string, text: string, at: number, last: Piece | undefined, assigned: boolean): Piece {
  if (char === '{' || char === '}' || char === ',') return { type: 'brace', text: char };
  const before = text.charAt(at - 1);
  const next = text.charAt(at + 1);
  if (char === '~') {
    if (at === 0) return next === '' || next === '/' ? { type: 'tilde' } : { type: 'unknown' };
    if (before === '=' || before === ':') return { type: 'unknown' };
    // Inside and after braces it may begin a word; in zsh also if the text before it is empty. `@{u}~1` is a commit.
    const isInside = last?.type === 'text' && !last.quoted;
    if (!isInside && !(/\d/.test(next) && before === '}')) return { type: 'unknown' };
  }
  // In zsh `=ls` is the path of `ls`.
  if (char === '=' && next !== '' && (at === 0 || (assigned && before === ':'))) return { type: 'unknown' };
  return { type: 'text', text: char, quoted: false };
}

function readDollar(
  rest: string,
  quoted: boolean,
): { readonly piece: Piece; readonly length: number } | undefined {
  const name = /^\$(?:([A-Za-z_]\w*)|[0-9?#$!@*-])/.exec(rest);
  if (name !== null) {
    const [whole, variable] = name;
    const after = rest.slice(whole.length);
    // zsh interprets `$#name` as a length, and `$x[1]` as an element.
    if (after.startsWith('[') || (whole === '$#' && /^[\w{(]/.test(after))) return undefined;
    const isKnown = variable !== undefined && !modifier.test(after);
    if (isKnown) return { piece: { type: 'variable', name: variable, quoted }, length: whole.length };
    const piece: Piece =
      variable === undefined
        ? // Without a previous job, `$!` is empty. Even in quotes, `$@` is no word at all if there are no parameters.
          { type: 'output', quoted: whole !== '$@' && (quoted || /^\$[?#$]/.test(whole)) }
        : { type: 'derived', name: variable, quoted, cut: true };
    return { piece, length: whole.length };
  }
  const expansion = braced.exec(rest);
  if (expansion !== null) {
    const [whole, sign, plain = '', derived, operator = ''] = expansion;
    const length = whole.length;
    if (derived !== undefined)
      return { piece: { type: 'derived', name: derived, quoted, cut: !/[-+]/.test(operator) }, length };
    // Lengths, counts and statuses are always one word. An unset positional parameter becomes no word, like `$1`.
    const isNumber = sign === '#' || /^[?#]$/.test(plain);
    if (!/^[A-Za-z_]/.test(plain)) return { piece: { type: 'output', quoted: quoted || isNumber }, length };
    // The length of a secret reveals something about it.
    if (sign === '#') return { piece: { type: 'derived', name: plain, quoted: true, cut: true }, length };
    return { piece: { type: 'variable', name: plain, quoted }, length };
  }
  if (rest.startsWith("$'") && !quoted) {
    const whole = /^\$'(?:[^'\\]|\\.)*'/s.exec(rest)?.[0];
    return whole === undefined ? undefined : { piece: { type: 'unknown' }, length: whole.length };
  }
  if (rest === '$' || (quoted && isLoneDollar(rest)))
    return { piece: { type: 'text', text: '$', quoted: true }, length: 1 };
  return undefined;
}

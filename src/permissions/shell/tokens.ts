/**
 * Splits a command into tokens by a small set of rules on which bash, dash and zsh agree, independently of the grammar.
 * Anything that no rule covers is not understood. `crossCheck.ts` compares the tokens with the syntax tree, so that a
 * mistake in only one of them is caught. Pure.
 */

export interface Token {
  /**
   * A word, with its quotes and substitutions; an operator of the shell; the digit before a redirection; a comment.
   */
  readonly kind: 'word' | 'operator' | 'descriptor' | 'comment';
  readonly start: number;
  readonly end: number;
}

export interface Tokens {
  /** In the order of their ends: the tokens of a substitution come before the word that contains it. */
  readonly tokens: readonly Token[];
  /** The lines of here-documents, with their last lines. */
  readonly documents: readonly { readonly start: number; readonly end: number }[];
}

/** undefined if anything in the text is not listed here. */
export function tokensOf(source: string): Tokens | undefined {
  const scanner = new Scanner(source);
  return scanner.readList(0, undefined) === source.length ? scanner : undefined;
}

/** Writes `x - <<E` as `x <<E -`, which means the same: the grammar loses a dash before a here-document. */
export function withDashesBehind(source: string): string {
  if (!/[ \t]-[ \t]*<</.test(source)) return source;
  const tokens = [...(tokensOf(source)?.tokens ?? [])].sort((a, b) => a.start - b.start);
  const sourceOf = ({ start, end }: Token): string => source.slice(start, end);
  let text = source;
  // From the end, so that the positions of the others stay right.
  for (let at = tokens.length - 3; at >= 0; at--) {
    const [dash, operator, delimiter] = tokens.slice(at, at + 3);
    if (!dash || !operator || !delimiter || sourceOf(dash) !== '-' || !/^<<-?$/.test(sourceOf(operator)))
      continue;
    const redirect = source.slice(operator.start, delimiter.end);
    text = `${text.slice(0, dash.start)}${redirect} -${text.slice(delimiter.end)}`;
  }
  return text;
}

/** The longest comes first. A `>(` and every other operator is not understood. */
const operators = /(?:;;&|;;|;&|;|&&|&>>|&>|&|\|\||\|&|\||\(|\)|<<<|<<-|<<|<|>>|>&|>)/y;
const redirection = /^(?:<<<|<<-|<<|<|>>|>&|>|&>>|&>)$/;
/** Characters that end a word. */
const ending = /[ \t\n;&|()<>]/;
/** The characters of a word outside of quotes: no Unicode spaces, nothing invisible. */
const plainCharacter = /[!-~]|[\p{L}\p{M}\p{N}\p{P}\p{S}]/uy;
/** `word.ts` parses `${…}`; here only its end matters, so it must not contain quotes or other expansions. */
const braced = /\$\{[^{}"'`\\$\n]*\}/y;
const arithmetic = /\$\(\((?:[\d\s+*/%<>=!&|^~?:-]|\([^()'"`$\\]*\))*\)\)/y;
const ansiText = /\$'(?:[^'\\]|\\.)*'/sy;
const variable = /\$(?:[A-Za-z_]\w*|[0-9?#$!@*-])/y;
const backticks = /`[^`\\]*`/y;
const delimiter = /(['"]?)([A-Za-z_]\w*)\1(?=[ \t\n;&|<>)])/y;

/** Nesting of substitutions. */
const MAX_DEPTH = 20;

class Scanner implements Tokens {
  readonly #source: string;
  readonly tokens: Token[] = [];
  readonly documents: { start: number; end: number }[] = [];
  /** The here-document whose lines follow the current one. */
  #awaited: { readonly delimiter: string; readonly tabs: boolean } | undefined;
  #depth = 0;
  #inBackticks = false;

  constructor(source: string) {
    this.#source = source;
  }

  /** Reads up to the end of the source, or up to `closing`; returns where it stopped, undefined if not understood. */
  readList(from: number, closing: ')' | '`' | undefined): number | undefined {
    let at = from;
    let open = 0;
    for (;;) {
      at = this.#skipBlanks(at);
      const char = this.#source.charAt(at);
      if (char === '') return closing === undefined && this.#awaited === undefined ? at : undefined;
      if (char === closing && open === 0) return this.#awaited === undefined ? at : undefined;
      if (char === '\n') {
        const after = this.#document(at + 1);
        if (after === undefined) return undefined;
        at = after;
        continue;
      }
      if (char === '#') {
        // In a substitution each shell ends a comment in a different place.
        if (closing !== undefined) return undefined;
        const end = this.#source.indexOf('\n', at);
        at = this.#add('comment', at, end === -1 ? this.#source.length : end);
        continue;
      }
      // The pattern of a `case` may end with a bracket that was not opened: only the tree tells.
      if (char === '(') open += 1;
      if (char === ')') open -= 1;
      const next = this.#operator(at) ?? this.#word(at);
      if (next === undefined) return undefined;
      at = next;
    }
  }

  #add(kind: Token['kind'], start: number, end: number): number {
    this.tokens.push({ kind, start, end });
    return end;
  }

  #match(pattern: RegExp, at: number): string | undefined {
    pattern.lastIndex = at;
    return pattern.exec(this.#source)?.[0];
  }

  /** Spaces and tabs, and line continuations next to one. Anywhere else the shell joins two words. */
  #skipBlanks(from: number): number {
    let at = from;
    for (;;) {
      const char = this.#source.charAt(at);
      const isJoined = char === '\\' && this.#source.charAt(at + 1) === '\n';
      const isApart = /[ \t]/.test(this.#source.charAt(at - 1)) || /[ \t]/.test(this.#source.charAt(at + 2));
      if (char === ' ' || char === '\t') at += 1;
      else if (isJoined && isApart) at += 2;
      else return at;
    }
  }

  /** An operator; of a redirection, with its descriptor and word. undefined if there is none, or an unknown one. */
  #operator(from: number): number | undefined {
    const digit = /[0-9]/.test(this.#source.charAt(from)) && /[<>]/.test(this.#source.charAt(from + 1));
    const at = digit ? from + 1 : from;
    const operator = this.#match(operators, at);
    if (operator === undefined || (operator === '<' && this.#source.charAt(at + 1) === '(')) return undefined;
    if (digit) this.#add('descriptor', from, at);
    this.#add('operator', at, at + operator.length);
    if (!redirection.test(operator)) return at + operator.length;
    return this.#target(operator, digit ? this.#source.charAt(from) : '', at + operator.length);
  }

  /**
   * The redirections that are understood. Each descriptor keeps its meaning: 0 is only read, 1 and 2 are only written,
   * and no other is opened, closed or copied.
   */
  #target(operator: string, descriptor: string, after: number): number | undefined {
    const at = this.#skipBlanks(after);
    // In zsh `>!` means `>|`.
    if (this.#source.charAt(at) === '!') return undefined;
    switch (operator) {
      case '<':
      case '<<<':
        return descriptor === '' ? this.#word(at) : undefined;
      case '<<':
      case '<<-':
        return descriptor === '' ? this.#delimiter(operator, at) : undefined;
      case '>&':
        // `>&2` and `2>&1`; without a space, which dash and zsh do not expect.
        if (!/^[12]?$/.test(descriptor) || at !== after) return undefined;
        return /^[12](?:[ \t\n;&|)]|$)/.test(this.#source.slice(at, at + 2))
          ? this.#add('word', at, at + 1)
          : undefined;
      case '>':
      case '>>':
        return /^[12]?$/.test(descriptor) ? this.#word(at) : undefined;
      default: {
        // dash sees the end of a command in `&>`: words after it would be another one.
        const end = descriptor === '' ? this.#word(at) : undefined;
        const rest = end === undefined ? at : this.#skipBlanks(end);
        return /^(?:[\n;&|)]|2>&1|$)/.test(this.#source.slice(rest, rest + 4)) ? end : undefined;
      }
    }
  }

  #delimiter(operator: string, at: number): number | undefined {
    const word = this.#match(delimiter, at);
    if (word === undefined || this.#awaited !== undefined) return undefined;
    this.#awaited = { delimiter: word.replace(/['"]/g, ''), tabs: operator === '<<-' };
    return this.#add('word', at, at + word.length);
  }

  /** Skips the lines of a here-document that begins here. */
  #document(start: number): number | undefined {
    if (this.#awaited === undefined) return start;
    const { delimiter: last, tabs } = this.#awaited;
    this.#awaited = undefined;
    for (let at = start; at < this.#source.length; ) {
      const end = this.#source.indexOf('\n', at);
      const lineEnd = end === -1 ? this.#source.length : end;
      const line = this.#source.slice(at, lineEnd);
      if ((tabs ? line.replace(/^\t+/, '') : line) === last) {
        this.documents.push({ start, end: lineEnd });
        return lineEnd;
      }
      at = lineEnd + 1;
    }
    return undefined;
  }

  /** Reads a word of at least one character. */
  #word(start: number): number | undefined {
    let at = start;
    for (;;) {
      const char = this.#source.charAt(at);
      if (char === '<' && at === start && this.#source.charAt(at + 1) === '(') {
        const end = this.#nested(at + 2, ')');
        if (end === undefined) return undefined;
        at = end;
      } else if (char === '' || ending.test(char) || (char === '`' && this.#inBackticks)) break;
      else {
        const end = this.#piece(at);
        if (end === undefined) return undefined;
        at = end;
      }
    }
    return at > start && this.#mayEnd(start, at) ? this.#add('word', start, at) : undefined;
  }

  /** True if a word may end here: what follows is not a subscript, a pattern in parentheses, or a descriptor. */
  #mayEnd(start: number, end: number): boolean {
    const next = this.#source.slice(end, end + 2);
    if (next.startsWith('(')) return next === '()' && /^\w+$/.test(this.#source.slice(start, end));
    return !/^(?:[<>]|&>)/.test(next) || (/[A-Za-z"')`]/.test(this.#source.charAt(end - 1)) && next !== '<(');
  }

  #piece(at: number): number | undefined {
    switch (this.#source.charAt(at)) {
      case '\\': {
        const next = this.#source.charAt(at + 1);
        return next === '' || next === '\n' ? undefined : at + 1 + next.length;
      }
      case "'": {
        const end = this.#source.indexOf("'", at + 1);
        return end === -1 ? undefined : end + 1;
      }
      case '"':
        return this.#quoted(at + 1);
      case '$':
        return this.#dollar(at, false);
      case '`':
        return this.#backticks(at, false);
      default: {
        const char = this.#match(plainCharacter, at);
        return char === undefined ? undefined : at + char.length;
      }
    }
  }

  #quoted(start: number): number | undefined {
    for (let at = start; ; ) {
      const char = this.#source.charAt(at);
      if (char === '"') return at + 1;
      const end =
        char === '\\'
          ? at + 2
          : char === '$'
            ? this.#dollar(at, true)
            : char === '`'
              ? this.#backticks(at, true)
              : at + 1;
      if (end === undefined || end > this.#source.length) return undefined;
      at = end;
    }
  }

  #dollar(at: number, isQuoted: boolean): number | undefined {
    const whole =
      this.#match(variable, at) ??
      this.#match(braced, at) ??
      this.#match(arithmetic, at) ??
      (isQuoted ? undefined : this.#match(ansiText, at));
    if (whole !== undefined) return at + whole.length;
    const next = this.#source.charAt(at + 1);
    if (next === '(') return this.#source.charAt(at + 2) === '(' ? undefined : this.#nested(at + 2, ')');
    // A literal dollar sign.
    const isLone = isQuoted ? /^[\s./%,:;)|\]}"\\]$/.test(next) : next === '' || ending.test(next);
    return isLone ? at + 1 : undefined;
  }

  #backticks(at: number, isQuoted: boolean): number | undefined {
    const whole = this.#match(backticks, at);
    if (whole === undefined || (isQuoted && whole.includes('"'))) return undefined;
    return this.#nested(at + 1, '`');
  }

  /** The commands of a substitution, and the character that ends it. */
  #nested(at: number, closing: ')' | '`'): number | undefined {
    if (this.#depth >= MAX_DEPTH || this.#awaited !== undefined) return undefined;
    const isInside = this.#inBackticks;
    this.#depth += 1;
    this.#inBackticks = closing === '`';
    const end = this.readList(at, closing);
    this.#depth -= 1;
    this.#inBackticks = isInside;
    return end === undefined ? undefined : end + 1;
  }
}

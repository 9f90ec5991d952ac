/**
 * Reads the commands in shell text, with every text that a word may become. The parser for permissions rejects what it
 * does not understand; this one continues, since finding too much is better than finding nothing. Pure.
 */

/** Stands for any text in a word. */
export const ANY = '\uE000';
/** Stands for any text without a slash, as from a file name pattern. */
export const GLOB = '\uE001';
/** A space at which the shell splits a word. */
const SPLIT = '\uE002';

/** The texts that a word may become. */
export type Texts = readonly string[];

export interface ReadCommand {
  /** The program and its arguments, without assignments and redirections. */
  readonly words: readonly Texts[];
  /** True if it may read a pipe. */
  readonly isFed: boolean;
  /** The files that it reads as its input (`<`). */
  readonly inputs: readonly Texts[];
  /** What it reads from a here-document or a here-string. */
  readonly documents: readonly Texts[];
  /** True in a substitution: what it prints becomes part of the text around it. */
  readonly isCaptured: boolean;
}

export interface ShellText {
  readonly commands: readonly ReadCommand[];
  /** The files to which redirections write, without descriptors (`2>&1`). */
  readonly outputs: readonly Texts[];
  /** The names of functions that it defines. */
  readonly functions: ReadonlySet<string>;
  /** What variables are set to. */
  readonly values: readonly { readonly name: string; readonly texts: Texts }[];
  /** True if it changes how the shell splits words or finds functions. */
  readonly isOdd: boolean;
}

/** The texts of variables: those of the environment that are known, and those that the text sets itself. */
export type KnownVariables = Map<string, ReadonlySet<string>>;

/** A word with more possible texts counts as any text. */
const MAX_TEXTS = 64;
/** Characters of a condition or a calculation. */
const MAX_AHEAD = 1000;
const MAX_DEPTH = 20;

/** Adds what the text sets to `variables`. */
export function readShell(text: string, variables: KnownVariables): ShellText {
  const source = text.replaceAll(SPLIT, ' ');
  // The second pass knows what loops, functions and later lines set.
  new Reader(source, variables).read();
  return new Reader(source, variables).read();
}

interface OpenCommand {
  words: Texts[];
  readonly inputs: Texts[];
  readonly documents: Texts[];
  readonly isFed: boolean;
  readonly isCaptured: boolean;
}

const keywords = /^(?:if|then|elif|else|fi|do|done|while|until|!|\{|\}|time|coproc|esac|noglob|nocorrect)$/;
const assignment = /([A-Za-z_]\w*)(\[[^\]\s]*\])?(\+?)=/y;
const declares = /^(?:export|declare|local|readonly|typeset|env)$/;
const fills = /^(?:read|mapfile|readarray|getopts|let|printf|unset)$/;
const name = /^[A-Za-z_]\w*$/;
const beforeRead = /^[ \t]+read\b/;

class Reader {
  readonly #source: string;
  readonly #variables: KnownVariables;
  readonly #commands: ReadCommand[] = [];
  readonly #values: { readonly name: string; readonly texts: Texts }[] = [];
  readonly #functions = new Set<string>();
  readonly #outputs: Texts[] = [];
  #awaited: { delimiter: string; isTabbed: boolean; isQuoted: boolean; command: OpenCommand }[] = [];
  #at = 0;
  #depth = 0;
  #hasPipe = false;
  #isInBackticks = false;
  #isOdd = false;

  constructor(source: string, variables: KnownVariables) {
    this.#source = source;
    this.#variables = variables;
  }

  read(): ShellText {
    this.#list('');
    return {
      ...{ commands: this.#commands, values: this.#values },
      ...{ outputs: this.#outputs, functions: this.#functions },
      isOdd: this.#isOdd || this.#functions.has('command_not_found_handle'),
    };
  }

  /** Reads commands up to the end or up to `closing`, which it skips. */
  #list(closing: '' | ')' | '`'): void {
    let open = 0;
    let command = this.#opened();
    const end = (): void => {
      this.#add(command);
      command = this.#opened();
    };
    while (this.#at < this.#source.length) {
      const char = this.#source.charAt(this.#at);
      if (char === closing && open === 0) {
        this.#at += 1;
        break;
      }
      const start = this.#at;
      if (/[ \t]/.test(char)) this.#at += 1;
      // Operators in a condition start no commands.
      else if (/[;&|<>()]/.test(char) && this.#isCondition(command)) this.#at += 1;
      else if (this.#source.startsWith('\\\n', this.#at)) this.#at += 2;
      else if (char === '\n') {
        this.#at += 1;
        end();
        this.#documents();
      } else if (char === '#') this.#skip(this.#isInBackticks ? /[^\n`]*/y : /[^\n]*/y);
      else if (/[;&|]/.test(char) && !this.#source.startsWith('&>', this.#at)) {
        const isOr = this.#source.startsWith('||', this.#at);
        if (char === '|' && !isOr) this.#hasPipe = true;
        this.#at += isOr ? 2 : 1;
        end();
      } else if (char === '(' && this.#arithmetic()) end();
      else if (char === '(') {
        this.#at += 1;
        const [only] = command.words;
        if (command.words.length === 1 && /^\s*\)/.test(this.#source.slice(this.#at))) {
          for (const text of only ?? []) this.#functions.add(text);
          command = this.#opened();
          this.#skip(/\s*\)/y);
        } else {
          open += 1;
          end();
        }
      } else if (char === ')') {
        this.#at += 1;
        if (open > 0) {
          open -= 1;
          end();
        } else command = this.#opened(); // the pattern of a `case`
      } else if (!this.#redirection(command)) this.#wordOf(command);
      if (this.#at === start) this.#at += 1;
    }
    end();
  }

  /** True between `[[` and a `]]` on the same line. */
  #isCondition({ words }: OpenCommand): boolean {
    const isOpen = words[0]?.includes('[[') === true && !words.some((word) => word.includes(']]'));
    return isOpen && /^[^\n]*\s\]\]/.test(this.#source.slice(this.#at, this.#at + MAX_AHEAD));
  }

  /** Reads `((…))`; false if it is something else, such as a subshell in a subshell. */
  #arithmetic(): boolean {
    if (!this.#source.startsWith('((', this.#at)) return false;
    for (let open = 2, at = this.#at + 2; at < Math.min(this.#source.length, this.#at + MAX_AHEAD); at += 1) {
      open += { '(': 1, ')': -1 }[this.#source.charAt(at)] ?? 0;
      // The inner parenthesis closes right before the outer one.
      if (open === 1 && this.#source.charAt(at + 1) !== ')') return false;
      if (open > 0) continue;
      this.#inside(this.#source.slice(this.#at + 2, at - 1));
      this.#at = at + 1;
      return true;
    }
    return false;
  }

  #opened(): OpenCommand {
    const isCaptured = this.#depth > 0;
    return { words: [], inputs: [], documents: [], isFed: this.#hasPipe, isCaptured };
  }

  #skip(pattern: RegExp): string {
    pattern.lastIndex = this.#at;
    const text = pattern.exec(this.#source)?.[0] ?? '';
    this.#at += text.length;
    return text;
  }

  #add(command: OpenCommand): void {
    const [program = [], ...args] = command.words;
    const texts = args.flat();
    if (program.includes('for') || program.includes('select')) {
      const [variable = [], , ...list] = args;
      for (const one of variable) this.#assign(one, list.length === 0 ? [ANY] : list.flat());
      return;
    }
    if (program.some((one) => fills.test(one)))
      for (const one of texts) if (name.test(one)) this.#assign(one, [ANY]);
    if (program.includes('set') || program.some((one) => this.#functions.has(one))) this.#assign('@', texts);
    if (command.words.length + command.inputs.length + command.documents.length > 0)
      this.#commands.push(command);
    // A word that may be empty then disappears.
    if (program.includes('') && args.length > 0) this.#add({ ...command, words: args });
  }

  #assign(variable: string, texts: Texts): void {
    const all = new Set([...(this.#variables.get(variable) ?? []), ...texts]);
    this.#variables.set(variable, all.size > MAX_TEXTS ? new Set([ANY]) : all);
  }

  /** False if there is none here. */
  #redirection(command: OpenCommand): boolean {
    const before = this.#at;
    const operator = this.#skip(
      /(?:[0-9]*|\{\w+\})(?:<<<|<<-?|<>|<&|<(?!\()|&>>?|>>|>\||>&|>(?!\())/y,
    ).replace(/^(?:\d+|\{\w+\})/, '');
    if (operator === '') {
      this.#at = before;
      return false;
    }
    this.#skip(/(?:[ \t]|\\\n)+/y);
    if (operator === '<<' || operator === '<<-') {
      const word = this.#skip(/(?:"[^"\n]*"|'[^'\n]*'|\\.|[^\s;&|<>()])+/y);
      const delimiter = word.replace(/['"\\]/g, '');
      this.#awaited.push({ delimiter, isTabbed: operator === '<<-', isQuoted: delimiter !== word, command });
      return true;
    }
    const [target = []] = this.#word(false);
    if (operator === '<<<') command.documents.push(target);
    // A descriptor that was opened elsewhere.
    else if (operator === '<&') command.inputs.push([ANY]);
    else if (operator.startsWith('<')) command.inputs.push(target);
    // Text that is only written does not run.
    if (
      operator.includes('>') &&
      !target.every((text) => /^(?:\d*-?|\/dev\/(?:null|stdout|stderr|tty))$/.test(text))
    )
      this.#outputs.push(target);
    return true;
  }

  /** Reads the here-documents that begin on this line. */
  #documents(): void {
    const awaited = this.#awaited;
    this.#awaited = [];
    for (const { delimiter, isTabbed, isQuoted, command } of awaited) {
      const lines: string[] = [];
      while (this.#at < this.#source.length) {
        const line = this.#skip(/[^\n]*/y);
        this.#at += 1;
        if ((isTabbed ? line.replace(/^\t+/, '') : line) === delimiter) break;
        lines.push(line);
      }
      const text = lines.join('\n');
      command.documents.push(isQuoted ? [text] : this.#inside(text));
    }
  }

  /** The texts of quoted text from elsewhere. */
  #inside(text: string): Texts {
    if (!/[$`\\]/.test(text)) return [text];
    const reader = new Reader(text, this.#variables);
    reader.#depth = this.#depth + 1;
    const texts = reader.#depth > MAX_DEPTH ? [ANY] : reader.#quoted('');
    this.#commands.push(...reader.#commands);
    this.#values.push(...reader.#values);
    this.#outputs.push(...reader.#outputs);
    this.#isOdd ||= reader.#isOdd;
    return texts;
  }

  #wordOf(command: OpenCommand): void {
    assignment.lastIndex = this.#at;
    const set = assignment.exec(this.#source);
    const isDeclared = command.words[0]?.some((one) => declares.test(one)) === true;
    if (set !== null && (command.words.length === 0 || isDeclared)) {
      const [whole, variable = '', subscript = '', plus] = set;
      this.#at += whole.length;
      this.#inside(subscript);
      const before = [...(this.#variables.get(variable) ?? [])];
      const from = this.#at;
      const values = this.#source.charAt(this.#at) === '(' ? this.#array() : (this.#word(true)[0] ?? ['']);
      // In a loop, the value grows.
      const grows =
        plus === '+' || new RegExp(`\\$\\{?${variable}\\b`).test(this.#source.slice(from, this.#at));
      // `IFS=, read -r a b` sets it for one command, whose results count as any text.
      if (
        variable === 'IFS' &&
        !values.every((one) => /^\s*$/.test(one)) &&
        !beforeRead.test(this.#source.slice(this.#at))
      )
        this.#isOdd = true;
      this.#assign(variable, grows ? [...values, ...before.map((one) => one + ANY)] : values);
      this.#values.push({ name: variable, texts: values });
      return;
    }
    const start = this.#at;
    const words = this.#word(false);
    const source = this.#source.slice(start, this.#at);
    if (command.words.length === 0 && keywords.test(source)) {
      // Later commands may read its output.
      this.#isOdd ||= source === 'coproc';
      if (source === 'time') this.#skip(/\s+-p\b/y);
      return;
    }
    if (command.words.length === 0 && source === 'function') {
      this.#skip(/\s+/y);
      for (const text of this.#word(false).flat()) this.#functions.add(text);
      return;
    }
    // `case word in` is followed by a pattern.
    if (source === 'in' && command.words[0]?.includes('case') === true) command.words = [];
    else command.words.push(...words);
  }

  /** The elements of `(…)` after an assignment. */
  #array(): Texts {
    const texts: string[] = [];
    this.#at += 1;
    while (this.#at < this.#source.length && this.#source.charAt(this.#at) !== ')') {
      this.#inside(this.#skip(/(?:\s|#[^\n]*|\[[^\]\s]*\]=)+/y).replace(/#.*/g, ''));
      const start = this.#at;
      if (this.#source.charAt(this.#at) !== ')') texts.push(...this.#word(false).flat());
      if (this.#at === start) break;
    }
    this.#at += 1;
    return texts;
  }

  /** The words that one word becomes. `isValue`: it is assigned, so it is neither split nor expanded as a pattern. */
  #word(isValue: boolean): Texts[] {
    let texts: Texts = [''];
    const start = this.#at;
    while (this.#at < this.#source.length) {
      const char = this.#source.charAt(this.#at);
      const isProcess = /^[<>]\(/.test(this.#source.slice(this.#at, this.#at + 2));
      if (isProcess) {
        if (char === '>') this.#hasPipe = true;
        this.#at += 1;
        this.#substitution(')');
        texts = product(texts, [ANY]);
      } else if (char === '(' && this.#at > start && !/^\(\s*\)/.test(this.#source.slice(this.#at))) {
        // A pattern, such as `@(a|b)`.
        this.#substitution(')');
        texts = product(
          texts.map((text) => text.replace(/[@+!\uE001]$/, '')),
          [ANY],
        );
      } else if (/[\s;&|<>()]/.test(char) || (char === '`' && this.#isInBackticks)) break;
      else texts = product(texts, this.#piece(isValue, this.#at === start));
    }
    if (isValue) return [texts];
    const words: string[][] = [];
    for (const text of texts)
      for (const [at, part] of text.split(SPLIT).entries()) words[at] = [...(words[at] ?? []), part];
    const isEmpty = words.length === 1 && words[0]?.every((text) => text === '') === true;
    return isEmpty && !/['"]/.test(this.#source.slice(start, this.#at)) ? [] : words;
  }

  #piece(isValue: boolean, isFirst: boolean): Texts {
    const char = this.#source.charAt(this.#at);
    const rest = (): string => this.#source.slice(this.#at);
    switch (char) {
      case '\\':
        this.#at += 2;
        return [this.#source.charAt(this.#at - 1).replace('\n', '')];
      case "'": {
        const text = this.#skip(/'[^']*'?/y);
        return [text.replace(/^'|'$/g, '')];
      }
      case '"':
        this.#at += 1;
        return this.#quoted('"');
      case '`':
      case '$': {
        const texts = this.#dollar(false);
        return isValue ? texts : [...new Set(texts.flatMap(unquoted))];
      }
      default:
    }
    this.#at += 1;
    if (char === '~' && isFirst) {
      const user = this.#skip(/[\w+-]*/y);
      if (user === '') return this.#lookUp('HOME');
      return user === '+' ? this.#lookUp('PWD') : [ANY];
    }
    if (isValue) return [char];
    const list = /^(?:[^{}\s]|\{[^{}\s]*\})*\}/.exec(char === '{' ? rest() : '')?.[0] ?? '';
    if (/,|\.\./.test(list)) {
      this.#at += list.length;
      this.#inside(list);
      return [ANY];
    }
    if (char === '?') return [GLOB];
    if (char === '*') return [this.#skip(/\*+/y) === '' ? GLOB : ANY];
    if (char === '[' && /^[^\]\s'"]{1,100}\]/.test(rest())) {
      this.#inside(this.#skip(/[^\]]+\]/y));
      return [GLOB];
    }
    return [char];
  }

  /** The text up to an unescaped `closing`, which it skips; empty = the end. */
  #quoted(closing: '"' | '}' | ''): Texts {
    let texts: Texts = [''];
    while (this.#at < this.#source.length) {
      const char = this.#source.charAt(this.#at);
      if (char === closing) {
        this.#at += 1;
        return texts;
      }
      if (char === '\\') {
        const next = this.#source.charAt(this.#at + 1);
        this.#at += 2;
        texts = product(texts, [next === '\n' ? '' : /["\\$`}]/.test(next) ? next : char + next]);
      } else if (char === '$' || char === '`') texts = product(texts, this.#dollar(true));
      else if (closing === '}' && (char === '"' || char === "'"))
        texts = product(texts, this.#piece(true, false));
      else {
        this.#at += 1;
        texts = product(texts, [char]);
      }
    }
    return texts;
  }

  #dollar(isQuoted: boolean): Texts {
    if (this.#source.charAt(this.#at) === '`') return this.#substitution('`');
    this.#at += 1;
    const next = this.#source.charAt(this.#at);
    if (next === '(') return this.#arithmetic() ? [ANY] : this.#substitution(')');
    if (next === '{') return this.#braced();
    if (next === "'" && !isQuoted)
      return [ansiText(this.#skip(/'(?:[^'\\]|\\.)*'?/sy).replace(/^'|'$/g, ''))];
    if (next === '"' && !isQuoted) return this.#piece(true, false);
    const variable = this.#skip(/[A-Za-z_]\w*|[0-9@*#?$!-]/y);
    return variable === '' ? ['$'] : this.#lookUp(variable);
  }

  #lookUp(variable: string): Texts {
    const texts = this.#variables.get(/^[1-9*]$/.test(variable) ? '@' : variable);
    return texts === undefined ? [ANY] : [...texts];
  }

  /** `${name}`, `${name:-default}`; a substring of a variable may be anything. */
  #braced(): Texts {
    this.#at += 1;
    if (this.#depth >= MAX_DEPTH) return [ANY];
    this.#depth += 1;
    const texts = this.#expansion();
    this.#depth -= 1;
    return texts;
  }

  #expansion(): Texts {
    const sign = this.#skip(/[!#](?=[\w@*])/y);
    const variable = this.#skip(/[A-Za-z_]\w*|[0-9@*#?$!-]/y);
    this.#inside(this.#skip(/\[[^\]}]*\]/y));
    const operator = this.#skip(/:?[-=+?]|[^}]/y);
    const known = sign === '' ? this.#lookUp(variable) : [ANY];
    if (operator === '') {
      this.#skip(/\}/y);
      return known;
    }
    const rest = this.#quoted('}');
    if (sign !== '') return known;
    if (/^:?[-=]$/.test(operator)) {
      if (operator.endsWith('=')) this.#assign(variable, rest);
      this.#values.push({ name: variable, texts: rest });
      return [...new Set([...known, ...rest])];
    }
    if (/^:?\+$/.test(operator)) return ['', ...rest];
    return /^:?\?$/.test(operator) ? known : [ANY];
  }

  /** Reads the commands of a substitution; returns what they may print. */
  #substitution(closing: ')' | '`'): Texts {
    this.#at += 1;
    if (this.#depth >= MAX_DEPTH) return [ANY];
    const [from, hasPipe, isInside] = [this.#commands.length, this.#hasPipe, this.#isInBackticks];
    this.#depth += 1;
    this.#isInBackticks = closing === '`';
    this.#list(closing);
    this.#depth -= 1;
    this.#hasPipe = hasPipe;
    this.#isInBackticks = isInside;
    return printed(this.#commands.slice(from), (variable) => this.#lookUp(variable));
  }
}

function product(left: Texts, right: Texts): Texts {
  if (right.length === 1) return left.map((text) => text + right[0]);
  if (left.length * right.length > 8 * MAX_TEXTS) return [ANY];
  const all = [...new Set(left.flatMap((one) => right.map((other) => one + other)))];
  return all.length > MAX_TEXTS ? [ANY] : all;
}

/** The texts of an unquoted variable: unchanged as in zsh, or split and expanded as in other shells. */
const unquoted = (text: string): Texts => [
  text,
  text.replace(/\s+/g, SPLIT).replace(/[*?]|\[[^\]]{0,100}\]/g, GLOB),
];

/** The text of `$'…'`; characters by number are not decoded. */
const ansiText = (text: string): string =>
  text.replace(/\\(?:([xuU0-7c][0-9a-fA-F]*)|(.))/gs, (_, code?: string, char = '') =>
    code === undefined ? ({ n: '\n', t: '\t', r: '\r' }[char as string] ?? char) : ANY,
  );

/** What commands may print: known for those with which scripts usually find their folder, otherwise any text. */
function printed(commands: readonly ReadCommand[], lookUp: (name: string) => Texts): Texts {
  let folder = lookUp('PWD');
  const texts = commands.flatMap(({ words }): Texts => {
    const [[program = ''] = [], ...args] = words;
    const operands = args.filter((word) => !word.some((text) => text.startsWith('-')));
    const last = operands.at(-1) ?? [ANY];
    if (program === 'cd')
      folder = last.flatMap((to) => (/^[/\uE000]/.test(to) ? [to] : folder.map((at) => `${at}/${to}`)));
    if (/^(?:cd|true|test|\[)$/.test(program)) return [];
    if (program === 'pwd') return folder;
    if (program === 'git' && args.flat().includes('--show-toplevel')) return lookUp('PWD');
    if (program === 'dirname')
      return last.map((text) =>
        text.includes('/') ? text.replace(/\/[^/]*$/, '') || '/' : text === ANY ? ANY : '.',
      );
    if (operands.length !== 1) return [ANY];
    if (program === 'basename') return last.map((text) => text.replace(/^.*\//s, ''));
    return /^(?:realpath|readlink|echo)$/.test(program) ? last : [ANY];
  });
  const all = [...new Set(texts)];
  return all.length === 0 || all.length > MAX_TEXTS ? [ANY] : all;
}

/** The texts of a word with `${NAME}` or `${NAME:-default}` in a server definition; see `mcp/endpoint.ts`. */
export function filledIn(word: string, variables: KnownVariables): Texts {
  const parts = word.split(/(\$\{[A-Za-z_]\w*(?::-[^}]*)?\})/);
  return parts.reduce<Texts>(
    (texts, part, at) => {
      if (at % 2 === 0) return product(texts, [part]);
      const [name = '', otherwise] = part.slice(2, -1).split(/:-(.*)/s);
      return product(texts, [
        ...(variables.get(name) ?? [ANY]),
        ...(otherwise === undefined ? [] : [otherwise]),
      ]);
    },
    [''],
  );
}

/**
 * The words in shell text that may name files, with those in its quotes, substitutions and here-documents. Which command
 * does what hardly matters here, so this reads on after anything that it does not understand; the parser for permissions
 * rejects such text. Pure.
 */
import { isInterpreter, isPlainShell, isRunner } from '../../permissions/options/runnerNames.ts';

/** Stands in a word for text known only at run time, such as a variable or a pattern. */
export const ANY = '\uE000';

export interface TextWord {
  readonly text: string;
  /** It is a program, or follows a shell, an interpreter or `source`: such a file runs, whatever its name. */
  readonly isRun: boolean;
}

/** More than any handwritten script. */
const MAX_WORDS = 5000;
/** Quotes in quotes. */
const MAX_DEPTH = 12;
/** Of a word with braces. */
const MAX_FORMS = 500;

/** The words of a shell text; undefined if there are too many. `variables`: those with a known value. */
export function wordsOf(
  text: string,
  variables: ReadonlyMap<string, string>,
): readonly TextWord[] | undefined {
  const words = new Map<string, boolean>();
  let texts: readonly string[] = [text.replaceAll(ANY, ' ')];
  for (let depth = 0; texts.length > 0; depth += 1) {
    if (depth > MAX_DEPTH) return undefined;
    const inner: string[] = [];
    for (const one of texts) {
      const reader = new WordReader(one, variables);
      reader.read();
      for (const { text: word, isRun } of reader.words) words.set(word, isRun || words.get(word) === true);
      if (words.size > MAX_WORDS || reader.isCut) return undefined;
      inner.push(...reader.inner);
    }
    texts = inner;
  }
  return [...words].map(([word, isRun]) => ({ text: word, isRun }));
}

/** The names in a word: the value of an option, the items of a list, the words of code. */
export function partsOf(word: string): readonly string[] {
  const attached = /^-[A-Za-z](.+)/s.exec(word)?.[1] ?? '';
  const words = word.split(/(?:[\s'"`;&|<>()=,:[\]{}!]|\\[nrt0])+/);
  const parts = new Set([word.replace(/^file:\/\//, ''), attached, ...word.split(/[=:,]/), ...words]);
  parts.delete(word);
  return [...parts];
}

const keywords = /^(?:if|then|elif|else|fi|do|done|while|until|!|\{|\}|time|coproc|in|function)$/;
/** They write, create or remove what they name. */
const writers = /^(?:tee|touch|mkdir|rm|rmdir)$/;
/** With these, `-f` and the like ask about a file. */
const tests = /^(?:test|\[|\[\[)$/;
const loads = /^(?:\.|source|-f|--file|-r|--require|--import|--rcfile|--init-file)$/;
/** `timeout 5 ./x` */
const duration = /^\d[\d.]*[smhd]?$/;
const escapes = /\\(?:x[\da-fA-F]{1,2}|u[\da-fA-F]{1,4}|U[\da-fA-F]{1,8}|[0-7]{1,3}|c.|.)/gs;
const redirection = /(?:<<<|<<-?|<>|<&|<(?!\()|&>>?|>>|>\||>&|>(?!\())/y;
/** Text that stands for itself, outside quotes and in double quotes. */
const plain = /[\w./@%+,:=-]+/y;
const plainQuoted = /[^"\\$`]+/y;
/** What cannot begin or end a bracket or a quote. */
const unbracketed = /[^\\'"(){}]+/y;
/** `$x`, `$1`, `$@` */
const parameter = /\$(\w+|[@*#?$!-])/y;

/** Stands for the program of `x=(…)`. */
const ARRAY = '=(';

class WordReader {
  readonly words: TextWord[] = [];
  /** A word has too many forms. */
  isCut = false;
  /** Text in quotes and substitutions, which may be commands. */
  readonly inner: string[] = [];
  readonly #source: string;
  readonly #variables: ReadonlyMap<string, string>;
  #at = 0;
  /** Where what was last skipped begins. */
  #start = 0;
  /** The program of the current command, and the word before the current one. */
  #program: string | undefined;
  #before: string | undefined;
  /** The last word is an option. */
  #isAfterOption = false;
  /** The operator before the current word, if it is a redirection. */
  #redirection = '';

  constructor(source: string, variables: ReadonlyMap<string, string>) {
    this.#source = source;
    this.#variables = variables;
  }

  read(): void {
    while (this.#at < this.#source.length && !this.isCut) {
      const char = this.#char();
      if (this.#source.startsWith('\\\n', this.#at)) this.#at += 2;
      else if (/[ \t]/.test(char)) this.#at += 1;
      else if (this.#skip(redirection)) this.#redirection = this.#source.slice(this.#start, this.#at);
      else if (/[\n;&|<>()]/.test(char)) this.#endCommand(char);
      else this.#word();
    }
    this.#endCommand('');
  }

  #char(offset = 0): string {
    return this.#source.charAt(this.#at + offset);
  }

  #rest(length: number): string {
    return this.#source.slice(this.#at, this.#at + length);
  }

  /** The position of a text, or the end. */
  #indexOf(text: string, from = this.#at): number {
    const at = this.#source.indexOf(text, from);
    return at === -1 ? this.#source.length : at;
  }

  #skip(pattern: RegExp): boolean {
    pattern.lastIndex = this.#at;
    const found = pattern.exec(this.#source);
    if (found === null) return false;
    this.#start = this.#at;
    this.#at += found[0].length;
    return true;
  }

  #endCommand(operator: string): void {
    this.#at += operator.length;
    this.#program = this.#before = undefined;
    this.#isAfterOption = false;
    this.#redirection = '';
  }

  #word(): void {
    const start = this.#at;
    const quoted: string[] = [];
    let texts: readonly string[] = [''];
    while (this.#at < this.#source.length && !/[\s;&|<>]/.test(this.#char())) {
      if (this.#char() === '(' && this.#at > start && /[@?*+!]/.test(this.#char(-1))) {
        const pattern = this.#pattern();
        texts = texts.map((text) => text.replace(/[@+!]$/, '') + pattern);
      } else if (/[()]/.test(this.#char())) break;
      else {
        const pieces = this.#braces() ?? [this.#piece(quoted, this.#at === start)];
        texts = texts.flatMap((text) => pieces.map((piece) => text + piece));
        if (texts.length > MAX_FORMS) {
          this.isCut = true;
          return;
        }
      }
    }
    // Nothing else in quotes can be a command.
    const inner = quoted.filter((one) => /[\s;&|<>()$`]/.test(one));
    const [text = '', ...others] = texts;
    this.#take(text, inner);
    for (const other of others) this.words.push({ text: other, isRun: this.words.at(-1)?.isRun === true });
    if (this.#char() === '(' && /^\w+\+?=$/.test(text)) {
      this.#at += 1;
      this.#program = this.#before = ARRAY;
    }
  }

  #take(text: string, quoted: readonly string[]): void {
    const before = this.#before;
    const operator = this.#redirection;
    this.#redirection = '';
    // The delimiter of a here-document.
    if (operator.startsWith('<<') && operator !== '<<<') return;
    const isOutput = /^[>&]/.test(operator) || writers.test(this.#program ?? '');
    const isAssignment = this.#program === undefined && /^\w+\+?=/.test(text);
    const isKeyword = this.#program === undefined && keywords.test(text);
    const isProgram = this.#program === undefined && !isKeyword && !isAssignment && operator === '';
    if (isProgram) this.#program = baseOf(text);
    const isFed = operator === '<' && runs(this.#program ?? '');
    const isLoaded =
      operator === '' &&
      before !== undefined &&
      (runs(before) || (loads.test(before) && !tests.test(this.#program ?? '')));
    // A program of which only a part is known may be any word, such as the pattern of a `case`.
    const isRun = (isProgram && !baseOf(text).includes(ANY)) || isFed || isLoaded;
    if (operator === '' && !isKeyword && !isAssignment) {
      const isOption = text.startsWith('-') && !loads.test(text);
      const isValue = duration.test(text) || (isLoaded && this.#isAfterOption && /^\w+$/.test(text));
      if (!isOption && !isValue) this.#before = text;
      this.#isAfterOption = isOption;
    }
    if (isOutput) return;
    this.inner.push(...quoted);
    if (!isKeyword) this.words.push({ text, isRun });
  }

  /** A plain, quoted or expanded part. Adds quoted text to `quoted`. */
  #piece(quoted: string[], isFirst: boolean): string {
    if (this.#skip(plain)) return this.#source.slice(this.#start, this.#at);
    const char = this.#char();
    this.#at += 1;
    switch (char) {
      case '\\':
        this.#at += 1;
        return this.#char(-1).replace('\n', '');
      case "'": {
        const end = this.#indexOf("'");
        const text = this.#source.slice(this.#at, end);
        this.#at = end + 1;
        quoted.push(text);
        return text;
      }
      case '"':
        return this.#quoted(quoted);
      case '`':
      case '$':
        return this.#expansion(quoted, char);
      case '~':
        return isFirst && /^(?:\/|$|\s)/.test(this.#rest(1)) ? (this.#variables.get('HOME') ?? ANY) : char;
      case '*':
      case '?':
        return ANY;
      case '[':
        return this.#bracket() ? ANY : char;
      default:
        return char;
    }
  }

  /** `[…]`, whose content may contain names. */
  #bracket(): boolean {
    if (!this.#skip(/[^\][\s/]+\]/y)) return false;
    this.inner.push(this.#source.slice(this.#start, this.#at - 1));
    return true;
  }

  /** The texts for which `{a,b}` stands; any text if it contains more. */
  #braces(): readonly string[] | undefined {
    if (this.#char() !== '{' || !this.#skip(/\{[^{}\s]*\}/y)) return undefined;
    const content = this.#source.slice(this.#start + 1, this.#at - 1);
    // `{}` is what `find` and `xargs` replace.
    if (/^[\w./@%+,:=-]+$/.test(content) && !content.includes('..')) return content.split(',');
    this.inner.push(content.replaceAll(',', ' '));
    return [ANY];
  }

  /** `@(a|b)` */
  #pattern(): string {
    this.#at += 1;
    this.inner.push(this.#closed('(', ')'));
    return ANY;
  }

  /** What follows an opening double quote. */
  #quoted(quoted: string[]): string {
    const start = this.#at;
    let text = '';
    while (this.#at < this.#source.length && this.#char() !== '"') {
      if (this.#skip(plainQuoted)) {
        text += this.#source.slice(this.#start, this.#at);
        continue;
      }
      const char = this.#char();
      this.#at += 1;
      if (char === '\\' && /["$`\\\n]/.test(this.#char())) {
        text += this.#char().replace('\n', '');
        this.#at += 1;
      } else text += char === '$' || char === '`' ? this.#expansion([], char) : char;
    }
    quoted.push(this.#source.slice(start, this.#at).replace(/\\(["$`\\])/g, '$1'));
    this.#at += 1;
    return text;
  }

  /** What follows `$` or a backtick. */
  #expansion(quoted: string[], char: string): string {
    if (char === '`') {
      const text = this.#until('`');
      this.inner.push(text.replace(/\\([`$\\])/g, '$1'));
      return ANY;
    }
    const next = this.#char();
    if (next === "'") {
      this.#at += 1;
      const text = this.#until("'");
      quoted.push(text);
      return text.replace(escapes, ANY);
    }
    if (next === '"') return '';
    if (next === '(' || next === '{') {
      this.#at += 1;
      const text = this.#closed(next, next === '(' ? ')' : '}');
      const [, name = '', rest = ''] = (next === '{' ? /^[!#]?(\w*)(.*)$/s.exec(text) : null) ?? [];
      // `${x:-text}`
      this.inner.push(next === '(' ? text : rest.replace(/^[-:=+?#%/^,@[]+/, ' '));
      return this.#variables.get(name) ?? ANY;
    }
    this.#at -= 1;
    if (this.#skip(parameter))
      return this.#variables.get(this.#source.slice(this.#start + 1, this.#at)) ?? ANY;
    this.#at += 1;
    return '$';
  }

  /** The text up to a character without a backslash before it, which is skipped. */
  #until(char: string): string {
    const start = this.#at;
    while (this.#at < this.#source.length && this.#char() !== char) this.#at += this.#char() === '\\' ? 2 : 1;
    const text = this.#source.slice(start, this.#at);
    this.#at += 1;
    return text;
  }

  /** The text up to the matching bracket, which is skipped. */
  #closed(open: string, close: string): string {
    const start = this.#at;
    for (let depth = 1; this.#at < this.#source.length; this.#at += 1) {
      this.#skip(unbracketed);
      const char = this.#char();
      if (char === '\\') this.#at += 1;
      else if (char === "'" || char === '"') {
        this.#at += 1;
        this.#until(char);
        this.#at -= 1;
      } else if (char === open) depth += 1;
      else if (char === close) {
        depth -= 1;
        if (depth === 0) break;
      }
    }
    const text = this.#source.slice(start, this.#at);
    this.#at += 1;
    return text;
  }
}

const baseOf = (text: string): string => text.replace(/^.*\//s, '').toLowerCase();

const runs = (program: string): boolean => {
  const name = baseOf(program);
  return isPlainShell(name) || isInterpreter(name) || isRunner(name);
};

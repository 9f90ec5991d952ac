import { readOptions } from '../options/readOptions.ts';
import type { ReadOnlyUse } from './use.ts';

/** Variables and functions of awk that neither run nor open anything. */
const known = /^(?:BEGIN|END|NR|NF|FNR|FS|OFS|RS|ORS|FILENAME|SUBSEP|RSTART|RLENGTH|[a-z]|[a-z]\w*)$/;
/** Words that run programs, read other input, or make a function. */
const refused =
  /^(?:getline|system|close|fflush|function|func|include|load|namespace|nextfile|delete|switch|eval|extension|dcgettext|bindtextdomain|srand)$/;
/** Functions and keywords. */
const own =
  /^(?:length|next|break|continue|while|for|if|case|default|atan2|cos|exp|int|log|rand|sin|sqrt|index|match|g?sub|gensub|split|patsplit|sprintf|substr|to(?:lower|upper)|systime|strftime|mktime|asorti?|and|or|xor|compl|[lr]shift|strtonum|isarray|typeof|mkbool)$/;
const token =
  /\s+|#[^\n]*|"(?:[^"\\\n]|\\.)*"|[A-Za-z_]\w*|\d+(?:\.\d+)?|\.\d+|[-+*/%^=!<>]=|&&|\|\||!~|\+\+|--|[-+*/%^=!~?:;,(){}$[\]]|[<>]/y;
/** Up to the slash that ends it everywhere: between brackets some take a slash, and a bracket, for a character. */
const regex = /\/(?:[^/\\\n[]|\\.|\[(?!\^?\])(?:[^\][\\\n/]|\\[^\]\n]|\[:\w+:\])*\])+\//y;

/** What `-v` may set. */
export const awkVariable = /^(?:[a-z]\w*|OFS|FS|ORS|RS)=/;

/** `awk` with a program of patterns, fields, arithmetic and printing. */
export function awkUse(args: readonly string[]): ReadOnlyUse | undefined {
  const read = readOptions(args, {
    values: 'Fv',
    // The awk of BSD passes over such a name alone, and takes the next word for the program.
    longAttached: ['--field-separator', '--assign'],
    isFirst: true,
  });
  if (read === undefined) return undefined;
  const variables = read.options.filter(({ name }) => name === '-v' || name === '--assign');
  if (variables.some(({ value }) => !awkVariable.test(value ?? ''))) return undefined;
  const [program, ...files] = read.operands.map((word) => word ?? '');
  if (program === undefined || !awkOnlyPrints(program)) return undefined;
  // An operand `x=1` sets a variable, and `-` is the input.
  return { contents: files.filter((word) => word !== '-' && !/^[A-Za-z_]\w*=/.test(word)), names: [] };
}

/** Whether a program does nothing but calculate and print to its output. */
export function awkOnlyPrints(program: string): boolean {
  let at = 0;
  let depth = 0;
  let parentheses = 0;
  let before = '';
  let prints = false;
  let quoted = '';
  while (at < program.length) {
    // A slash begins a regular expression where a value is expected.
    const expectsValue =
      before === '' ||
      /^(?:[-+*%^=!<>~?:;,({}[]|[-+*/%^=!<>]=|&&|\|\||!~|print|printf|return|else|do|exit|in)$/.test(before);
    // After a bracket it may be either, and after a word of awk's own: `length / x` divides, but not in mawk.
    const isOperand = /^[\w\]]+$/.test(before) && !own.test(before);
    if (program[at] === '/' && !expectsValue && !isOperand) return false;
    regex.lastIndex = at;
    token.lastIndex = at;
    const isRegex = program[at] === '/' && expectsValue;
    const found = (isRegex ? regex : token).exec(program)?.[0];
    if (found === undefined) return false;
    at += found.length;
    if (isRegex || /^["#]/.test(found)) quoted += `${found.replace(/^["/#]|["/]$/g, '')}\n`;
    if (/^\s|^#/.test(found)) {
      // A line may go on after a comma, so that its end ends no statement here.
      if (found.includes('\n')) before = ';';
      continue;
    }
    if (/^[A-Za-z_]/.test(found) && (!known.test(found) || refused.test(found))) return false;
    // `for (;; print > "x")`: within the parentheses of a loop a statement prints to a file as well.
    if (/^(?:print|printf)$/.test(found) && parentheses > 0) return false;
    if (/^(?:print|printf)$/.test(found)) prints = true;
    if (found === ';' || found === '{' || found === '}') prints = false;
    if (found === '{') depth += 1;
    if (found === '}') depth -= 1;
    if (found === '(') parentheses += 1;
    if (found === ')') parentheses -= 1;
    if (parentheses < 0 || (parentheses > 0 && /[{}]/.test(found) && !isRegex && !/^["#]/.test(found)))
      return false;
    // After `print`, `>` begins the name of a file; between parentheses it compares.
    if (found === '>' && prints && parentheses === 0) return false;
    before = found;
  }
  return depth === 0 && !wouldRun(quoted, program);
}

/**
 * Whether strings, expressions and comments hold what would run or write. Where one ends is not the same to every awk, so
 * that what is text here may be a part of the program there.
 */
const wouldRun = (quoted: string, program: string): boolean =>
  /\bsystem\s*(?:\(|$)|\bgetline\b|@\s*\w+\s*\(/m.test(quoted) ||
  (/\bprintf?\b/.test(quoted) && /[>|]/.test(program));

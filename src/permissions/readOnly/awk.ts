import { readOptions } from '../options/readOptions.ts';
import type { ReadOnlyUse } from './use.ts';

/** Variables and functions of awk that neither run nor open anything. */
const known = /^(?:BEGIN|END|NR|NF|FNR|FS|OFS|RS|ORS|FILENAME|SUBSEP|RSTART|RLENGTH|[a-z]|[a-z]\w*)$/;
/** Words that run programs, read other input, or define a function. */
const refused =
  /^(?:getline|system|close|fflush|function|func|include|load|namespace|nextfile|delete|switch|eval|extension|dcgettext|bindtextdomain|srand)$/;
/** Functions and keywords of awk. */
const builtin =
  /^(?:length|next|break|continue|while|for|if|case|default|atan2|cos|exp|int|log|rand|sin|sqrt|index|match|g?sub|gensub|split|patsplit|sprintf|substr|to(?:lower|upper)|systime|strftime|mktime|asorti?|and|or|xor|compl|[lr]shift|strtonum|isarray|typeof|mkbool)$/;
const token =
  /\s+|#[^\n]*|"(?:[^"\\\n]|\\.)*"|[A-Za-z_]\w*|\d+(?:\.\d+)?|\.\d+|[-+*/%^=!<>]=|&&|\|\||!~|\+\+|--|[-+*/%^=!~?:;,(){}$[\]]|[<>]/y;
/**
 * A regular expression up to a slash that ends it in every awk: inside brackets some treat a slash, or a bracket, as a
 * character.
 */
const regex = /\/(?:[^/\\\n[]|\\.|\[(?!\^?\])(?:[^\][\\\n/]|\\[^\]\n]|\[:\w+:\])*\])+\//y;

/** Assignments that `-v` may make. */
export const awkVariable = /^(?:[a-z]\w*|OFS|FS|ORS|RS)=/;

/** `awk` with a program of patterns, fields, arithmetic and printing. */
export function awkUse(args: readonly string[]): ReadOnlyUse | undefined {
  const read = readOptions(args, {
    values: 'Fv',
    // BSD awk ignores such an option on its own and takes the next word as the program.
    longAttached: ['--field-separator', '--assign'],
    isFirst: true,
  });
  if (read === undefined) return undefined;
  const variables = read.options.filter(({ name }) => name === '-v' || name === '--assign');
  if (variables.some(({ value }) => !awkVariable.test(value ?? ''))) return undefined;
  const [program, ...files] = read.operands.map((word) => word ?? '');
  if (program === undefined || !awkOnlyPrints(program)) return undefined;
  // An operand `x=1` sets a variable, and `-` is standard input.
  const contents = files.filter((word) => word !== '-' && !/^[A-Za-z_]\w*=/.test(word));
  // A variable may change where lines end.
  const setsVariables = variables.length > 0 || files.some((word) => word.includes('='));
  const isWhole = printsWholeLines(program) && !setsVariables;
  return { contents, names: [], ...(!isWhole && { rewrites: true }) };
}

const number = '(?:N[RF]|FNR)(?!\\w)';
/** Part of a condition, or a separator: it assigns nothing, and knows no field but the whole line. */
const conditionPart = new RegExp(
  [
    String.raw`\/(?:[^/\\]|\\.)+\/|${number}|(?:BEGIN|END)(?!\w)|\$0\s*!?~|![a-z]\w*\[\$0\]\+\+`,
    String.raw`length(?:\((?:\$0)?\)|(?!\w))|[=!<>]=|\d+|[\s!<>&|%(),;]`,
  ].join('|'),
  'y',
);
/** Before the line, only what ends with a separator: text directly before or after a secret may hide it. */
const beforeLine = String.raw`(?:(?:(?:${number}|FILENAME)\s*(?=[,"])|,|"(?:[^"\\]|\\t)*(?:(?:[\s:|]|\\t)"|"(?=\s*,)))\s*)*`;
const statement = new RegExp(
  String.raw`[\s;]+|(?:next|exit|print(?:\s*${beforeLine}\$0|(?:\s*(?:${number}|FILENAME|"[^"\\]*"|,))*))(?=\s*[;}\n])`,
  'y',
);

/** True if a program is known to print only some of its lines, as they are, and their numbers. */
function printsWholeLines(program: string): boolean {
  let at = 0;
  const take = (pattern: RegExp): string => {
    pattern.lastIndex = at;
    const found = pattern.exec(program)?.[0] ?? '';
    at += found.length;
    return found;
  };
  let before = '';
  while (at < program.length) {
    const part = take(conditionPart);
    // There it divides.
    if (part.startsWith('/') && /[\w)\]]$/.test(before)) return false;
    if (part.trim() !== '') before = part;
    if (part !== '') continue;
    if (take(/\{/y) === '') return false;
    while (take(/\}/y) === '') if (take(statement) === '') return false;
    before = '';
  }
  return true;
}

/** True if a program only calculates and prints to its output. */
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
    // After a bracket or a keyword of awk it may be either: `length / x` divides, but not in mawk.
    const isOperand = /^[\w\]]+$/.test(before) && !builtin.test(before);
    if (program[at] === '/' && !expectsValue && !isOperand) return false;
    regex.lastIndex = at;
    token.lastIndex = at;
    const isRegex = program[at] === '/' && expectsValue;
    const found = (isRegex ? regex : token).exec(program)?.[0];
    if (found === undefined) return false;
    at += found.length;
    if (isRegex || /^["#]/.test(found)) quoted += `${found.replace(/^["/#]|["/]$/g, '')}\n`;
    if (/^\s|^#/.test(found)) {
      // A statement may continue on the next line after a comma, so a line end does not end it here.
      if (found.includes('\n')) before = ';';
      continue;
    }
    if (/^[A-Za-z_]/.test(found) && (!known.test(found) || refused.test(found))) return false;
    // `for (;; print > "x")`: a statement inside the parentheses of a loop also prints to a file.
    if (/^(?:print|printf)$/.test(found) && parentheses > 0) return false;
    if (/^(?:print|printf)$/.test(found)) prints = true;
    if (found === ';' || found === '{' || found === '}') prints = false;
    if (found === '{') depth += 1;
    if (found === '}') depth -= 1;
    if (found === '(') parentheses += 1;
    if (found === ')') parentheses -= 1;
    if (parentheses < 0 || (parentheses > 0 && /[{}]/.test(found) && !isRegex && !/^["#]/.test(found)))
      return false;
    // After `print`, `>` begins a file name; inside parentheses it compares.
    if (found === '>' && prints && parentheses === 0) return false;
    before = found;
  }
  return depth === 0 && !wouldRun(quoted, program);
}

/**
 * True if strings, regular expressions or comments contain text that would run or write something. Awks disagree on
 * where they end, so text in one may be code in another.
 */
const wouldRun = (quoted: string, program: string): boolean =>
  /\bsystem\s*(?:\(|$)|\bgetline\b|@\s*\w+\s*\(/m.test(quoted) ||
  (/\bprintf?\b/.test(quoted) && /[>|]/.test(program));

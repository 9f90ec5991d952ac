/**
 * Words that a shell builtin evaluates: as code, or as the name of a variable or a number, in which the subscript of
 * `a[$(cmd)]` runs cmd. Seen in bash 5.2 and zsh 5.9. Pure.
 */
import { isOfShell } from '../../shell/assignments.ts';
import type { CommandPart, ParsedCommand } from '../../shell/parsedCommand.ts';

/** Builtins all of whose words are names, numbers or code. */
const evaluateAll = /^(?:let|vared|private|integer|float|zparseopts|compgen|complete|bind|emulate|sched)$/;
const declaring = /^(?:declare|typeset|local|export|readonly|unset)$/;

/** True if a builtin evaluates a name or code that is known only at run time. */
export function evaluatesUnknown({ argv, raw }: CommandPart): boolean {
  const [name, ...args] = argv;
  const isUnknownAfter = (option: RegExp): boolean =>
    args.some((word, at) => word === null && option.test(args[at - 1] ?? ''));
  if (name == null) return false;
  if (evaluateAll.test(name)) return args.includes(null);
  if (declaring.test(name)) return declaresUnknown(raw.slice(1));
  switch (name) {
    case 'printf':
      return isUnknownAfter(/^-v$/) || (args[0] === null && /^["']?-v/.test(raw[1] ?? ''));
    case 'print':
      return args.some((word) => /^-\w*[Pv]/.test(word ?? '')) && args.includes(null);
    case 'read':
      return args.some((word, at) => word === null && !/^-\w*[pdi]$/.test(args[at - 1] ?? ''));
    case 'test':
    case '[':
    case '[[':
      return isUnknownAfter(/^-[vR]$/);
    case 'wait':
      return isUnknownAfter(/^-\w*p$/);
    case 'mapfile':
    case 'readarray':
      return isUnknownAfter(/^-\w*C$/);
    case 'set':
      return isUnknownAfter(/^[-+]A$/);
    default:
      return false;
  }
}

/** Of a declaration, whose words are in their source: a name, a reference to one, or the elements of an array. */
function declaresUnknown(raw: readonly string[]): boolean {
  const isOpen = (text: string): boolean => /[$`]/.test(text) && !/^'[^']*'$/.test(text);
  const options = raw.filter((word) => /^[-+]/.test(word)).join('');
  return raw.some((word) => {
    const at = word.indexOf('=');
    const [name, value] = at === -1 ? [word, ''] : [word.slice(0, at), word.slice(at + 1)];
    return isOpen(name) || (isOpen(value) && (options.includes('n') || /^"?\(/.test(value)));
  });
}

/** True if a builtin, a test or an assignment evaluates numbers that the command's words do not show. */
function evaluatesNumbers({ argv, raw, envPrefix }: CommandPart): boolean {
  const [name, ...args] = argv;
  const isOpen = (word: string | null): boolean => word === null || /^[A-Za-z_]/.test(word);
  if (envPrefix.some((set) => isOfShell(set.name.replace(/\+$/, '')) && isOpen(set.value))) return true;
  if (name == null) return false;
  if (/^(?:test|\[\[?)$/.test(name)) return args.some((word) => /^-(?:eq|ne|[lg][te]|t)$/.test(word ?? ''));
  if (/^(?:printf|read)$/.test(name)) return args.includes(null);
  if (/^(?:exit|return|shift|break|continue|repeat|let)$/.test(name)) return args.some(isOpen);
  return declaring.test(name) && raw.some((word) => /^-\w*[iEF]/.test(word));
}

/** Of a command that evaluates numbers whose text holds a `$` or a backtick somewhere. */
interface Evaluated {
  /** All known words, values and inputs: a number may come from any of them. */
  readonly texts: readonly string[];
  /** True if a value or an input begins a command that another one may complete: `x='a[$(git '`. */
  readonly hasPart: boolean;
}

/** The texts that the shell may evaluate as numbers; undefined = it evaluates none. */
export function evaluatedTexts(parsed: ParsedCommand): Evaluated | undefined {
  if (!parsed.ok || !parsed.parts.some(evaluatesNumbers)) return undefined;
  const words = parsed.parts.flatMap(({ argv, runs }) => [
    ...argv.filter((word) => word !== null),
    ...(runs ?? []).flat().flatMap((word) => (word.type === 'text' ? [word.text] : [])),
  ]);
  const inputs = parsed.parts.flatMap(({ inputText }) => (inputText === undefined ? [] : [inputText]));
  const stored = [...inputs, ...parsed.mentions.map(unexpanded)];
  const texts = [...new Set([...words, ...stored])];
  return texts.some((text) => /[$`]/.test(text)) ? { texts, hasPart: stored.some(isPart) } : undefined;
}

const isPart = (text: string): boolean =>
  text.endsWith('$') ||
  text.split('`').length % 2 === 0 ||
  [...text.matchAll(/\$\(/g)].some(({ index }) => closing(text, index + 1) === text.length);

/** Commands in the values of variables, which the shell runs only if it evaluates them later: `x='a[$(cmd)]'`. */
export function storedCommands(parsed: ParsedCommand): readonly string[] {
  if (!parsed.ok) return [];
  return parsed.mentions.flatMap((mention) => substitutionsIn(unexpanded(mention)));
}

/** The text of a word that the shell does not expand, without its quotes. */
function unexpanded(word: string): string {
  let text = '';
  let isQuoted = false;
  for (let at = 0; at < word.length; at += 1) {
    const char = word.charAt(at);
    if (char === '\\') {
      at += 1;
      text += word.charAt(at);
    } else if (char === '"') isQuoted = !isQuoted;
    else if (char === "'" && !isQuoted) {
      const end = word.indexOf("'", at + 1);
      const inner = word.slice(at + 1, end === -1 ? undefined : end);
      text += word.charAt(at - 1) === '$' ? unescaped(inner) : inner;
      at += inner.length + 1;
    } else if (word.startsWith('$(', at)) at = closing(word, at + 1);
    else if (char === '`') at = word.includes('`', at + 1) ? word.indexOf('`', at + 1) : word.length;
    else if (!(char === '$' && word.charAt(at + 1) === "'")) text += char;
  }
  return text;
}

/** `$'\x24'`: characters by their numbers, as bash reads them. */
const unescaped = (text: string): string =>
  text.replace(
    /\\(?:x([\da-f]{1,2})|[uU]([\da-f]{1,6})|([0-7]{1,3})|(.))/gis,
    (_, hex, wide, octal, char) => {
      const code = Number.parseInt(hex ?? wide ?? octal ?? '', (hex ?? wide) ? 16 : 8);
      return Number.isNaN(code) || code > 0x10ffff ? (char ?? '') : String.fromCodePoint(code);
    },
  );

/** The commands of `$(…)` and backticks in a text. */
function substitutionsIn(text: string): readonly string[] {
  const found = [...text.matchAll(/\$\(/g)].map(({ index }) =>
    text.slice(index + 2, closing(text, index + 1)),
  );
  const ticked = text.split('`').filter((_, index) => index % 2 === 1);
  return [...found, ...ticked].filter((script) => script.trim() !== '');
}

/** Where the parenthesis at a place is closed; the end of the text if it is not. Quotes are not considered. */
function closing(text: string, open: number): number {
  let depth = 0;
  for (let at = open; at < text.length; at += 1) {
    if (text.charAt(at) === '(') depth += 1;
    if (text.charAt(at) === ')') depth -= 1;
    if (depth === 0) return at;
  }
  return text.length;
}

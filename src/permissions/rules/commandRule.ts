/**
 * `Bash(…)` rules that allow: the text of a rule against the parts of a command. `*` stands for anything; ` *` and `:*`
 * at the end also for nothing. What a rule with a wildcard may reach is the concern of `ruleScope.ts`.
 */
import type { CommandPart } from '../shell/parsedCommand.ts';
import type { Words } from '../shell/wrappers.ts';
import { parseRule, type SourcedRule } from './rules.ts';

/**
 * Variables that change how a program prints or logs, not what it runs. `LANGUAGE` is none of them: GNU gettext takes a
 * path in it for the folder of the translations, and those are the formats that programs print with.
 */
const safeVariables =
  /^(?:NODE_ENV|CI|FORCE_COLOR|NO_COLOR|CLICOLOR(?:_FORCE)?|TERM|COLUMNS|LINES|LANG|LC_[A-Z]+|TZ|DEBUG|VERBOSE|LOG_LEVEL|PORT|RUST_BACKTRACE|RUST_LOG|PYTHONUNBUFFERED|PYTHONDONTWRITEBYTECODE|GOOS|GOARCH|DO_NOT_TRACK)$/;

/**
 * Variables of these whose values the C library makes the path of a file of: `LC_ALL=../../x` has programs take their
 * messages, which are formats, from there (https://www.gnu.org/software/gettext/manual/gettext.html#Locating-Catalogs).
 */
const naming = /^(?:LANG|LC_[A-Z]+|TZ|TERM)$/;

/** Whether all variables set for a command are known to be harmless. */
export const hasSafeEnvironment = ({ envLeadsOut, envPrefix }: CommandPart): boolean =>
  envPrefix.every((name) => safeVariables.test(name) && !(envLeadsOut && naming.test(name)));

/** What the parentheses of a `Bash(…)` rule say. */
export interface CommandSpec {
  /** The folder of `cd folder && command`, relative to the rule's base; `*` stands for one name, `**` for several. */
  readonly folder: string | undefined;
  /** The command, with blanks made single and `:*` made ` *`. */
  readonly text: string;
  /** The same with every blank that means something kept. */
  readonly written: string;
}

/** null = every command; undefined = not a rule about commands. */
export function commandSpec(rule: SourcedRule): CommandSpec | null | undefined {
  const parsed = parseRule(rule.text);
  if ('error' in parsed || parsed.tool !== 'Bash') return undefined;
  if (parsed.spec === undefined) return null;
  const { folder, text = parsed.spec } =
    /^cd (?<folder>[^\s;&|]+) && (?<text>.+)$/s.exec(parsed.spec)?.groups ?? {};
  const command = text.replace(/:\*$/, ' *');
  return { folder, text: collapse(command), written: singleBlanks(command) };
}

/** How a rule's text covers a part of a command. */
export type Coverage =
  /** `Bash`: every command. */
  | { readonly type: 'every' }
  /** The whole command, word for word. */
  | { readonly type: 'exact'; readonly folder: string | undefined }
  /** Something is left open; `spelled` says which words of `words` the rule spells. */
  | {
      readonly type: 'open';
      readonly folder: string | undefined;
      readonly words: Words;
      readonly spelled: (at: number) => boolean;
      /** Beginnings of paths that the rule spells in front of a wildcard (`/etc/*`). */
      readonly places: readonly string[];
    };

/** Whether the text of a rule that allows is that of a part; where it may run and what it may reach is another matter. */
export function coverage(rule: SourcedRule, part: CommandPart): Coverage | undefined {
  if (rule.behavior !== 'allow' || part.argv.length + part.envPrefix.length === 0) return undefined;
  const spec = commandSpec(rule);
  if (spec === undefined) return undefined;
  if (spec === null) return part.argv.length === 0 ? undefined : { type: 'every' };
  const { folder, written: text } = spec;
  // What a variable holds is not in the text.
  if (!text.includes('*') && singleBlanks(part.text) === text)
    return part.variables ? undefined : { type: 'exact', folder };
  if (part.argv.length === 0 || !hasSafeEnvironment(part)) return undefined;
  const pattern = matcher(text);
  for (const words of [part, { argv: part.full, raw: part.fullRaw }]) {
    if (!pattern.test(source(words))) continue;
    if (!text.includes('*')) return part.variables ? undefined : { type: 'exact', folder };
    return { type: 'open', folder, words, ...spelledBy(text, words) };
  }
  return undefined;
}

/** The words before a rule's first wildcard and after its last one are the command's own first and last. */
function spelledBy(
  text: string,
  words: Words,
): Pick<Extract<Coverage, { type: 'open' }>, 'spelled' | 'places'> {
  const given = text.split(' ');
  const first = given.findIndex((word) => word.includes('*'));
  const tail = given.length - 1 - given.findLastIndex((word) => word.includes('*'));
  // A quoted word of the rule may hold blanks: what is spelled is counted in characters.
  const head = given.slice(0, first).join(' ');
  const last = given.slice(given.length - tail).join(' ');
  const shown = words.argv.map((_, at) =>
    source({ argv: words.argv.slice(0, at + 1), raw: words.raw.slice(0, at + 1) }),
  );
  const rest = words.argv.map((_, at) => source({ argv: words.argv.slice(at), raw: words.raw.slice(at) }));
  return {
    spelled: (at) =>
      (shown[at]?.length ?? Number.POSITIVE_INFINITY) <= head.length ||
      (last !== '' && (rest[at]?.length ?? Number.POSITIVE_INFINITY) <= last.length),
    places: given
      .filter((word) => /^(?:\/|~\/)[^*]*\/[^*/]*\*/.test(word))
      .map((word) => word.slice(0, word.lastIndexOf('/', word.indexOf('*')) + 1)),
  };
}

export interface Matcher {
  readonly test: (command: string) => boolean;
}

/** Matches whole commands, in time that grows with their length alone, however many wildcards there are. */
export function matcher(text: string): Matcher {
  const isOpen = text.endsWith(' *');
  const [head = '', ...rest] = (isOpen ? text.slice(0, -2) : text).split(/\*+/);
  const last = rest.pop();
  const endsAt = (command: string, at: number): boolean =>
    at === command.length || (isOpen && /\s/.test(command.charAt(at)));
  const test = (command: string): boolean => {
    if (!command.startsWith(head)) return false;
    let at = head.length;
    if (last === undefined) return endsAt(command, at);
    for (const piece of rest) {
      const found = command.indexOf(piece, at);
      if (found === -1) return false;
      at = found + piece.length;
    }
    if (!isOpen) return command.length - last.length >= at && command.endsWith(last);
    for (let found = command.indexOf(last, at); found !== -1; found = command.indexOf(last, found + 1))
      if (endsAt(command, found + last.length)) return true;
    return false;
  };
  return { test };
}

/** For rules that deny or ask: commands that differ in blanks only are the same to them. */
export const collapse = (text: string): string => text.trim().replace(/\s+/g, ' ');

/**
 * For rules that allow: blanks between words made single, where quotes are plain to see. Within quotes they are part of a
 * word, and a line feed ends a command or a comment.
 */
function singleBlanks(text: string): string {
  const trimmed = text.replace(/^[ \t]+|(?<![\\ \t])[ \t]+$/g, '');
  if (/[\n#`$]/.test(trimmed)) return trimmed;
  return trimmed.replace(/'[^']*'|"(?:[^"\\]|\\.)*"|\\.|[ \t]+/gs, (found) =>
    /^[ \t]/.test(found) ? ' ' : found,
  );
}

/** As written, but for quotes that change nothing. */
export const source = ({ argv, raw }: Words): string =>
  argv
    .map((word, index) => (word !== null && /^[\w@%+=:,./-]+$/.test(word) ? word : (raw[index] ?? '')))
    .join(' ');

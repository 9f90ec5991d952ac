/**
 * Matches allow rules `Bash(…)` against the parts of a command. `*` matches anything; ` *` and `:*` at the end also
 * match nothing. `ruleScope.ts` limits what a rule with a wildcard may reach.
 */
import { isHarmlessAssignment } from '../shell/assignments.ts';
import type { CommandPart } from '../shell/parsedCommand.ts';
import type { Words } from '../shell/wrappers.ts';
import { parseRule, type SourcedRule } from './rules.ts';

/**
 * True if all variables set for a command are known to be harmless. `IFS` affects only `read` and is restored
 * afterwards.
 */
export const hasSafeEnvironment = ({ argv, envPrefix }: CommandPart): boolean =>
  envPrefix.every(
    (one) => isHarmlessAssignment(one) || (argv[0] === 'read' && one.name === 'IFS' && one.value !== null),
  );

/** The parsed specifier of a `Bash(…)` rule. */
interface CommandSpec {
  /** The folder of `cd folder && command`, relative to the rule's base; `*` matches one name, `**` several. */
  readonly folder: string | undefined;
  /** The command, with spaces collapsed and `:*` written as ` *`. */
  readonly text: string;
  /** The same with all significant spaces. */
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
  /** The entire command, verbatim. */
  | { readonly type: 'exact'; readonly folder: string | undefined }
  /** A rule with a wildcard; `spelled` tells which of `words` the rule spells out. */
  | {
      readonly type: 'open';
      readonly folder: string | undefined;
      readonly words: Words;
      readonly spelled: (at: number) => boolean;
      /** Prefixes of paths that the rule spells out before a wildcard (`/etc/*`). */
      readonly places: readonly string[];
    };

/** Matches the text of an allow rule against a part; where it may run and what it may reach is checked separately. */
export function coverage(rule: SourcedRule, part: CommandPart): Coverage | undefined {
  if (rule.behavior !== 'allow' || part.argv.length + part.envPrefix.length === 0) return undefined;
  const spec = commandSpec(rule);
  if (spec === undefined) return undefined;
  if (spec === null) return part.argv.length === 0 ? undefined : { type: 'every' };
  const { folder, written: text } = spec;
  // The value of a variable is not part of the text.
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

/** The words before a rule's first wildcard and after its last one match the first and last words of the command. */
function spelledBy(
  text: string,
  words: Words,
): Pick<Extract<Coverage, { type: 'open' }>, 'spelled' | 'places'> {
  const ruleWords = text.split(' ');
  const first = ruleWords.findIndex((word) => word.includes('*'));
  const tail = ruleWords.length - 1 - ruleWords.findLastIndex((word) => word.includes('*'));
  // A quoted word of the rule may contain spaces, so lengths are compared in characters.
  const head = ruleWords.slice(0, first).join(' ');
  const last = ruleWords.slice(ruleWords.length - tail).join(' ');
  const shown = words.argv.map((_, at) =>
    source({ argv: words.argv.slice(0, at + 1), raw: words.raw.slice(0, at + 1) }),
  );
  const rest = words.argv.map((_, at) => source({ argv: words.argv.slice(at), raw: words.raw.slice(at) }));
  return {
    spelled: (at) =>
      (shown[at]?.length ?? Number.POSITIVE_INFINITY) <= head.length ||
      (last !== '' && (rest[at]?.length ?? Number.POSITIVE_INFINITY) <= last.length),
    places: ruleWords
      .filter((word) => /^(?:\/|~\/)[^*]*\/[^*/]*\*/.test(word))
      .map((word) => word.slice(0, word.lastIndexOf('/', word.indexOf('*')) + 1)),
  };
}

interface Matcher {
  readonly test: (command: string) => boolean;
}

/** Matches entire commands in linear time, regardless of the number of wildcards. */
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

/** For deny and ask rules, which ignore differences in spaces. */
export const collapse = (text: string): string => text.trim().replace(/\s+/g, ' ');

/**
 * For allow rules: collapses spaces between words if the quoting is simple. Spaces inside quotes are part of a word,
 * and a line feed ends a command or a comment.
 */
function singleBlanks(text: string): string {
  const trimmed = text.replace(/^[ \t]+|(?<![\\ \t])[ \t]+$/g, '');
  if (/[\n#`$]/.test(trimmed)) return trimmed;
  return trimmed.replace(/'[^']*'|"(?:[^"\\]|\\.)*"|\\.|[ \t]+/gs, (found) =>
    /^[ \t]/.test(found) ? ' ' : found,
  );
}

/** As written, but without quotes that have no effect. */
export const source = ({ argv, raw }: Words): string =>
  argv
    .map((word, index) => (word !== null && /^[\w@%+=:,./-]+$/.test(word) ? word : (raw[index] ?? '')))
    .join(' ');

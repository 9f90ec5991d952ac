/** `Bash(…)` rules against the parts of a command. `*` stands for anything; ` *` and `:*` also for nothing. */
import type { CommandPart } from './parsedCommand.ts';
import { parseRule, type SourcedRule } from './rules.ts';
import type { Words } from './wrappers.ts';

/** Variables that change how a program prints or logs, not what it runs. */
const safeVariables =
  /^(?:NODE_ENV|CI|FORCE_COLOR|NO_COLOR|CLICOLOR(?:_FORCE)?|TERM|COLUMNS|LINES|LANG|LANGUAGE|LC_[A-Z]+|TZ|DEBUG|VERBOSE|LOG_LEVEL|PORT|RUST_BACKTRACE|RUST_LOG|PYTHONUNBUFFERED|PYTHONDONTWRITEBYTECODE|GOOS|GOARCH|DO_NOT_TRACK)$/;

/** Whether all variables set for a command are known to be harmless. */
export const hasSafeEnvironment = (part: CommandPart): boolean =>
  part.envPrefix.every((name) => safeVariables.test(name));

/** How a rule allows a part: `exact` names the whole command, `wide` leaves something open. */
export function allowsPart(rule: SourcedRule, part: CommandPart): 'exact' | 'wide' | undefined {
  const spec = bashSpec(rule);
  if (spec === undefined || rule.behavior !== 'allow' || part.argv.length === 0) return undefined;
  if (spec === null) return 'wide';
  if (!spec.includes('*') && collapse(part.text) === collapse(spec)) return 'exact';
  if (!hasSafeEnvironment(part)) return undefined;
  const candidates = [source(part), source({ argv: part.full, raw: part.fullRaw })];
  if (!candidates.some((text) => matcher(spec).test(text))) return undefined;
  return spec.includes('*') ? 'wide' : 'exact';
}

/** Whether a rule that denies or asks speaks of a part: through any variables, wrappers, quotes and paths. */
export function forbidsPart(rule: SourcedRule, part: CommandPart): boolean {
  const spec = bashSpec(rule);
  if (spec === undefined) return false;
  if (spec === null) return true;
  const pattern = matcher(spec);
  return [part, { argv: part.full, raw: part.fullRaw }]
    .flatMap(runWords)
    .flatMap((words) => [plain(words), source(words), plain(withoutDirectory(words))])
    .concat(collapse(part.text))
    .some((text) => pattern.test(text));
}

/** For a command that was not understood: whether it looks as if a forbidden one began anywhere in it. */
export function mayForbid(rule: SourcedRule, command: string): boolean {
  const spec = bashSpec(rule);
  if (spec === undefined) return false;
  if (spec === null) return true;
  const words = command.replace(/\\\n/g, '').replace(/["'\\]/g, '');
  const starts = words.split(/[\n;&|(){}`!]|\$\(|(?<=\s)(?=\S)/).map(collapse);
  const pattern = matcher(spec);
  const segments = words.split(/[\n;&|(){}`]/).map(collapse);
  return [...starts, ...segments, ...segments.flatMap(suffixes)].some(
    (text) => pattern.test(text) || pattern.test(text.replace(/^\S*\//, '')),
  );
}

/** null = every command; undefined = not a rule about commands. */
function bashSpec(rule: SourcedRule): string | null | undefined {
  const parsed = parseRule(rule.text);
  return 'error' in parsed || parsed.tool !== 'Bash' ? undefined : (parsed.spec ?? null);
}

function matcher(spec: string): RegExp {
  const pattern = collapse(spec.replace(/:\*$/, ' *'));
  const open = pattern.endsWith(' *') ? pattern.slice(0, -2) : undefined;
  const body = (open ?? pattern)
    .replace(/\*+/g, '*')
    .split('*')
    .map((piece) => piece.replace(/[\\^$.|?+()[\]{}]/g, '\\$&'))
    .join('.*');
  return new RegExp(`^${body}${open === undefined ? '' : '(?:\\s.*)?'}$`, 's');
}

const collapse = (text: string): string => text.trim().replace(/\s+/g, ' ');

/** As written, but for quotes that change nothing. */
const source = ({ argv, raw }: Words): string =>
  argv
    .map((word, index) => (word !== null && /^[\w@%+=:,./-]+$/.test(word) ? word : (raw[index] ?? '')))
    .join(' ');

const plain = ({ argv, raw }: Words): string =>
  collapse(argv.map((word, index) => word ?? raw[index] ?? '').join(' '));

const withoutDirectory = ({ argv, raw }: Words): Words => ({
  argv: argv.map((word, index) => (index === 0 && word !== null ? word.replace(/^.*\//, '') : word)),
  raw,
});

/** Programs that run another program named among their words. */
const runners =
  /^(?:.*\/)?(?:sudo|doas|xargs|find|env|exec|command|builtin|timeout|time|nice|ionice|nohup|setsid|stdbuf|watch|parallel|chroot|strace|busybox|trap|coproc|npx|bash|sh)$/;

function runWords(words: Words): Words[] {
  if (!runners.test(words.argv[0] ?? '')) return [words];
  return words.argv.map((_, index) => ({ argv: words.argv.slice(index), raw: words.raw.slice(index) }));
}

const suffixes = (text: string): string[] => {
  const words = text.split(' ').slice(0, 40);
  return words.map((_, index) => words.slice(index).join(' '));
};

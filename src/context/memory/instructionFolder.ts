/** The instruction files of one folder: which names count, and in which order. */
import { readdir } from 'node:fs/promises';
import { basename, isAbsolute, join, relative, resolve } from 'node:path';
import { splitFrontMatter } from '../../protocol/text/frontMatter.ts';
import { unquoted } from '../../protocol/text/quoteWord.ts';
import type { InstructionReader, Origin, PresentNames, ReadInstruction } from './InstructionReader.ts';
import { hashOf } from './instructions.ts';

const OPEN_NAME = 'AGENTS.md';
const CLAUDE_NAME = 'CLAUDE.md';

/** Only the first existing file of a directory is used; the names of other agents are fallbacks. */
export const INSTRUCTION_NAMES = [OPEN_NAME, CLAUDE_NAME, 'GEMINI.md', 'QWEN.md'] as const;

/** Personal instructions next to the shared ones; never a replacement for them. */
export const LOCAL_NAME = 'CLAUDE.local.md';
export const CLAUDE_FOLDER = '.claude';

/** A folder to look for instructions in. */
export interface Folder {
  readonly path: string;
  readonly origin: Extract<Origin, 'user' | 'repository'>;
  /** The folder that `paths:` of its rule files is relative to; absent = its rule files are not used. */
  readonly rulesFor?: string;
}

export interface Finder {
  readonly reader: InstructionReader;
  readonly names: PresentNames;
}

/** The instruction files of a folder, in order: the shared ones, the personal one, the rules. */
export async function filesOf(
  { path, origin, rulesFor }: Folder,
  { reader, names }: Finder,
  touched: readonly string[],
  known: ReadonlySet<string>,
): Promise<readonly ReadInstruction[]> {
  const isClaudes = basename(path) === CLAUDE_FOLDER;
  const claude = isClaudes ? path : join(path, CLAUDE_FOLDER);
  const [present, inClaude] = await Promise.all([
    names.in(path),
    isClaudes ? Promise.resolve<readonly string[]>([]) : names.in(claude),
  ]);
  const read = (folder: string, name: string) => reader.read(join(folder, name), origin);
  const main = await firstOf(present, (name: string) => read(path, name));
  // Claude Code reads both of its places.
  const usesClaudes = main === undefined || basename(main.path) !== OPEN_NAME;
  const [second, local, rules] = await Promise.all([
    usesClaudes && inClaude.includes(CLAUDE_NAME) ? read(claude, CLAUDE_NAME) : undefined,
    present.includes(LOCAL_NAME) ? read(path, LOCAL_NAME) : undefined,
    rulesFor === undefined
      ? []
      : rulesIn(join(claude, 'rules'), origin, { reader, rulesFor, touched, known }),
  ]);
  // A fallback for CLAUDE.md also gives way to the one in `.claude`.
  const isReplaced = second !== undefined && main !== undefined && basename(main.path) !== CLAUDE_NAME;
  return [isReplaced ? undefined : main, second, local, ...rules].filter((file) => file !== undefined);
}

async function firstOf(
  names: readonly string[],
  read: (name: string) => Promise<ReadInstruction | undefined>,
): Promise<ReadInstruction | undefined> {
  const files = await Promise.all(names.filter((name) => name !== LOCAL_NAME).map(read));
  return files.find((file) => file !== undefined);
}

/**
 * The rule files that apply: those without `paths:`, those that match a touched file, and those that the model already
 * has.
 */
async function rulesIn(
  folder: string,
  origin: Folder['origin'],
  use: {
    readonly reader: InstructionReader;
    readonly rulesFor: string;
    readonly touched: readonly string[];
    readonly known: ReadonlySet<string>;
  },
): Promise<readonly ReadInstruction[]> {
  const paths = await ruleFilesIn(folder);
  const files = await Promise.all(paths.map((path) => use.reader.read(path, origin)));
  return files.flatMap((file) => {
    if (file === undefined) return [];
    const { body, paths: patterns } = readRule(file.text);
    const applies =
      patterns === undefined || use.known.has(file.path) || appliesTo(patterns, use.touched, use.rulesFor);
    return applies && body.trim() !== '' ? [{ ...file, text: body, hash: hashOf(body) }] : [];
  });
}

// Rule files in `.claude/rules`: instructions that apply always, or, with `paths:` in their front matter, once a
// matching file has been read or changed.

/** Limits per folder; the files also count towards the limits of all instructions. */
const MAX_FILES = 50;
const MAX_DEPTH = 3;
const MAX_ENTRIES = 500;

/**
 * The Markdown files in a folder and its subfolders, by name. Links to folders are not followed. Empty if there is no
 * such folder.
 */
async function ruleFilesIn(folder: string, depth = 0): Promise<readonly string[]> {
  const entries = await readdir(folder, { withFileTypes: true }).catch(() => []);
  const sorted = entries.slice(0, MAX_ENTRIES).sort((a, b) => (a.name < b.name ? -1 : 1));
  const found: string[] = [];
  for (const entry of sorted) {
    const path = join(folder, entry.name);
    if (entry.isDirectory() && depth < MAX_DEPTH) found.push(...(await ruleFilesIn(path, depth + 1)));
    else if (/\.md$/i.test(entry.name) && !entry.isDirectory()) found.push(path);
    if (found.length >= MAX_FILES) break;
  }
  return found.slice(0, MAX_FILES);
}

/** The text of a rule file. */
interface RuleText {
  /** Without front matter. */
  readonly body: string;
  /** Patterns of files that it applies to; undefined = always. */
  readonly paths: readonly string[] | undefined;
}

/** Maximum patterns in front matter. */
const MAX_PATTERNS = 50;

/** Splits a rule file. `paths` may be text with commas, a list in brackets, or lines that begin with a dash. Pure. */
export function readRule(text: string): RuleText {
  const { yaml, body } = splitFrontMatter(text);
  if (yaml === undefined) return { body, paths: undefined };
  const lines = yaml.split('\n');
  const at = lines.findIndex((line) => /^(?:paths|globs):/.test(line));
  if (at === -1) return { body, paths: undefined };
  const items: string[] = [];
  for (const line of lines.slice(at + 1)) {
    const [, item] = /^\s*-\s+(.*)$/.exec(line) ?? [];
    if (item !== undefined) items.push(item);
    else if (line.trim() !== '' && !line.trim().startsWith('#')) break;
  }
  const inline = (lines[at] ?? '')
    .replace(/^\w+:/, '')
    .trim()
    .replace(/^\[(.*)\]$/s, '$1');
  const paths = [...splitOutsideBraces(inline), ...items.map((item) => item.trim())]
    .map((item) => unquoted(item).trim())
    .filter((item) => item !== '')
    .slice(0, MAX_PATTERNS);
  return { body, paths: paths.length === 0 ? undefined : paths };
}

/** Commas in braces belong to the pattern: `src/**\/*.{ts,tsx}`. */
function splitOutsideBraces(text: string): string[] {
  const parts = [''];
  let depth = 0;
  for (const character of text) {
    if (character === '{') depth++;
    if (character === '}') depth = Math.max(0, depth - 1);
    if (character === ',' && depth === 0) parts.push('');
    else parts[parts.length - 1] += character;
  }
  return parts.map((part) => part.trim());
}

/** True if one of the files matches one of the patterns, which are relative to `base`. Pure. */
function appliesTo(paths: readonly string[], files: readonly string[], base: string): boolean {
  const matchers = paths.map(pathMatcher);
  return files.some((file) => {
    const way = relative(base, resolve(base, file));
    if (way === '' || way.startsWith('..') || isAbsolute(way)) return false;
    return matchers.some((matches) => matches(way));
  });
}

/**
 * Patterns for paths, written by a repository: `*`, `?` and `{a,b}` within a name, `**` for any folders. Matched in
 * time proportional to pattern and path, whatever is written. Pure.
 */

const MAX_PATTERN = 300;
const MAX_ALTERNATIVES = 64;

/** Returns a function that tests relative paths with `/`. */
export function pathMatcher(pattern: string): (path: string) => boolean {
  if (pattern.length > MAX_PATTERN) return () => false;
  const alternatives = expandBraces(pattern.replace(/^(?:\.?\/)+/, '')).map((one) => one.split('/'));
  return (path) => {
    const names = path.split('/');
    return alternatives.some((steps) => matchSteps(steps, names));
  };
}

/** `**` matches any number of names, also none; the rest of the steps is matched by dynamic programming. */
function matchSteps(steps: readonly string[], names: readonly string[]): boolean {
  /** `reached[n]`: the steps so far can match the first n names. */
  let reached = names.map(() => false);
  reached = [true, ...reached];
  for (const step of steps) {
    const next = reached.map(() => false);
    for (const [index, isReached] of reached.entries()) {
      if (step === '**') next[index] = isReached || (index > 0 && next[index - 1] === true);
      else if (isReached && index < names.length && matchName(step, names[index] ?? ''))
        next[index + 1] = true;
    }
    reached = next;
  }
  return reached[names.length] === true;
}

/** `*` and `?` within one name. Goes back only to the last `*`. */
function matchName(pattern: string, name: string): boolean {
  let [at, from, star, resume] = [0, 0, -1, 0];
  while (at < name.length) {
    const wanted = pattern[from];
    if (wanted === '*') {
      star = from++;
      resume = at;
    } else if (wanted === '?' || wanted === name[at]) {
      from++;
      at++;
    } else if (star !== -1) {
      from = star + 1;
      at = ++resume;
    } else return false;
  }
  return /^\**$/.test(pattern.slice(from));
}

/** The patterns without braces; at most `MAX_ALTERNATIVES`. */
function expandBraces(pattern: string): string[] {
  let open = [pattern];
  const done: string[] = [];
  while (open.length > 0 && open.length + done.length <= MAX_ALTERNATIVES) {
    open = open.flatMap((one) => {
      const [whole, before = '', inside = '', after = ''] = /^([^{]*)\{([^{}]*)\}(.*)$/s.exec(one) ?? [];
      if (whole === undefined) {
        done.push(one);
        return [];
      }
      return inside.split(',').map((choice) => before + choice + after);
    });
  }
  return done.slice(0, MAX_ALTERNATIVES);
}

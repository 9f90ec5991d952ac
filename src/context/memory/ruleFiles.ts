/**
 * Rule files in `.claude/rules`: instructions that apply always, or, with `paths:` in their front matter, once a
 * matching file has been read or changed.
 */
import { readdir } from 'node:fs/promises';
import { isAbsolute, join, relative, resolve } from 'node:path';
import { pathMatcher } from './pathPattern.ts';

/** Limits per folder; the files also count towards the limits of all instructions. */
const MAX_FILES = 50;
const MAX_DEPTH = 3;
const MAX_ENTRIES = 500;

/**
 * The Markdown files in a folder and its subfolders, by name. Links to folders are not followed. Empty if there is no
 * such folder.
 */
export async function ruleFilesIn(folder: string, depth = 0): Promise<readonly string[]> {
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

/** Maximum characters of front matter and patterns in it. */
const MAX_FRONT_MATTER = 20_000;
const MAX_PATTERNS = 50;

/** Splits a rule file. `paths` may be text with commas, a list in brackets, or lines that begin with a dash. Pure. */
export function readRule(text: string): RuleText {
  const clean = text.replace(/^\uFEFF/, '').replaceAll('\r\n', '\n');
  const [whole, yaml = ''] = /^---[ \t]*\n(?:([\s\S]*?)\n)??---[ \t]*(?:\n|$)/.exec(clean) ?? [];
  if (whole === undefined || yaml.length > MAX_FRONT_MATTER) return { body: clean, paths: undefined };
  const body = clean.slice(whole.length);
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
    .map((item) => item.replace(/^(["'])(.*)\1$/s, '$2').trim())
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
export function appliesTo(paths: readonly string[], files: readonly string[], base: string): boolean {
  const matchers = paths.map(pathMatcher);
  return files.some((file) => {
    const way = relative(base, resolve(base, file));
    if (way === '' || way.startsWith('..') || isAbsolute(way)) return false;
    return matchers.some((matches) => matches(way));
  });
}

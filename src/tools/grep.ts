import { stat } from 'node:fs/promises';
import { resolve } from 'node:path';
import * as z from 'zod';
import { assertUnmoved, type ResolvedPath } from '../disk/realFile.ts';
import type { Grant } from '../protocol/permissions.ts';
import { count } from '../protocol/text/numbers.ts';
import { NO_MATCHES, toolNames } from '../protocol/toolNames.ts';
import type { Tool, ToolContext, ToolOutcome } from '../protocol/tools.ts';
import { defineFileTool } from './defineTool.ts';
import { suggestForMissing } from './files/similarNames.ts';
import { failure, interrupted } from './outcomes.ts';
import { absolutePath } from './paths.ts';
import { JUDGED_BYTES, redactorOfUnapproved, type TextRedactor, withoutSecrets } from './redaction.ts';
import { NO_RIPGREP } from './search/ripgrep.ts';
import { changedNote, newestFirst, searchFolder } from './search/searchFolder.ts';
import type { Environment } from './shell/childEnvironment.ts';

const DEFAULT_HEAD_LIMIT = 250;
const MAX_COLUMNS = 500;

const contextLines = z.number().int().min(0).optional();
const input = z.object({
  pattern: z.string().min(1).describe('regular expression (ripgrep)'),
  path: z.string().optional(),
  glob: z.string().optional(),
  type: z.string().optional().describe('js, py, rust …'),
  output_mode: z.enum(['files_with_matches', 'content', 'count']).optional(),
  '-i': z.boolean().optional(),
  '-n': z.boolean().optional().describe('line numbers, default true'),
  '-A': contextLines,
  '-B': contextLines,
  '-C': contextLines,
  multiline: z.boolean().optional(),
  head_limit: z.number().int().min(1).optional(),
});
type GrepInput = z.infer<typeof input>;

/**
 * Dependencies of the Grep tool. Files for which `isSensitive` is true are skipped unless a call names one as its path.
 */
interface GrepDeps {
  readonly home: string;
  readonly env: Environment;
  readonly isSensitive: (path: string) => boolean;
  /** Removes what looks like a secret from lines found in a folder or a large file, where anything may be. */
  readonly openRedactor?: () => Promise<TextRedactor>;
}

/** Creates the tool that searches file contents. */
export function grepTool(deps: GrepDeps): Tool {
  return defineFileTool({
    name: toolNames.grep,
    description: `Search file contents. Default output_mode is files_with_matches; content shows lines with -A/-B/-C context. At most head_limit lines (default ${DEFAULT_HEAD_LIMIT}).`,
    input,
    title: titleOf,
    path: (call, context) => absolutePath(call.path ?? '.', context.cwd(), deps.home),
    run: (place, call, context, grant) => grep(place, call, context, deps, grant),
  });
}

function titleOf({ pattern, path, glob, type }: GrepInput): string {
  const places = [path, glob, type].filter((place) => place !== undefined);
  return places.length === 0 ? `"${pattern}"` : `"${pattern}" in ${places.join(' ')}`;
}

async function grep(
  place: ResolvedPath,
  call: GrepInput,
  context: ToolContext,
  deps: GrepDeps,
  grant: Grant,
): Promise<ToolOutcome> {
  const title = titleOf(call);
  const cwd = context.cwd();
  const root = place.path;
  assertUnmoved(place);
  const info = await stat(root).catch(() => undefined);
  if (info === undefined) {
    const hint = await suggestForMissing(root, resolve(context.root, call.path ?? '.'));
    return failure(title, `${root} does not exist.`, 'not found', hint);
  }
  const mode = call.output_mode ?? 'files_with_matches';
  const listsFiles = mode === 'files_with_matches';
  const run = await searchFolder({
    args: argumentsOf(call, mode),
    separator: listsFiles ? '\0' : '\n',
    place,
    cwd,
    root: context.root,
    env: deps.env,
    signal: context.signal,
    pathOf: (item) => (listsFiles ? item : /^([^\0]*)\0/.exec(item)?.[1]),
  });
  if (run === undefined) return failure(title, NO_RIPGREP);
  if (run.end === 'stopped') return interrupted(title);
  const doubtful = new Set<string>();
  const isJudged = listsFiles || (info.isFile() && info.size <= JUDGED_BYTES);
  const redactor = isJudged ? undefined : await redactorOfUnapproved(grant, deps.openRedactor);
  const found = run.items.length === 0 ? [] : withoutSecrets(run.items.join('\n'), redactor).split('\n');
  const hits = collectHits(
    listsFiles ? run.items.map((path) => `${path}\0`) : found,
    mode === 'content' ? (call['-n'] ?? true) : undefined,
    (path) => {
      if (run.isDoubtful(path)) doubtful.add(path);
      const isSecret = info.isDirectory() && deps.isSensitive(absolutePath(path, cwd, deps.home));
      return isSecret || doubtful.has(path);
    },
  );
  const secrets = hits.hidden - doubtful.size;
  if (hits.files.length === 0 && hits.hidden === 0 && run.problem !== '') {
    return failure(title, `The search failed.\n${run.problem}`);
  }
  const notes: string[] = [...run.notes(cwd)];
  if (secrets > 0)
    notes.push(
      `(${count(secrets, 'file')} that may contain secrets left out; pass one as path to search it.)`,
    );
  if (doubtful.size > 0) notes.push(changedNote(doubtful.size));
  if (run.end === 'limit')
    notes.push('(The search was stopped at its limit: there may be more. Narrow the search.)');
  const partial = run.end === 'limit' || run.problem !== '';
  if (partial && run.problem !== '') notes.push(`(Not everything could be searched: ${run.problem})`);
  const { lines, total, summary } = await present(mode, hits, cwd);
  const limit = call.head_limit ?? DEFAULT_HEAD_LIMIT;
  // An explicit limit is applied as is; the default one is distributed over the files, so that none is missing.
  const isShared = call.head_limit === undefined && mode === 'content';
  const shown = isShared ? perFile(hits.files, limit) : lines.slice(0, limit);
  const isCut = lines.length > limit;
  if (isCut) notes.unshift(cutNote(isShared, Math.min(limit, lines.length), lines.length));
  if (total === 0) notes.unshift('No matches.');
  return {
    status: partial ? 'partial' : 'ok',
    text: [...shown, ...notes].join('\n'),
    kind: 'search',
    display: { title, summary: total === 0 ? NO_MATCHES : summary },
    ...(isCut ? await storeAll(lines, context) : {}),
    response: () => responseOf(mode, listsFiles ? shown : hits.files.map(({ path }) => path), shown, total),
  };
}

function responseOf(
  mode: string,
  filenames: readonly string[],
  lines: readonly string[],
  total: number,
): object {
  const common = { mode, numFiles: filenames.length, filenames };
  if (mode === 'files_with_matches') return common;
  const content = lines.join('\n');
  return mode === 'count'
    ? { ...common, content, numMatches: total }
    : { ...common, content, numLines: lines.length };
}

function cutNote(isShared: boolean, limit: number, total: number): string {
  const part = isShared ? `${limit} lines, the first of each file, of` : `The first ${limit} of`;
  return `(${part} ${count(total, 'line')}; narrow the search or raise head_limit.)`;
}

/** Stores all lines, so that the model can recall the rest without another search. */
async function storeAll(
  lines: readonly string[],
  context: ToolContext,
): Promise<Pick<ToolOutcome, 'original'>> {
  const blob = context.openBlob();
  for (const line of lines) blob.write(`${line}\n`);
  const original = await blob.finish().catch(() => undefined);
  return original === undefined ? {} : { original };
}

/** All arguments except the path. Ripgrep ends each path with NUL, so that no name can be mistaken for a line. */
function argumentsOf(call: GrepInput, mode: string): string[] {
  const args = ['--hidden', '--glob=!.git', '--null', '--with-filename', `--regexp=${call.pattern}`];
  if (mode === 'files_with_matches') args.push('--files-with-matches');
  else if (mode === 'count') args.push('--count-matches');
  else {
    args.push('--no-heading', '--line-number', `--max-columns=${MAX_COLUMNS}`, '--max-columns-preview');
    if (call['-A'] !== undefined) args.push(`--after-context=${call['-A']}`);
    if (call['-B'] !== undefined) args.push(`--before-context=${call['-B']}`);
    if (call['-C'] !== undefined) args.push(`--context=${call['-C']}`);
  }
  if (call['-i'] === true) args.push('--ignore-case');
  if (call.multiline === true) args.push('--multiline', '--multiline-dotall');
  if (call.type !== undefined) args.push(`--type=${call.type}`);
  // A glob that matches everything would only include files that .gitignore excludes.
  if (call.glob !== undefined && !/^[*/]*$/.test(call.glob)) args.push(`--glob=${call.glob}`);
  return args;
}

interface Presented {
  readonly lines: readonly string[];
  readonly total: number;
  readonly summary: string;
}

async function present(mode: string, hits: Hits, cwd: string): Promise<Presented> {
  const files = hits.files.length;
  if (mode === 'content') {
    const lines = hits.files.flatMap((file) => file.lines);
    return {
      lines,
      total: hits.matches,
      summary: `${count(hits.matches, 'match')} in ${count(files, 'file')}`,
    };
  }
  if (mode === 'count') {
    const total = hits.files.reduce(
      (sum, file) => sum + Number(file.lines[0]?.slice(file.path.length + 1) ?? 0),
      0,
    );
    const lines = hits.files.map((file) => file.lines[0] ?? '');
    return { lines, total, summary: `${count(total, 'match')} in ${count(files, 'file')}` };
  }
  const lines = await newestFirst(
    hits.files.map((file) => file.path),
    cwd,
  );
  return { lines, total: files, summary: count(files, 'file') };
}

interface Hits {
  /** Sorted by path. */
  readonly files: readonly { readonly path: string; readonly lines: readonly string[] }[];
  /** Matching lines, without context. */
  readonly matches: number;
  /** Number of files that `isHidden` left out. */
  readonly hidden: number;
}

/**
 * Groups lines of the form `path NUL rest` by file, each as `path:rest`; `--` between groups stays with the preceding
 * file. `numbers`: whether to show the line numbers with which the rest begins (`12:` a match, `12-` context);
 * undefined if it has none.
 */
function collectHits(
  lines: readonly string[],
  numbers: boolean | undefined,
  isHidden: (path: string) => boolean,
): Hits {
  const files = new Map<string, string[]>();
  const hidden = new Set<string>();
  let matches = 0;
  let last: { readonly path: string; readonly lines: string[] } | undefined;
  for (const line of lines) {
    const nul = line.indexOf('\0');
    if (nul === -1) {
      // "--", or another line of a multi-line match.
      last?.lines.push(line);
      continue;
    }
    const path = line.slice(0, nul).replace(/^\.\//, '');
    const rest = line.slice(nul + 1);
    if (last?.path !== path) {
      if (isHidden(path)) hidden.add(path);
      last = { path, lines: files.get(path) ?? [] };
      if (!hidden.has(path)) files.set(path, last.lines);
    }
    const isContext = numbers !== undefined && /^\d+-/.test(rest);
    if (!isContext && !hidden.has(path)) matches += 1;
    const text = numbers === false ? rest.replace(/^\d+[:-]/, '') : rest;
    last.lines.push(isContext ? `${path}-${text}` : `${path}:${text}`);
  }
  const sorted = [...files].sort(([a], [b]) => (a < b ? -1 : 1));
  return {
    files: sorted.map(([path, all]) => ({ path, lines: all.at(-1) === '--' ? all.slice(0, -1) : all })),
    matches,
    hidden: hidden.size,
  };
}

interface FileLines {
  readonly path: string;
  readonly lines: readonly string[];
}

/**
 * At most `limit` lines: up to the same number of lines per file, with a note on how many more it has. If there are
 * more files than that, one line of each of the first ones.
 */
export function perFile(files: readonly FileLines[], limit: number): readonly string[] {
  const all = files.reduce((sum, { lines }) => sum + lines.length, 0);
  if (all <= limit) return files.flatMap(({ lines }) => lines);
  let low = 1;
  let high = limit;
  while (low < high) {
    const middle = Math.ceil((low + high) / 2);
    if (shown(files, middle).length <= limit) low = middle;
    else high = middle - 1;
  }
  return shown(files, low).slice(0, limit);
}

function shown(files: readonly FileLines[], level: number): readonly string[] {
  return files.flatMap(({ path, lines }) => {
    const more = lines.length - level;
    // A note about one more line would take as much space as that line.
    if (more <= 1) return lines;
    return [...lines.slice(0, level), `${path}: (+${more} more in this file)`];
  });
}

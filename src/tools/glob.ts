import { stat } from 'node:fs/promises';
import { resolve } from 'node:path';
import picomatch from 'picomatch';
import * as z from 'zod';
import { assertUnmoved, type ResolvedPath } from '../disk/realFile.ts';
import { count } from '../protocol/text/numbers.ts';
import { NO_MATCHES, toolNames } from '../protocol/toolNames.ts';
import type { Tool, ToolContext, ToolOutcome } from '../protocol/tools.ts';
import { defineFileTool } from './defineTool.ts';
import { suggestForMissing } from './files/similarNames.ts';
import { failure, interrupted } from './outcomes.ts';
import { absolutePath, shortPath } from './paths.ts';
import { NO_RIPGREP } from './search/ripgrep.ts';
import { changedNote, newestFirst, searchFolder } from './search/searchFolder.ts';
import type { Environment } from './shell/childEnvironment.ts';

/** The model gets only the first of them; the rest is available through Recall. */
const MAX_FILES = 10_000;

const input = z.object({
  pattern: z.string().min(1),
  path: z.string().optional().describe('directory, default the current one'),
});
type GlobInput = z.infer<typeof input>;

/** Creates the tool that finds files by name. */
export function globTool(home: string, env: Environment): Tool {
  return defineFileTool({
    name: toolNames.glob,
    description: 'Find files by glob, e.g. "src/**/*.ts"; newest first. Git-ignored files are left out.',
    input,
    title: titleOf,
    path: (call, context) => searchOf(call, context.cwd(), home).root,
    run: (place, call, context) => glob(place, call, context, home, env),
  });
}

function titleOf(call: GlobInput): string {
  return call.path === undefined ? call.pattern : `${call.pattern} in ${call.path}`;
}

interface GlobSearch {
  /** Absolute directory. */
  readonly root: string;
  /** Relative to `root`; `**` for every file in it. */
  readonly pattern: string;
}

/** Splits the literal part off the pattern, so that only that directory is searched, even if it is ignored. */
function searchOf(call: GlobInput, cwd: string, home: string): GlobSearch {
  const from = absolutePath(call.path ?? '.', cwd, home);
  const { base, glob: rest } = picomatch.scan(call.pattern);
  // A name without a slash matches at any depth, as in a .gitignore.
  if (!call.pattern.includes('/')) return { root: from, pattern: `**/${call.pattern}` };
  return { root: absolutePath(base === '' ? '.' : base, from, home), pattern: rest };
}

async function glob(
  place: ResolvedPath,
  call: GlobInput,
  context: ToolContext,
  home: string,
  env: Environment,
): Promise<ToolOutcome> {
  const title = titleOf(call);
  const cwd = context.cwd();
  const root = place.path;
  const { pattern } = searchOf(call, cwd, home);
  assertUnmoved(place);
  const info = await stat(root).catch(() => undefined);
  if (info === undefined) {
    const hint = await suggestForMissing(root, searchOf(call, context.root, home).root);
    return failure(title, `${root} does not exist.`, 'not found', hint);
  }
  if (info.isFile()) return listing(title, [shortPath(root, cwd)], false);
  // Matched here, because a positive --glob would include files that .gitignore excludes.
  const matches = picomatch(pattern === '' ? '**' : pattern, { dot: true });
  const run = await searchFolder({
    args: ['--files', '--hidden', '--glob=!.git', '--null'],
    separator: '\0',
    place,
    cwd: root,
    root: context.root,
    env,
    signal: context.signal,
    pathOf: (path) => (matches(path) ? path : undefined),
  });
  if (run === undefined) return failure(title, NO_RIPGREP);
  if (run.end === 'stopped') return interrupted(title);
  const matching = run.items.filter((path) => matches(path));
  const reliable = matching.filter((path) => !run.isDoubtful(path));
  const found = reliable.map((path) => shortPath(resolve(root, path), cwd));
  if (found.length === 0 && run.problem !== '') return failure(title, `Nothing found. ${run.problem}`);
  const doubtful = matching.length - reliable.length;
  const notes = [...run.notes(cwd), ...(doubtful > 0 ? [changedNote(doubtful)] : [])];
  return listing(title, await newestFirst(found, cwd), run.end === 'limit', notes);
}

function listing(
  title: string,
  files: readonly string[],
  partial: boolean,
  more: readonly string[] = [],
): ToolOutcome {
  const shown = files.slice(0, MAX_FILES);
  const notes: string[] = [];
  if (files.length === 0) notes.push('No files match.');
  if (shown.length < files.length) {
    notes.push(
      `(Showing the newest ${count(MAX_FILES, 'file')} of ${count(files.length, 'file')}; use a narrower pattern to find others.)`,
    );
  }
  notes.push(...more);
  if (partial)
    notes.push('(The search was stopped at its limit: there may be more. Search a smaller directory.)');
  return {
    status: partial ? 'partial' : 'ok',
    text: [...shown, ...notes].join('\n'),
    kind: 'list',
    display: { title, summary: files.length === 0 ? NO_MATCHES : count(files.length, 'file') },
    response: ({ durationMs }) => ({
      ...{ filenames: shown, numFiles: shown.length, durationMs, totalMatches: files.length },
      ...{ truncated: partial || shown.length < files.length, countIsComplete: !partial },
    }),
  };
}

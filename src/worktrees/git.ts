/**
 * Runs git for worktrees so that nothing in the repository starts a program: no hooks, no file system monitor, no
 * filters, no transports. A repository may come from an archive that contains settings.
 */
import { type OwnGit, runGit } from '../disk/ownGit.ts';
import { visibleText } from '../protocol/text/visible.ts';

interface GitAnswer {
  /** Null if it could not be started, took too long, or was stopped. */
  readonly code: number | null;
  readonly stdout: string;
  /** Why it failed, for the user: bounded, without control characters. */
  readonly problem: string;
}

/** Runs git in a folder; `signal` stops it. Never rejects. */
export type Git = (folder: string, args: readonly string[], signal?: AbortSignal) => Promise<GitAnswer>;

/** Git sees every change of a file, also in a repository that was copied from a machine with another file system. */
const SEES_CHANGES = [
  'core.ignoreStat=false',
  ...(process.platform === 'linux' ? ['core.fileMode=true', 'core.ignoreCase=false'] : []),
].flatMap((setting) => ['-c', setting]);

/** A large repository is checked out in less. */
const TIMEOUT_MS = 300_000;
/** Settings are small files. */
const SETTINGS_TIMEOUT_MS = 5000;
const MAX_BYTES = 4_000_000;
/** Filters and hooks that a repository's settings may define; each needs up to eight arguments. */
const MAX_PROGRAMS = 200;

/** Git for the repository of a project. `workspace`: no program from there is started. */
export function createGit(env: OwnGit['env'], workspace: readonly string[]): Git {
  return async (cwd, args, signal) => {
    const run = async (all: readonly string[], timeoutMs: number): Promise<GitAnswer> => {
      const call = { cwd, args: all, timeoutMs, maxBytes: MAX_BYTES };
      const { code, stdout, problem } = await runGit({ env, workspace }, call, signal);
      return { code, stdout: stdout.toString(), problem: visibleText(problem).trim() };
    };
    // Read again each time: the settings may have changed.
    const settings = await run(['config', '--list', '--name-only', '-z'], SETTINGS_TIMEOUT_MS);
    if (settings.code !== 0) return settings;
    const without = withoutPrograms(settings.stdout.split('\0'));
    if (typeof without === 'string') return { code: null, stdout: '', problem: without };
    return run([...SEES_CHANGES, ...without, ...args], TIMEOUT_MS);
  };
}

/**
 * Arguments that switch off all filters and hooks of the settings, or why that cannot be done. An empty filter leaves
 * the content as it is. From 2.54 on, git also runs hooks that settings define, wherever `core.hooksPath` points.
 * Source: gitattributes, filter; git-config, hook.<friendly-name>.enabled.
 */
function withoutPrograms(names: readonly string[]): readonly string[] | string {
  const filters = subsections(names, 'filter');
  const hooks = subsections(names, 'hook');
  if (filters.length + hooks.length > MAX_PROGRAMS)
    return `The git settings define more than ${MAX_PROGRAMS} filters and hooks.`;
  // `-c` ends the name at the first "=".
  const isOdd = (name: string): boolean => /[=\n]/.test(name);
  if (filters.some(isOdd)) return 'The git settings define a filter with "=" or a line break in its name.';
  if (hooks.some(isOdd)) return 'The git settings define a hook with "=" or a line break in its name.';
  return [
    ...filters.flatMap((name) =>
      ['smudge=', 'clean=', 'process=', 'required=false'].flatMap((key) => ['-c', `filter.${name}.${key}`]),
    ),
    ...hooks.flatMap((name) => ['-c', `hook.${name}.enabled=false`]),
  ];
}

function subsections(names: readonly string[], section: 'filter' | 'hook'): readonly string[] {
  const pattern = new RegExp(`^${section}\\.(.*)\\.[^.]*$`, 's');
  return [...new Set(names.flatMap((name) => pattern.exec(name)?.[1] ?? []))];
}

/**
 * Runs git for worktrees so that nothing in the repository starts a program: no hooks, no file system monitor, no
 * filters, no transports. A repository may come from an archive with settings of its own.
 */
import { spawn } from 'node:child_process';
import { isReadableByGit, NO_GIT, ownGit } from '../disk/ownGit.ts';
import { ownGitEnvironment } from '../disk/ownPrograms.ts';
import { realpath } from '../disk/paths.ts';
import { visibleText } from '../protocol/text/visible.ts';

interface GitAnswer {
  /** Null if it could not be started, or took too long. */
  readonly code: number | null;
  readonly stdout: string;
  /** Why it failed, for the user: bounded, without control characters. */
  readonly problem: string;
}

/** Runs git in a folder. Never rejects. */
export type Git = (folder: string, args: readonly string[], signal?: AbortSignal) => Promise<GitAnswer>;

/** Git sees every change of a file, also in a repository that was copied from a machine with another file system. */
const SEES_CHANGES = [
  'core.ignoreStat=false',
  ...(process.platform === 'linux' ? ['core.fileMode=true', 'core.ignoreCase=false'] : []),
].flatMap((setting) => ['-c', setting]);

/** A large repository is checked out in less. */
const TIMEOUT_MS = 300_000;
const MAX_OUTPUT = 4_000_000;
const MAX_PROBLEM = 500;
/** Filters and hooks that a repository's settings may define; each needs up to eight arguments. */
const MAX_PROGRAMS = 200;

/** Git for the repository of a project. `workspace`: no program from there is started. */
export function createGit(
  env: Readonly<Record<string, string | undefined>>,
  workspace: readonly string[],
): Git {
  const environment = ownGitEnvironment(env, workspace, realpath);
  const run: Git = (folder, args, signal) =>
    isReadableByGit(folder) ? start(environment, folder, args, signal) : Promise.resolve(unreadable);
  return async (folder, args, signal) => {
    // Read again each time: the settings may have changed.
    const settings = await run(folder, ['config', '--list', '--name-only', '-z'], signal);
    if (settings.code !== 0) return settings;
    const without = withoutPrograms(settings.stdout.split('\0'));
    if (typeof without === 'string') return { code: null, stdout: '', problem: without };
    return run(folder, [...SEES_CHANGES, ...without, ...args], signal);
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

const unreadable: GitAnswer = {
  code: null,
  stdout: '',
  problem: 'The git folder contains a pipe, a device or a huge file where git expects a small file.',
};

function start(
  env: Record<string, string>,
  cwd: string,
  args: readonly string[],
  signal?: AbortSignal,
): Promise<GitAnswer> {
  return new Promise((resolve) => {
    const git = ownGit(args);
    const child = spawn(git.program, git.args, { cwd, env, stdio: ['ignore', 'pipe', 'pipe'] });
    let stdout = '';
    let stderr = '';
    const stop = (): void => void child.kill('SIGTERM');
    const timer = setTimeout(() => child.kill('SIGKILL'), TIMEOUT_MS);
    signal?.addEventListener('abort', stop, { once: true });
    if (signal?.aborted) stop();
    const end = (code: number | null, problem: string): void => {
      clearTimeout(timer);
      signal?.removeEventListener('abort', stop);
      resolve({ code, stdout, problem });
    };
    child.stdout.setEncoding('utf8').on('data', (text: string) => {
      stdout += text;
      if (stdout.length > MAX_OUTPUT) stop();
    });
    child.stderr.setEncoding('utf8').on('data', (text: string) => {
      stderr = (stderr + text).slice(-MAX_OUTPUT);
    });
    child.on('error', (error: NodeJS.ErrnoException) =>
      end(null, error.code === 'ENOENT' ? 'git is not installed.' : error.message),
    );
    child.on('close', (code) => {
      if (code === NO_GIT) return end(null, 'git is not installed.');
      end(code, visibleText(stderr).trim().slice(-MAX_PROBLEM).toWellFormed());
    });
  });
}

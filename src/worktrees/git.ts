/**
 * Runs git for worktrees so that nothing in the repository starts a program: no hooks, no file system monitor, no
 * filters, no transports. A repository may come from an archive that contains settings.
 */
import { spawn } from 'node:child_process';
import { blockingFile, NO_GIT, ownGit } from '../disk/ownGit.ts';
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
export type Git = (folder: string, args: readonly string[]) => Promise<GitAnswer>;

/** Git sees every change of a file, also in a repository that was copied from a machine with another file system. */
const SEES_CHANGES = [
  'core.ignoreStat=false',
  ...(process.platform === 'linux' ? ['core.fileMode=true', 'core.ignoreCase=false'] : []),
].flatMap((setting) => ['-c', setting]);

/** A large repository is checked out in less. */
const TIMEOUT_MS = 300_000;
/** Settings are small files. */
const SETTINGS_TIMEOUT_MS = 5000;
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
  const run = async (folder: string, args: readonly string[], timeoutMs: number): Promise<GitAnswer> => {
    const blocking = blockingFile(folder);
    return blocking === undefined
      ? start(environment, folder, args, timeoutMs)
      : failure(unreadable(blocking));
  };
  return async (folder, args) => {
    // Read again each time: the settings may have changed.
    const settings = await run(folder, ['config', '--list', '--name-only', '-z'], SETTINGS_TIMEOUT_MS);
    if (settings.code !== 0) return settings;
    const without = withoutPrograms(settings.stdout.split('\0'));
    if (typeof without === 'string') return failure(without);
    return run(folder, [...SEES_CHANGES, ...without, ...args], TIMEOUT_MS);
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

const failure = (problem: string): GitAnswer => ({ code: null, stdout: '', problem });

const unreadable = (path: string): string =>
  `Git would read ${visibleText(path).slice(0, MAX_PROBLEM)}, which is a pipe, a device or a huge file. Replace it with a small file, or remove it from the git settings.`;

function start(
  env: Record<string, string>,
  cwd: string,
  args: readonly string[],
  timeoutMs: number,
): Promise<GitAnswer> {
  return new Promise((resolve) => {
    const git = ownGit(args);
    const child = spawn(git.program, git.args, { cwd, env, stdio: ['ignore', 'pipe', 'pipe'] });
    /** Why it was ended by us. */
    let ended: string | undefined;
    let stdout = '';
    let stderr = '';
    const stop = (why: string, how: 'SIGTERM' | 'SIGKILL' = 'SIGTERM'): void => {
      ended ??= why;
      child.kill(how);
    };
    const timer = setTimeout(() => stop(tooSlow(timeoutMs), 'SIGKILL'), timeoutMs);
    const end = (code: number | null, problem: string): void => {
      clearTimeout(timer);
      resolve({ code, stdout, problem });
    };
    child.stdout.setEncoding('utf8').on('data', (text: string) => {
      stdout += text;
      if (stdout.length > MAX_OUTPUT) stop('Git printed too much.');
    });
    child.stderr.setEncoding('utf8').on('data', (text: string) => {
      stderr = (stderr + text).slice(-MAX_OUTPUT);
    });
    child.on('error', (error: NodeJS.ErrnoException) =>
      end(null, error.code === 'ENOENT' ? 'git is not installed.' : error.message),
    );
    child.on('close', (code) => {
      if (code === NO_GIT) return end(null, 'git is not installed.');
      if (ended !== undefined) return end(null, ended);
      end(code, visibleText(stderr).trim().slice(-MAX_PROBLEM).toWellFormed());
    });
  });
}

const tooSlow = (timeoutMs: number): string =>
  `Git did not finish within ${timeoutMs / 1000} seconds and was stopped. Check whether \`git status\` works in this repository.`;

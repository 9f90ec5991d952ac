/** Reads what the model is told about its surroundings: platform, date and the repository's state. */
import { execFile } from 'node:child_process';
import { release, type } from 'node:os';
import type { Environment } from '../../agent/systemPrompt.ts';
import { realpath } from '../../disk/realPath.ts';
import { gitRunsPrograms } from '../../permissions/lookups/gitPrograms.ts';
import { OWN_GIT_ARGUMENTS, ownGitEnvironment } from '../../protocol/ownPrograms.ts';
import { findRoot } from './appPaths.ts';

/** Longest wait for git, in milliseconds; a slow repository goes undescribed rather than delay the first request. */
const GIT_TIMEOUT = 2000;
const CHANGED_FILES = 20;

/** Milliseconds after which what was read ahead no longer counts: somebody was asked something meanwhile. */
const FRESH_MS = 2000;

/** Begins to read at once, since git takes as long as loading the program and reading its settings. */
export function prefetchEnvironment(directory: string): () => Promise<Environment> {
  return prefetch(() => readEnvironment(directory, new Date()), FRESH_MS);
}

export async function readEnvironment(directory: string, now: Date): Promise<Environment> {
  const git = await gitState(directory);
  const pad = (part: number): string => String(part).padStart(2, '0');
  return {
    directory,
    platform: `${type()} ${release()}`,
    date: `${now.getFullYear()}-${pad(now.getMonth() + 1)}-${pad(now.getDate())}`,
    ...(git === undefined ? {} : { git }),
  };
}

async function gitState(directory: string): Promise<string | undefined> {
  // Nobody has been asked yet whether this folder's programs may run.
  if (gitRunsPrograms(directory))
    return 'not asked, because its configuration names programs to start, or files elsewhere';
  const [status, log] = await Promise.all([
    // Submodules have configurations of their own.
    git(directory, [
      'status',
      '--porcelain=v1',
      '--branch',
      '--untracked-files=normal',
      '--ignore-submodules=dirty',
    ]),
    git(directory, ['log', '--max-count=3', '--format=%h %s']),
  ]);
  if (status === undefined) return undefined;
  const [head = '', ...changed] = status.trimEnd().split('\n');
  const branch = quotedUnlessPlain(
    bounded(head.replace(/^## (No commits yet on )?/, '').split('...')[0] ?? ''),
  );
  const shown = changed.slice(0, CHANGED_FILES).map(changedFile);
  const more = changed.length > shown.length ? ` and ${changed.length - shown.length} more` : '';
  const lines = [
    `branch ${branch}; ${changed.length === 0 ? 'clean' : `changed: ${shown.join(', ')}${more}`}`,
  ];
  if (log !== undefined && log.trim() !== '')
    lines.push(
      'Last commits, in the words of their authors:',
      ...log.trimEnd().split('\n').map(quotedSubject),
    );
  return lines.join('\n');
}

/** What a repository says of itself is data from elsewhere: it has an end, and cannot go on as text of ours. */
const MAX_CHARACTERS = 120;

function bounded(text: string): string {
  const line = text.replace(/[\p{Cc}\p{Cf}\p{Zl}\p{Zp}]/gu, ' ');
  return line.length <= MAX_CHARACTERS ? line : `${line.slice(0, MAX_CHARACTERS).toWellFormed().trimEnd()}…`;
}

/** E.g. ` M src/a.ts`, `R  a -> b`; git has quoted names with blanks already. */
function changedFile(line: string): string {
  const short = bounded(line);
  return `${short.slice(0, 3)}${short.slice(3).split(' -> ').map(quotedUnlessPlain).join(' -> ')}`;
}

/** A name with signs that the list around it is made of could go on as text of ours. */
function quotedUnlessPlain(name: string): string {
  return name.startsWith('"') || /^[^;,:<>"'`[\]{}]*$/.test(name) ? name : JSON.stringify(name);
}

function quotedSubject(line: string): string {
  const [, hash = '', subject = ''] = /^(\S+) ?(.*)$/.exec(line) ?? [];
  return `${hash} ${JSON.stringify(bounded(subject))}`;
}

/** Output of one read-only git command; undefined when there is no repository or no git. */
function git(directory: string, args: string[]): Promise<string | undefined> {
  return new Promise((resolve) => {
    const env = ownGitEnvironment(process.env, findRoot(directory), realpath);
    const options = { cwd: directory, env, timeout: GIT_TIMEOUT, maxBuffer: 4_000_000 };
    execFile('git', [...OWN_GIT_ARGUMENTS, ...args], options, (error, stdout) =>
      resolve(error === null ? stdout : undefined),
    );
  });
}

/**
 * Starts reading at once: the first caller within `freshMs` gets that result, any other call reads again.
 * `now`: milliseconds from any start.
 */
export function prefetch<T>(
  read: () => Promise<T>,
  freshMs: number,
  now: () => number = () => performance.now(),
): () => Promise<T> {
  const startedAt = now();
  let ahead: Promise<T> | undefined = read();
  // A caller gets the failure; without one it is no unhandled rejection.
  ahead.catch(() => {});
  return () => {
    const found = now() - startedAt < freshMs ? ahead : undefined;
    ahead = undefined;
    return found ?? read();
  };
}
